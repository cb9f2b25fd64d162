//! Fetching from folders and from a small server on this machine: nothing here uses a network.

use super::archives::tar_of;
use firstcontact_datasets::fetch::unpack::Limits;
use firstcontact_datasets::fetch::{MARK, Sources, Step, fetch, is_fetched};
use firstcontact_datasets::manifest::Manifest;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

const BYTES: &[u8] = b"solid x\nendsolid x\n";

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// A manifest of one set: a file from below `base`, and an archive of a package.
fn manifest(base: &str, archive: &[u8]) -> Manifest {
    let text = format!(
        "[[set]]\nname='robot'\nabout='a'\nversion='1'\nlicence='MIT'\nsource='https://example.org'\n\
         base='{base}'\ndownload=[\n\
         {{ file='meshes/x.stl', at='deep/x.stl', sha256='{}', size={} }},\n\
         {{ file='p-1.tar', package='p', sha256='{}', size={}, take=[['p-1/', 'more/']] }}]\n",
        sha256(BYTES),
        BYTES.len(),
        sha256(archive),
        archive.len()
    );
    Manifest::parse(&text).unwrap()
}

fn archive() -> Vec<u8> {
    tar_of(&[("p-1/y.stl", tar::EntryType::Regular, "", b"y")])
}

/// Answers each path with its entry in `pages`, or with 404. Returns the address, and the requested paths.
fn serve(pages: Vec<(&'static str, Vec<u8>)>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let path = first.split(' ').nth(1).unwrap_or_default().to_string();
            let page = pages.iter().find(|(p, _)| *p == path).map(|(_, bytes)| bytes.as_slice());
            let status = if page.is_some() { "200 OK" } else { "404 Not Found" };
            let body = page.unwrap_or_default();
            log.lock().unwrap().push(path);
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        }
    });
    (address, asked)
}

fn get(manifest: &Manifest, sources: &Sources, folder: &Path) -> Result<(), String> {
    let set = manifest.set("robot").unwrap();
    let fetched = fetch(&[set], folder, sources, &Limits::default(), &mut |_| ());
    // Whatever the outcome, no temporary files are left.
    let names: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().all(|n| n == "robot"), "{names:?}");
    assert_eq!(fetched.is_ok(), names.len() == 1);
    fetched.map(drop).map_err(|e| e.to_string())
}

/// Two processes that fetch one set: the second waits, and uses what the first one fetched.
#[test]
fn fetching_waits_for_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let manifest = manifest("https://example.org", &archive());
    let lock = std::fs::File::create(folder.join(".fetch.lock")).unwrap();
    lock.try_lock().unwrap();
    let mut lock = Some(lock);
    let mut waits = 0;
    let set = manifest.set("robot").unwrap();
    // The source does not exist: nothing is downloaded here.
    let sources = Sources { mirror: Some(folder.join("nowhere").display().to_string()), ..Sources::default() };
    let fetched = fetch(&[set], folder, &sources, &Limits::default(), &mut |step| {
        let Step::Wait { why } = step else { panic!("{step:?}") };
        assert!(why.contains(".fetch.lock"), "{why}");
        // Meanwhile the other process finishes.
        std::fs::create_dir(folder.join("robot")).unwrap();
        std::fs::write(folder.join("robot").join(MARK), "{\"version\": \"1\"}").unwrap();
        drop(lock.take());
        waits += 1;
    });
    assert_eq!((fetched.unwrap(), waits), (vec![folder.join("robot")], 1));
    assert!(!folder.join(".fetch.lock").exists());
    // A set that existed before is still an error.
    let again = fetch(&[set], folder, &sources, &Limits::default(), &mut |_| ());
    assert!(again.unwrap_err().to_string().contains("already"));
}

fn check_installed(manifest: &Manifest, folder: &Path) {
    let robot = folder.join("robot");
    assert_eq!(std::fs::read(robot.join("meshes/x.stl")).unwrap(), BYTES);
    assert_eq!(std::fs::read(robot.join("more/y.stl")).unwrap(), b"y");
    let mark: serde_json::Value = serde_json::from_slice(&std::fs::read(robot.join(MARK)).unwrap()).unwrap();
    assert_eq!((mark["licence"].as_str(), mark["version"].as_str()), (Some("MIT"), Some("1")));
    assert!(is_fetched(manifest.set("robot").unwrap(), folder));
}

#[test]
fn a_folder_serves_as_mirror() {
    let (mirror, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let manifest = manifest("http://127.0.0.1:9/", &archive());
    let sources = Sources { mirror: Some(mirror.path().display().to_string()), ..Sources::default() };
    let message = get(&manifest, &sources, out.path()).unwrap_err();
    assert!(message.contains("robot/meshes/x.stl") && message.contains("FIRSTCONTACT_MIRROR"), "{message}");
    std::fs::create_dir_all(mirror.path().join("robot/meshes")).unwrap();
    std::fs::write(mirror.path().join("robot/meshes/x.stl"), BYTES).unwrap();
    // Archives may be next to the sets.
    std::fs::write(mirror.path().join("p-1.tar"), archive()).unwrap();
    get(&manifest, &sources, out.path()).unwrap();
    check_installed(&manifest, out.path());
    let set = manifest.set("robot").unwrap();
    let again = fetch(&[set], out.path(), &sources, &Limits::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(again.contains("already"), "{again}");
}

#[test]
fn a_file_that_differs_from_the_manifest_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let manifest = manifest("http://127.0.0.1:9/", &archive());
    let mut same_length = BYTES.to_vec();
    same_length[0] ^= 1;
    for (bytes, words) in [
        (same_length, format!("not {}", sha256(BYTES))),
        ([BYTES, b"x"].concat(), format!("longer than the {} bytes", BYTES.len())),
        (BYTES[1..].to_vec(), format!("has {} bytes", BYTES.len() - 1)),
    ] {
        let mirror = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(mirror.path().join("robot/meshes")).unwrap();
        std::fs::write(mirror.path().join("robot/meshes/x.stl"), &bytes).unwrap();
        let sources = Sources { mirror: Some(mirror.path().display().to_string()), ..Sources::default() };
        let message = get(&manifest, &sources, out.path()).unwrap_err();
        assert!(message.contains(&words) && message.contains("nothing was installed"), "{message}");
    }
}

#[test]
fn a_server_serves_as_mirror_and_as_source() {
    let pages = vec![
        ("/m/robot/meshes/x.stl", BYTES.to_vec()),
        ("/m/p-1.tar", archive()),
        ("/files/deep/x.stl", BYTES.to_vec()),
        (
            "/simple/p/",
            b"<a href=\"../../hosted/p-0.tar\">0</a><a href=\"../../hosted/p-1.tar#sha256=00\">1</a>".to_vec(),
        ),
        ("/hosted/p-1.tar", archive()),
    ];
    let (address, asked) = serve(pages);
    let manifest = manifest(&format!("{address}/files/"), &archive());
    let out = tempfile::tempdir().unwrap();
    let sources = Sources { mirror: Some(format!("{address}/m/")), ..Sources::default() };
    get(&manifest, &sources, out.path()).unwrap();
    check_installed(&manifest, out.path());
    assert!(asked.lock().unwrap().iter().all(|path| path.starts_with("/m/")), "{asked:?}");

    let out = tempfile::tempdir().unwrap();
    let sources = Sources { mirror: None, package_index: format!("{address}/simple") };
    get(&manifest, &sources, out.path()).unwrap();
    check_installed(&manifest, out.path());
}

#[test]
fn a_missing_file_is_an_error_that_lists_all_sources() {
    let (address, _) = serve(Vec::new());
    let out = tempfile::tempdir().unwrap();
    let sources = Sources { mirror: None, package_index: format!("{address}/simple") };
    let message = get(&manifest(&format!("{address}/"), &archive()), &sources, out.path()).unwrap_err();
    for words in ["meshes/x.stl", &format!("{address}/deep/x.stl"), "404", "FIRSTCONTACT_MIRROR", "https://example.org"]
    {
        assert!(message.contains(words), "{words}: {message}");
    }
    // Nobody listens on a port that was just released: as without a network.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let message = get(&manifest(&format!("http://{gone}/"), &archive()), &sources, out.path()).unwrap_err();
    assert!(message.contains(&gone.to_string()) && message.contains("FIRSTCONTACT_MIRROR"), "{message}");
    // The index does not list the file.
    let (address, _) = serve(vec![("/deep/x.stl", BYTES.to_vec()), ("/simple/p/", b"<a href='p-2.tar'>".to_vec())]);
    let sources = Sources { mirror: None, package_index: format!("{address}/simple") };
    let message = get(&manifest(&format!("{address}/"), &archive()), &sources, out.path()).unwrap_err();
    assert!(message.contains("does not list p-1.tar"), "{message}");
}

/// Checks the manifest's hashes against the available files, which serve as the mirror.
#[test]
fn sets_of_single_files_are_taken_from_available_data() {
    let Some(data) = crate::oracle::data::folder("robot-puma560").and_then(|f| f.parent().map(Path::to_path_buf))
    else {
        return;
    };
    let manifest = Manifest::built_in().unwrap();
    let names = ["robot-puma560", "env-bookstore", "env-mbm-meshes", "mbm-problems"];
    let sets: Vec<_> = names.iter().map(|n| manifest.set(n).unwrap()).collect();
    let out = tempfile::tempdir().unwrap();
    let sources = Sources { mirror: Some(data.display().to_string()), ..Sources::default() };
    fetch(&sets, out.path(), &sources, &Limits::default(), &mut |_| ()).unwrap();
    for name in names {
        assert!(is_fetched(manifest.set(name).unwrap(), out.path()), "{name}");
    }
    assert!(out.path().join("env-bookstore/meshes/aws_BookD_01_visual.stl").is_file());
}
