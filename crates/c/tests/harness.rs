//! Compiling and running programs in C and C++ against an installation of this build.

#![allow(dead_code, reason = "tests of more compilers and data use the rest")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Reports that the running test, or a part of it, is skipped. `.ci/test` counts the lines of the file.
pub fn skipped(reason: &str) {
    let test = std::thread::current().name().unwrap_or("?").to_string();
    let _ = std::io::stderr().write_all(format!("skipped: c::{test}: {reason}\n").as_bytes());
    if let Some(list) = std::env::var_os("FIRSTCONTACT_SKIPPED") {
        let mut list = OpenOptions::new().create(true).append(true).open(list).unwrap();
        list.write_all(format!("{reason}\tc::{test}\n").as_bytes()).unwrap();
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The folder with public data sets, or `None` and a line that says so.
pub fn data() -> Option<PathBuf> {
    let data = std::env::var_os("FIRSTCONTACT_DATA").map(PathBuf::from);
    if data.is_none() {
        skipped("FIRSTCONTACT_DATA is not set");
    }
    data
}

/// Returns whether campaigns run.
pub fn is_full() -> bool {
    std::env::var_os("FIRSTCONTACT_EFFORT").is_some_and(|effort| effort == "full")
}

/// The folder of the libraries that were built with this test.
fn built() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

/// The command-line program of this build, or `None` and a line that says so.
pub fn command_line() -> Option<PathBuf> {
    let program = built().parent().unwrap().join("firstcontact");
    let program = std::env::var_os("FIRSTCONTACT_PROGRAM").map_or(program, PathBuf::from);
    if !program.is_file() {
        skipped("the program firstcontact is not built");
        return None;
    }
    Some(program)
}

/// A prefix in which this build is installed.
pub fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("c-prefix");
        let _ = std::fs::remove_dir_all(&prefix);
        let mut install = Command::new(root().join("crates/c/install"));
        succeed(install.arg("--prefix").arg(&prefix).arg("--built").arg(built()));
        prefix
    })
}

/// Runs a command that must succeed.
#[track_caller]
pub fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let mut text = String::new();
    for bytes in [&output.stdout, &output.stderr] {
        let _ = write!(text, "{}", String::from_utf8_lossy(bytes));
    }
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    output
}

/// Returns whether there is a program of this name; reports the test as skipped otherwise.
pub fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        skipped(&format!("there is no {program}"));
    }
    found
}

/// A command with room on the stack for a library without optimisation, as tests in debug mode need it.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    if !cfg!(debug_assertions) {
        return Command::new(program);
    }
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -s unlimited; exec \"$0\" \"$@\""]).arg(program).env("RUST_MIN_STACK", "1073741824");
    command
}

/// The example of the repository: an arm and a table.
pub fn arm(file: &str) -> PathBuf {
    root().join("examples/arm").join(file)
}

/// A compiler.
#[derive(Clone, Copy, PartialEq)]
pub enum Language {
    C,
    Cpp,
}

impl Language {
    /// The compiler's name, if there is one.
    pub fn compiler(self) -> Option<String> {
        let (variable, usual) = if self == Self::C { ("CC", "cc") } else { ("CXX", "c++") };
        let compiler = std::env::var(variable).unwrap_or_else(|_| usual.into());
        has(&compiler).then_some(compiler)
    }
}

/// A program to be compiled.
pub struct Program {
    source: PathBuf,
    standard: Option<&'static str>,
    flags: Vec<String>,
    libraries: Vec<String>,
}

impl Program {
    /// A program of one file, relative to this package.
    pub fn new(source: &str) -> Self {
        let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(source);
        Self { source, standard: None, flags: Vec::new(), libraries: Vec::new() }
    }

    /// Sets the standard of the language; by default C11 and C++17.
    pub fn standard(self, standard: &'static str) -> Self {
        Self { standard: Some(standard), ..self }
    }

    /// Adds flags of the compiler.
    pub fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|flag| (*flag).to_string()));
        self
    }

    /// Adds arguments after the source, such as libraries.
    pub fn libraries(mut self, libraries: &[&str]) -> Self {
        self.libraries.extend(libraries.iter().map(|library| (*library).to_string()));
        self
    }

    fn language(&self) -> Language {
        if self.source.extension() == Some(OsStr::new("c")) { Language::C } else { Language::Cpp }
    }

    /// The compiled program, or `None` and a line if there is no compiler. Tests that need the same one share it.
    #[track_caller]
    pub fn compile(&self) -> Option<PathBuf> {
        static COMPILED: Mutex<BTreeMap<String, Arc<OnceLock<PathBuf>>>> = Mutex::new(BTreeMap::new());
        let compiler = self.language().compiler()?;
        let name = format!("{:?} {:?} {:?} {:?}", self.source, self.standard, self.flags, self.libraries);
        let (number, program) = {
            let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
            (compiled.len(), Arc::clone(compiled.entry(name).or_default()))
        };
        Some(program.get_or_init(|| self.compile_with(&compiler, number)).clone())
    }

    #[track_caller]
    fn compile_with(&self, compiler: &str, number: usize) -> PathBuf {
        let stem = self.source.file_stem().unwrap().to_string_lossy().into_owned();
        let program = prefix().join(format!("{stem}-{number}"));
        let usual = if self.language() == Language::C { "c11" } else { "c++17" };
        let library = prefix().join("lib");
        let mut command = Command::new(compiler);
        command.arg(format!("-std={}", self.standard.unwrap_or(usual)));
        command.args(["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-O1", "-g"]);
        command.args(&self.flags).arg("-I").arg(prefix().join("include")).arg(&self.source).arg("-o").arg(&program);
        command.arg("-L").arg(&library).arg(format!("-Wl,-rpath,{}", library.display()));
        command.arg("-lfirstcontact").args(&self.libraries);
        succeed(&mut command);
        program
    }

    /// Compiles the program and runs it with these arguments, in the root of the repository. Returns what it prints, or
    /// `None` and a line if there is no compiler.
    #[track_caller]
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Option<String> {
        Some(printed(command(self.compile()?).args(arguments).current_dir(root())))
    }
}

/// The standard output of a command, which must succeed.
#[track_caller]
pub fn printed(command: &mut Command) -> String {
    String::from_utf8(succeed(command).stdout).unwrap()
}

/// Returns whether the compiler for C++ has a sanitizer that works here; reports the test as skipped otherwise.
pub fn has_sanitizer(flag: &str) -> bool {
    let Some(compiler) = Language::Cpp.compiler() else { return false };
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("empty.cpp"), folder.path().join("empty"));
    std::fs::write(&source, "int main() { return 0; }\n").unwrap();
    let compiled = Command::new(compiler).arg(flag).arg(&source).arg("-o").arg(&program).output();
    let runs = |program: &Path| Command::new(program).output().is_ok_and(|output| output.status.success());
    let works = compiled.is_ok_and(|output| output.status.success()) && runs(&program);
    if !works {
        skipped(&format!("{flag} does not work"));
    }
    works
}

/// Flags of the compiler for a package of the system, whose headers may cause warnings; `None` and a line without it.
pub fn flags_of(package: &str) -> Option<Vec<String>> {
    if !has("pkg-config") {
        return None;
    }
    let output = Command::new("pkg-config").args(["--cflags", "--libs", package]).output().unwrap();
    if !output.status.success() {
        skipped(&format!("{package} is not installed"));
        return None;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    // Some packages name the standard that they were built with, and libraries that are not installed with them.
    let suits = |flag: &&str| !flag.starts_with("-std=") && (!flag.starts_with('/') || Path::new(flag).exists());
    let flags = text.split_whitespace().filter(suits);
    Some(flags.map(|flag| flag.replacen("-I", "-isystem", 1)).collect())
}
