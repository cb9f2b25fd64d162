use super::*;
use std::io::Write;

#[test]
fn a_failure_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/file.txt");
    write(&path, |w| w.write_all(b"old").map_err(|e| Error::input(e.to_string()))).unwrap();
    let failed = write(&path, |w| {
        w.write_all(b"half").map_err(|e| Error::input(e.to_string()))?;
        Err(Error::usage("stop"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "stop");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn folders_created_for_a_file_are_removed_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/file.txt");
    drop(AtomicFile::create(&path).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let mut file = AtomicFile::create(&path).unwrap();
    fs::write(folder.path().join("a/other"), b"").unwrap();
    file.lines("one\ntwo\n").unwrap();
    drop(file);
    assert!(folder.path().join("a/other").is_file() && !folder.path().join("a/b").exists());
    let mut file = AtomicFile::create(&path).unwrap();
    file.lines("one\ntwo\n").unwrap();
    file.line("three").unwrap();
    file.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
}

#[test]
fn a_part_that_was_kept_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.txt");
    let mut file = AtomicFile::create(&path).unwrap();
    file.lines("one\ntwo\nthr").unwrap();
    file.keep().unwrap();
    // A process that opens the part and gives up leaves it as it was.
    let mut file = AtomicFile::open(&path).unwrap();
    assert_eq!(io::read_to_string(file.content().unwrap()).unwrap(), "one\ntwo\nthr");
    drop(file);
    let mut file = AtomicFile::open(&path).unwrap();
    file.continue_at(8).unwrap();
    file.line("three").unwrap();
    file.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
    drop(AtomicFile::open(&path).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.txt");
    let mut file = AtomicFile::create(&path).unwrap();
    file.line("one").unwrap();
    for refused in [AtomicFile::create(&path), AtomicFile::open(&path)] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        assert!(error.to_string().contains("file.txt: "), "{error}");
    }
    file.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
    AtomicFile::create(&path).unwrap();
}

#[test]
fn a_claim_is_exclusive_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/set.lock");
    let claim = Claim::new(&path).unwrap();
    assert!(path.is_file());
    assert_eq!(Claim::new(&path).unwrap_err().kind(), ErrorKind::Busy);
    drop(claim);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_error_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"").unwrap();
    let path = folder.path().join("file/inner.txt");
    let message = write(&path, |_| Ok(())).unwrap_err().to_string();
    assert!(message.contains("inner.txt"), "{message}");
}
