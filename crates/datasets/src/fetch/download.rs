//! Downloads of one file from its source: a mirror, a web address, or an index of Python packages.

use crate::manifest::{Download, FetchSet};
use firstcontact::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The default package index.
const PACKAGE_INDEX: &str = "https://pypi.org/simple";

/// Maximum size of an index page, bytes.
const MAX_OF_A_PAGE: u64 = 64 << 20;

/// Sources of downloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// A folder, or a prefix of web addresses, with the same downloads. If it is given, no other source is used.
    pub mirror: Option<String>,
    /// An index of Python packages, in the form that pip uses.
    pub package_index: String,
}

impl Default for Sources {
    fn default() -> Self {
        Self { mirror: None, package_index: PACKAGE_INDEX.into() }
    }
}

impl Sources {
    /// The sources from the environment: `FIRSTCONTACT_MIRROR`, and `PIP_INDEX_URL` as for pip.
    pub fn from_environment() -> Self {
        let var = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
        let index = var("PIP_INDEX_URL").unwrap_or_else(|| PACKAGE_INDEX.into());
        Self { mirror: var("FIRSTCONTACT_MIRROR"), package_index: index.trim_end_matches('/').to_string() }
    }

    /// Downloads a file into `to` and verifies it; `progress` receives the number of bytes as they arrive.
    ///
    /// # Errors
    /// The file is not available (the message lists the attempts and the remedy), or its content is not the expected
    /// one.
    pub(super) fn get(&self, set: &FetchSet, file: &Download, to: &Path, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let mut tried = Vec::new();
        for place in self.places(set, file, &mut tried) {
            let copied = match &place {
                Place::File(path) => open_file(path).and_then(|from| save(from, file, to, progress)),
                Place::Web(address) => open_web(address).and_then(|from| save(from, file, to, progress)),
            };
            match copied {
                Ok(()) => return Ok(()),
                Err(Failed::Missing(why)) => tried.push(format!("{place}: {why}")),
                // The content differs from the requested file: no other source may silently replace it.
                Err(Failed::Wrong(why)) => {
                    return Err(Error::input(why).in_file(place.to_string()).remedy(
                        "the source has changed or the transfer was disturbed: nothing was installed; try again or \
                         another mirror",
                    ));
                }
            }
        }
        let what = format!("cannot get {} of {}: tried {}", file.file, set.name, tried.join("; "));
        let remedy = match (&self.mirror, &set.note) {
            (Some(_), _) => {
                "FIRSTCONTACT_MIRROR is set, so no other source is used: unset it, or put the file there".into()
            }
            (None, Some(note)) => note.clone(),
            (None, None) => format!(
                "without a network set FIRSTCONTACT_MIRROR to a folder with {}/{}, from {}",
                set.name, file.file, set.source
            ),
        };
        Err(Error::input(what).remedy(remedy))
    }

    fn places(&self, set: &FetchSet, file: &Download, tried: &mut Vec<String>) -> Vec<Place> {
        if let Some(mirror) = &self.mirror {
            // Archives that several sets share may be next to the sets' folders.
            let names = [format!("{}/{}", set.name, file.file), file.file.clone()];
            return if is_web(mirror) {
                names.map(|n| Place::Web(format!("{}/{n}", mirror.trim_end_matches('/')))).into()
            } else {
                names.map(|n| Place::File(Path::new(mirror).join(n))).into()
            };
        }
        if let Some(package) = &file.package {
            return match self.in_index(package, &file.file) {
                Ok(address) => vec![Place::Web(address)],
                Err(why) => {
                    tried.push(why);
                    Vec::new()
                }
            };
        }
        let at = file.at.as_ref().unwrap_or(&file.file);
        match &set.base {
            Some(base) => vec![Place::Web(format!("{base}{at}"))],
            None => {
                tried.push("its address is not known".into());
                Vec::new()
            }
        }
    }

    /// The address of a file in the package index.
    fn in_index(&self, package: &str, file: &str) -> std::result::Result<String, String> {
        let page = format!("{}/{package}/", self.package_index);
        let mut text = String::new();
        let read = open_web(&page).and_then(|from| {
            from.take(MAX_OF_A_PAGE).read_to_string(&mut text).map_err(|e| Failed::Missing(e.to_string()))
        });
        match read {
            Ok(_) => {}
            Err(Failed::Missing(why) | Failed::Wrong(why)) => return Err(format!("{page}: {why}")),
        }
        link_to(&text, file).map(|href| resolve(&page, href)).ok_or_else(|| format!("{page}: it does not list {file}"))
    }
}

enum Place {
    File(PathBuf),
    Web(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Web(address) => f.write_str(&without_password(address)),
        }
    }
}

/// Removes the user name and password, which the addresses of indices may contain, from an address in a message.
fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_string() };
    let host = rest.split('/').next().unwrap_or_default();
    match host.rsplit_once('@') {
        Some((secret, _)) => format!("{scheme}://{}", &rest[secret.len() + 1..]),
        None => address.to_string(),
    }
}

enum Failed {
    /// The file is not available there.
    Missing(String),
    /// The content differs from the requested file.
    Wrong(String),
}

pub(super) fn is_web(address: &str) -> bool {
    address.starts_with("http://") || address.starts_with("https://")
}

fn open_file(path: &Path) -> std::result::Result<Box<dyn Read>, Failed> {
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|m| m.is_file()) => Ok(Box::new(file)),
        Ok(_) => Err(Failed::Missing("it is not a file".into())),
        Err(e) => Err(Failed::Missing(e.to_string())),
    }
}

fn open_web(address: &str) -> std::result::Result<Box<dyn Read>, Failed> {
    use ureq::tls::{RootCerts, TlsConfig};
    // The system's certificates, since many networks have their own.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .tls_config(tls)
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .user_agent(concat!("firstcontact/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    match agent.get(address).call() {
        Ok(response) => Ok(Box::new(response.into_body().into_reader())),
        Err(ureq::Error::StatusCode(code)) => Err(Failed::Missing(format!("the server answers {code}"))),
        Err(e) => Err(Failed::Missing(e.to_string())),
    }
}

/// Copies a stream to a file and compares its length and hash.
fn save(
    mut from: Box<dyn Read>,
    file: &Download,
    to: &Path,
    progress: &mut dyn FnMut(u64),
) -> std::result::Result<(), Failed> {
    let broken = |e: io::Error| Failed::Missing(e.to_string());
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(broken)?;
    }
    let mut out = File::create(to).map_err(broken)?;
    let (mut hash, mut length, mut buffer) = (Sha256::new(), 0u64, vec![0; 1 << 16]);
    loop {
        let n = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(broken(e)),
        };
        length += n as u64;
        if length > file.size {
            return Err(Failed::Wrong(format!("it is longer than the {} bytes it should have", file.size)));
        }
        hash.update(&buffer[..n]);
        out.write_all(&buffer[..n]).map_err(broken)?;
        progress(n as u64);
    }
    if length != file.size {
        return Err(Failed::Wrong(format!("it has {length} bytes where it should have {}", file.size)));
    }
    let found: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    if !found.eq_ignore_ascii_case(&file.sha256) {
        return Err(Failed::Wrong(format!("its SHA-256 is {found}, not {}", file.sha256)));
    }
    Ok(())
}

/// The link on a page whose last component is `file`.
fn link_to<'a>(page: &'a str, file: &str) -> Option<&'a str> {
    let links = page.split("href=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|c| "\"'".contains(*c))?;
        rest[1..].split(quote).next()
    });
    let whole = links.map(|link| link.split(['#', '?']).next().unwrap_or_default());
    whole.filter(|link| link.rsplit('/').next() == Some(file)).last()
}

/// The absolute address of a link on a page.
fn resolve(page: &str, link: &str) -> String {
    if is_web(link) {
        return link.to_string();
    }
    let (scheme, rest) = page.split_once("://").unwrap_or(("https", page));
    if let Some(other) = link.strip_prefix("//") {
        return format!("{scheme}://{other}");
    }
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut parts: Vec<&str> = match link.starts_with('/') {
        true => Vec::new(),
        // The last component of the page's path is a name, or empty after a slash.
        false => path.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect()),
    };
    for part in link.trim_start_matches('/').split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    format!("{scheme}://{host}/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_and_resolved() {
        let page = r#"<a href="x/other-1.whl">o</a> <a class='c' href='../../p/a-1.whl#sha256=0' data-x="1">a</a>
            <a href="../not-a-1.whl">n</a>"#;
        let link = link_to(page, "a-1.whl").unwrap();
        assert_eq!(link, "../../p/a-1.whl");
        assert_eq!(resolve("https://h.org/x/simple/a/", link), "https://h.org/x/p/a-1.whl");
        assert_eq!(link_to(page, "b.whl"), None);
        for (link, expected) in [
            ("https://f.org/a", "https://f.org/a"),
            ("//f.org/a", "https://f.org/a"),
            ("/a/b", "https://h.org/a/b"),
            ("a", "https://h.org/x/simple/a/a"),
            ("../../../../../a", "https://h.org/a"),
        ] {
            assert_eq!(resolve("https://h.org/x/simple/a/", link), expected);
        }
    }

    #[test]
    fn no_password_is_shown() {
        assert_eq!(without_password("https://me:secret@h.org/simple/a@b"), "https://h.org/simple/a@b");
        assert_eq!(without_password("https://h.org/simple/a@b"), "https://h.org/simple/a@b");
        assert_eq!(without_password("folder"), "folder");
    }
}
