//! The commands of README.md and of the guide, run as a reader would run them: those of a document one after the other
//! in one folder.
#![cfg(unix)]

use super::Desk;
use std::path::Path;

/// The commands of all fences of a document that are marked `sh`. A command ends with its line, or continues in the
/// next one after a `\`.
fn commands(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut within, mut continues) = (None, false);
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            within = if within.is_some() { None } else { Some(language) };
        } else if within == Some("sh") && !line.trim().is_empty() {
            match lines.last_mut() {
                Some(command) if continues => *command += line,
                _ => lines.push(line.to_string()),
            }
            continues = line.ends_with('\\');
            if continues {
                lines.last_mut().map(String::pop);
            }
        }
    }
    lines
}

/// Commands about the sources, not about the program.
fn is_of_the_sources(command: &str) -> bool {
    ["cargo ", ".ci/", "git "].iter().any(|prefix| command.starts_with(prefix))
}

/// Runs the commands of a document. Returns their number.
fn run(document: &Path) -> usize {
    let text = std::fs::read_to_string(document).unwrap();
    let desk = Desk::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_firstcontact")).parent().unwrap().to_str().unwrap().to_string();
    let path = folder + ":" + &std::env::var("PATH").unwrap_or_default();
    let commands: Vec<String> = commands(&text).into_iter().filter(|line| !is_of_the_sources(line)).collect();
    for command in &commands {
        let mut shell = desk.shell(command);
        let output = shell.env("PATH", &path).output().unwrap();
        let code = output.status.code().unwrap_or(-1);
        let answers = ["firstcontact check", "firstcontact audit"].iter().any(|name| command.contains(name));
        let expected = if answers { 0..3 } else { 0..1 };
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(expected.contains(&code), "{}: {command}: {code}: {stderr}", document.display());
    }
    commands.len()
}

#[test]
fn the_commands_of_the_documents_work() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut documents = vec![root.join("README.md")];
    documents.extend(std::fs::read_dir(root.join("doc/guide")).unwrap().map(|entry| entry.unwrap().path()));
    documents.retain(|path| path.extension().is_some_and(|e| e == "md"));
    let n: usize = documents.iter().map(|document| run(document)).sum();
    assert!(n > 30, "{n} commands");
}

#[test]
fn fences_are_found() {
    let text = "a\n```sh\nls\n\ncat \\\n  x \\\n  y\n```\n```text\nno\n```\n```sh\npwd\n```\n";
    assert_eq!(commands(text), ["ls", "cat   x   y", "pwd"]);
}
