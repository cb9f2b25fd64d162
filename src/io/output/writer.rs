//! A buffered writer that tracks the end of the last whole line.

use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::time::Duration;

/// Bytes that are buffered before they are written to a file.
const BUFFER_BYTES: usize = 1 << 13;
/// Time between two attempts to write to a stream that accepts nothing at the moment.
const RETRY: Duration = Duration::from_millis(1);

/// Writes a file or a stream. If a write fails, the file is cut after its last whole line and accepts nothing more;
/// bytes that were not flushed are dropped with this value.
#[derive(Debug)]
pub struct Writer {
    to: File,
    is_stream: bool,
    pending: Vec<u8>,
    /// Bytes in the file.
    length: u64,
    /// Bytes up to the end of the last whole line.
    whole_bytes: u64,
    failed: Option<io::ErrorKind>,
}

impl Writer {
    /// Writes a file from its beginning; see [`Writer::continue_at`].
    pub(super) fn file(to: File) -> Self {
        Self { to, is_stream: false, pending: Vec::new(), length: 0, whole_bytes: 0, failed: None }
    }

    /// Writes to a pipe or a device.
    pub(super) fn stream(to: File) -> Self {
        Self { is_stream: true, ..Self::file(to) }
    }

    pub(super) fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// Returns the file itself.
    pub(super) fn as_file(&self) -> &File {
        &self.to
    }

    /// Returns the number of bytes of whole lines in the file.
    pub(super) fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    /// Reads the file from its beginning.
    pub(super) fn read(&mut self) -> io::Result<impl io::BufRead + '_> {
        self.to.seek(SeekFrom::Start(0))?;
        Ok(BufReader::with_capacity(1 << 16, &mut self.to))
    }

    /// Keeps the first bytes of the file, which end with a line, and writes after them.
    pub(super) fn continue_at(&mut self, length: u64) -> io::Result<()> {
        self.to.set_len(length)?;
        self.to.seek(SeekFrom::Start(length))?;
        (self.length, self.whole_bytes) = (length, length);
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(kind) = self.failed {
            return Err(kind.into());
        }
        let mut done = 0;
        let result = loop {
            if done == bytes.len() {
                break Ok(());
            }
            match self.to.write(&bytes[done..]) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if self.is_stream && e.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(RETRY),
                Err(e) => break Err(e),
            }
        };
        if let Some(end) = bytes[..done].iter().rposition(|&byte| byte == b'\n') {
            self.whole_bytes = self.length + end as u64 + 1;
        }
        self.length += done as u64;
        if let Err(cause) = &result {
            self.failed = Some(cause.kind());
            if !self.is_stream {
                // A cut line is recognised when the file is read again; the first error is the one to report.
                let _ = self.to.set_len(self.whole_bytes);
            }
        }
        result
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pending.len() + bytes.len() > BUFFER_BYTES {
            self.flush()?;
        }
        match bytes.len() > BUFFER_BYTES {
            true => self.put(bytes)?,
            false => self.pending.extend_from_slice(bytes),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        let result = self.put(&pending);
        pending.clear();
        self.pending = pending;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn no_bytes_are_lost_or_duplicated() {
        for sizes in [[1, 1, 1], [BUFFER_BYTES, 1, BUFFER_BYTES + 1], [3 * BUFFER_BYTES, 0, 5]] {
            let mut writer = Writer::file(tempfile::tempfile().unwrap());
            let mut expected = Vec::new();
            for (i, size) in sizes.into_iter().cycle().take(20).enumerate() {
                let line = [vec![b'a' + i as u8; size], vec![b'\n']].concat();
                writer.write_all(&line).unwrap();
                expected.extend(line);
            }
            writer.flush().unwrap();
            assert_eq!(writer.whole_bytes(), expected.len() as u64);
            let mut found = Vec::new();
            writer.read().unwrap().read_to_end(&mut found).unwrap();
            assert!(found == expected);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn after_a_failure_nothing_more_is_written() {
        let full = File::options().read(true).write(true).open("/dev/full").unwrap();
        let mut writer = Writer::file(full);
        writer.write_all(b"one\n").unwrap();
        assert_eq!(writer.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(writer.flush().is_err() && writer.whole_bytes() == 0);
    }
}
