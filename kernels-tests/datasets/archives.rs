//! Hostile archives: nothing is written outside the target folder, nothing grows without limit, and unusual entries are
//! rejected.

use firstcontact_datasets::fetch::unpack::{Limits, read_tar, unpack};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for an archive, and one next to it to unpack into.
struct Desk(TempDir);

/// A tar entry as stored in the archive: path, type, link target, content.
type Entry<'a> = (&'a str, tar::EntryType, &'a str, &'a [u8]);

fn file<'a>(path: &'a str, content: &'a [u8]) -> Entry<'a> {
    (path, tar::EntryType::Regular, "", content)
}

/// A tar archive with paths that a well-behaved writer would reject.
pub fn tar_of(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &(path, kind, target, content) in entries {
        let mut head = tar::Header::new_gnu();
        let old = head.as_old_mut();
        old.name[..path.len()].copy_from_slice(path.as_bytes());
        old.linkname[..target.len()].copy_from_slice(target.as_bytes());
        head.set_entry_type(kind);
        head.set_size(content.len() as u64);
        head.set_mode(0o644);
        head.set_cksum();
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// A zip archive of deflated entries with these paths, Unix modes and contents.
fn zip_with_modes(entries: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let mut zip = rawzip::ZipArchiveWriter::new(Vec::new());
    for &(path, mode, content) in entries {
        let path = rawzip::path::EntryPath::verbatim(path.as_bytes());
        let file = zip.new_file(path).compression_method(rawzip::CompressionMethod::DEFLATE).unix_permissions(mode);
        let (mut entry, config) = file.start().unwrap();
        let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default()));
        writer.write_all(content).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    zip.finish().unwrap()
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let entries: Vec<_> = entries.iter().map(|&(path, content)| (path, 0o100_644, content)).collect();
    zip_with_modes(&entries)
}

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn unpack(&self, archive: &Path, take: [&str; 2], limits: &Limits) -> Result<Vec<String>, String> {
        let folder = self.0.path().join("out");
        std::fs::create_dir_all(&folder).unwrap();
        unpack(archive, &[take.map(String::from)], &folder, limits).map_err(|e| e.to_string())
    }

    /// Expects that unpacking everything is rejected with these words, and that nothing is written next to the folder.
    #[track_caller]
    fn refused(&self, archive: &Path, words: &str) {
        let message = self.unpack(archive, ["", "in/"], &Limits::default()).unwrap_err();
        assert!(message.contains(words), "{message}");
        let names: Vec<_> = std::fs::read_dir(self.0.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}

#[test]
fn requested_entries_are_unpacked_to_their_paths() {
    let desk = Desk::new();
    let content: &[(&str, &[u8])] = &[("a/b/x.stl", b"1"), ("a/b/c/y.stl", b"22"), ("a/LICENSE", b"3")];
    let entries: Vec<Entry> = content.iter().map(|(path, bytes)| file(path, bytes)).collect();
    let plain = tar_of(&entries);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(&plain).unwrap();
    let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    bz.write_all(&plain).unwrap();
    let archives = [
        ("a.tar", plain),
        ("a.tar.gz", gz.finish().unwrap()),
        ("a.tar.bz2", bz.finish().unwrap()),
        ("a.whl", zip_of(content)),
    ];
    for (name, bytes) in archives {
        let archive = desk.put(name, &bytes);
        let to = format!("{name}-out/meshes/");
        let paths = desk.unpack(&archive, ["a/b/", &to], &Limits::default()).unwrap();
        assert_eq!(paths, [format!("{to}x.stl"), format!("{to}c/y.stl")], "{name}");
        assert_eq!(std::fs::read(desk.0.path().join("out").join(&paths[1])).unwrap(), b"22", "{name}");
        let message = desk.unpack(&archive, ["nothing/", "n/"], &Limits::default()).unwrap_err();
        assert!(message.contains("nothing under 'nothing/'"), "{message}");
    }
}

#[test]
fn paths_that_leave_the_folder_are_refused() {
    for path in ["../evil", "a/../../evil", "/evil", "a\\..\\evil", "c:evil", "a/\u{1}evil", "//evil"] {
        let desk = Desk::new();
        desk.refused(&desk.put("a.tar", &tar_of(&[file(path, b"x")])), "leaves its folder");
        let desk = Desk::new();
        desk.refused(&desk.put("a.zip", &zip_of(&[(path, b"x")])), "leaves its folder");
    }
}

/// A link first, then a file through it: the classic escape.
#[test]
fn links_and_devices_are_refused() {
    use tar::EntryType::{Char, Fifo, Link, Symlink};
    for kind in [Symlink, Link, Char, Fifo] {
        let desk = Desk::new();
        let entries: [Entry; 2] = [("a", kind, "/tmp", b""), file("a/evil", b"x")];
        desk.refused(&desk.put("a.tar", &tar_of(&entries)), "not a regular file");
    }
    let desk = Desk::new();
    desk.refused(&desk.put("a.zip", &zip_with_modes(&[("a", 0o120_777, b"/tmp")])), "not a regular file");
}

#[test]
fn duplicate_entries_are_refused() {
    let desk = Desk::new();
    desk.refused(&desk.put("a.tar", &tar_of(&[file("a", b"x"), file("a", b"y")])), "cannot be unpacked");
}

#[test]
fn decompression_bombs_are_stopped_at_the_limit() {
    let limits = Limits { bytes: 1 << 20, entries: 100 };
    let zeros = vec![0u8; 8 << 20];
    let desk = Desk::new();
    let small = zip_of(&[("a", &zeros)]);
    assert!(small.len() < 1 << 16, "{}", small.len());
    let message = desk.unpack(&desk.put("a.zip", &small), ["", ""], &limits).unwrap_err();
    assert!(message.contains("more than 1048576 bytes"), "{message}");
    let written = std::fs::metadata(desk.0.path().join("out/a")).unwrap().len();
    assert!(written <= (1 << 20) + 1, "{written}");

    // A tar file must be read to the end, so skipped entries count too.
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all(&tar_of(&[file("bomb", &zeros), file("wanted", b"x")])).unwrap();
    let archive = desk.put("b.tar.gz", &gz.finish().unwrap());
    let message = desk.unpack(&archive, ["wanted", "wanted"], &limits).unwrap_err();
    assert!(message.contains("more than is allowed"), "{message}");

    let names: Vec<String> = (0..101).map(|i| format!("f{i}")).collect();
    let many: Vec<Entry> = names.iter().map(|n| file(n, b"")).collect();
    let message = desk.unpack(&desk.put("c.tar", &tar_of(&many)), ["", "c/"], &limits).unwrap_err();
    assert!(message.contains("more than 100 entries"), "{message}");
    // Skipped entries must be read, too.
    let message = desk.unpack(&desk.put("e.tar", &tar_of(&many)), ["nothing", "n/"], &limits).unwrap_err();
    assert!(message.contains("more than 100 entries"), "{message}");
    let many: Vec<(&str, &[u8])> = names.iter().map(|n| (n.as_str(), &b""[..])).collect();
    let message = desk.unpack(&desk.put("d.zip", &zip_of(&many)), ["", "d/"], &limits).unwrap_err();
    assert!(message.contains("more than 100 entries"), "{message}");
}

/// Every truncation and many damages of an archive give an error or the same files, never a panic or a file elsewhere.
#[test]
fn damaged_archives_are_errors() {
    let zip = zip_of(&[("a/x", b"some text that is long enough to be deflated, deflated, deflated"), ("a/y", b"2")]);
    let tar = tar_of(&[file("a/x", b"some text"), file("a/y", b"2")]);
    for (name, bytes) in [("a.zip", zip), ("a.tar", tar)] {
        for k in (0..bytes.len()).step_by(crate::effort(7, 1)) {
            for damage in [0x00, 0xff, bytes[k] ^ 0x10] {
                let desk = Desk::new();
                let mut bytes = bytes.clone();
                if damage == 0 {
                    bytes.truncate(k)
                } else {
                    bytes[k] = damage
                }
                let _ = desk.unpack(&desk.put(name, &bytes), ["", "in/"], &Limits::default());
                let found = std::fs::read_dir(desk.0.path()).unwrap().count();
                assert_eq!(found, 2, "{name} {k}");
            }
        }
    }
    let desk = Desk::new();
    let message = read_tar(&desk.put("a.txt", b"x"), |_| true, &Limits::default()).unwrap_err().to_string();
    assert!(message.contains("unknown archive format"), "{message}");
}
