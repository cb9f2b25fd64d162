//! Build information for the program: the commit of the sources and the version of the compiler.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = std::env::var("RUSTC").ok().and_then(|rustc| said(&rustc, &["--version"]));
    println!("cargo:rustc-env=FIRSTCONTACT_RUSTC={}", rustc.unwrap_or_else(|| "rustc".into()));
    println!("cargo:rustc-env=FIRSTCONTACT_COMMIT={}", commit().unwrap_or_default());
    println!("cargo:rerun-if-env-changed=CARGO_INCREMENTAL");
    let incremental = std::env::var("CARGO_INCREMENTAL").unwrap_or_default();
    println!("cargo:rustc-env=FIRSTCONTACT_INCREMENTAL={incremental}");
}

/// The commit, if these sources are a repository of their own, not a copy inside another one.
fn commit() -> Option<String> {
    let top = said("git", &["rev-parse", "--show-toplevel"])?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let same = Path::new(&top).canonicalize().ok()? == root.canonicalize().ok()?;
    // This log grows with each commit and each change of branch.
    if let Some(log) = said("git", &["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists()) {
        println!("cargo:rerun-if-changed={log}");
    }
    same.then(|| said("git", &["rev-parse", "HEAD"])).flatten()
}

/// The output of a command, if it exists and succeeds.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string()).filter(|text| !text.is_empty())
}
