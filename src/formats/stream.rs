//! Motions from streams: pipes and the standard input, which cannot be read twice.

use crate::error::{Error, Result};
use crate::formats::store::Store;
use crate::io::load::LoadLimits;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

/// A stream whose first bytes have been inspected.
pub(super) type Stream<'s> = io::Chain<Cursor<Vec<u8>>, &'s mut dyn Read>;

/// Bytes of an array in a stream that are kept in memory; a larger array is written to an unnamed temporary file.
const IN_MEMORY_BYTES: u64 = 64 << 20;

/// The first bytes of a stream, at most `n`, and the stream from its beginning.
pub(super) fn peek(source: &mut dyn Read, n: u64) -> Result<(Vec<u8>, Stream<'_>)> {
    let mut first = Vec::new();
    (&mut *source).take(n).read_to_end(&mut first).map_err(unreadable)?;
    Ok((first.clone(), Cursor::new(first).chain(source)))
}

/// Reads a stream to its end, or until `most` bytes have been read. Also returns the number of bytes.
pub(super) fn spool(mut stream: impl Read, most: u64, limits: &LoadLimits) -> Result<(Store, u64)> {
    let in_memory = limits.memory_bytes.min(IN_MEMORY_BYTES);
    let mut start = Vec::new();
    let n = (&mut stream).take(most.min(in_memory)).read_to_end(&mut start).map_err(unreadable)? as u64;
    if n < in_memory || n == most {
        return Ok((Store::Memory(start.into()), n));
    }
    let to_file = || {
        let mut file = tempfile::tempfile()?;
        let n = io::copy(&mut Cursor::new(start).chain(stream.take(most - n)), &mut file)?;
        file.seek(SeekFrom::Start(0))?;
        Ok((Store::File(Arc::new(file)), n))
    };
    to_file().map_err(|cause: io::Error| {
        let message = format!("it cannot be stored in a temporary file: {cause}");
        Error::input(message).remedy("pass a file, or set TMPDIR to a folder with more space")
    })
}

/// Reads an archive in a stream. Its directory is at its end, so all of it must be read first.
pub(super) fn spool_archive(stream: impl Read, limits: &LoadLimits) -> Result<(Store, u64)> {
    let (store, length) = spool(stream, limits.memory_bytes.saturating_add(1), limits)?;
    limits.check(u128::from(length), "the bytes of an archive in a stream")?;
    Ok((store, length))
}

/// Reads a stream that must fit into memory.
pub(super) fn read_whole(stream: impl Read, limits: &LoadLimits) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(limits.memory_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    limits.check(bytes.len() as u128, "its bytes")?;
    Ok(bytes)
}

pub(super) fn unreadable(cause: io::Error) -> Error {
    Error::input(format!("it cannot be read: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that has `n` bytes: 0, 1, … 250, 0, 1, …
    struct Counting(u64, u64);

    impl Read for Counting {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let n = to.len().min((self.1 - self.0) as usize).min(10_000);
            for to in &mut to[..n] {
                *to = (self.0 % 251) as u8;
                self.0 += 1;
            }
            Ok(n)
        }
    }

    #[test]
    fn only_short_streams_stay_in_memory() {
        let limits = LoadLimits { memory_bytes: 100_000 };
        for (has, most, n_expected, is_file_expected) in [
            (10, 20, 10, false),
            (20, 10, 10, false),
            (100_007, 100_000, 100_000, false),
            (100_007, 100_002, 100_002, true),
            (100_007, u64::MAX, 100_007, true),
        ] {
            let (store, n) = spool(Counting(0, has), most, &limits).unwrap();
            assert_eq!((n, matches!(store, Store::File(_))), (n_expected, is_file_expected), "{has} {most}");
            for at in [0, n / 2, n - 1] {
                let mut byte = [0];
                store.read_exact_at(&mut byte, at).unwrap();
                assert_eq!(u64::from(byte[0]), at % 251, "{has} {most} {at}");
            }
            assert!(store.read_exact_at(&mut [0], n).is_err());
        }
    }

    #[test]
    fn peeked_bytes_are_read_again() {
        let mut source = Counting(0, 300);
        let (first, mut stream) = peek(&mut source, 5).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        assert_eq!((first, all.len(), all[4], all[299]), (vec![0, 1, 2, 3, 4], 300, 4, 48));
        assert_eq!(peek(&mut Counting(0, 3), 5).unwrap().0, [0, 1, 2]);
    }

    #[test]
    fn a_stream_without_end_fails() {
        let limits = LoadLimits { memory_bytes: 100 };
        assert_eq!(read_whole(Counting(0, 100), &limits).unwrap().len(), 100);
        let message = read_whole(io::repeat(b'x'), &limits).unwrap_err().to_string();
        assert!(message.contains("--memory"), "{message}");
    }
}
