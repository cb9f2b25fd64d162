//! The command as scripts and other programs see it: arguments, exit codes, and the files that it reads and writes.
//!
//! All tests run the built program. Expected values are derived by hand in the test or come from the oracles; none is
//! copied from the program's output.

mod acm;
mod audit;
mod backends;
mod bench;
mod broken;
#[cfg(unix)]
mod browser;
mod contacts;
mod diagnosis;
mod documents;
mod elementary;
mod folders;
mod full_disk;
mod gltf;
mod html;
mod info;
mod interleavings;
mod interrupt;
mod joints;
mod lines;
mod memory;
mod messages;
mod missing_joints;
mod motion_formats;
mod motions;
mod mutated;
mod options;
mod output;
mod overwrite;
mod packages;
mod random;
mod render;
mod report;
mod resume;
mod robots;
mod shards;
mod sizes;
mod solids;
mod srdf;
mod standard_input;
pub(crate) mod stats;
mod streams;
mod terminal;
mod tolerance;
mod track;
mod trajectory_views;
mod tree_cache;
mod writers;

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A directory for the files of one test; the program runs in it.
pub(crate) struct Desk(TempDir);

/// The result of one run of the program.
pub(crate) struct Run {
    /// The exit code; `None` if a signal ended the process.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A run of `check`.
pub(crate) struct Checked {
    pub(crate) run: Run,
    /// The text of the results file; empty if there is no file.
    pub(crate) text: String,
    /// The results, one per line of the file.
    pub(crate) lines: Vec<Value>,
    /// The statistics; null if there are none.
    pub(crate) stats: Value,
}

/// Start and end of a motion.
pub(crate) type Motion<'a> = [&'a [f64]; 2];

impl Desk {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn text(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The names of all files and folders below, in order.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.0.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                names.push(path.strip_prefix(self.0.path()).unwrap().display().to_string());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        names.sort();
        names
    }

    /// The program, set up to run in this directory, without the environment variables for packages, data, colours,
    /// back traces and displays.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_firstcontact"));
        command.args(arguments);
        self.isolate(&mut command);
        command
    }

    /// A line for the shell, set up like [`Desk::command`].
    #[cfg(unix)]
    fn shell(&self, line: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        self.isolate(&mut shell);
        shell
    }

    /// Runs a command in this directory, without the variables that would change what the program does or prints.
    fn isolate(&self, command: &mut Command) {
        command.current_dir(self.0.path()).stdin(Stdio::null());
        // Nothing is written to the user's own data directory.
        command.env("XDG_DATA_HOME", self.path("data"));
        for variable in ["ROS_PACKAGE_PATH", "RUST_BACKTRACE", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY"] {
            command.env_remove(variable);
        }
        command.env_remove("NO_COLOR").env_remove("CLICOLOR").env_remove("CLICOLOR_FORCE");
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().unwrap();
        Run::new(output)
    }

    /// Writes `scene` as an OBJ file unless a file of that name exists, and checks the motions.
    fn check(&self, robot: &str, scene: &str, motions: &[Motion], more: &[&str]) -> Checked {
        self.put("motions.npy", npy(motions));
        self.check_file(robot, scene, "motions.npy", more)
    }

    /// Like [`Self::check`], with motions from an existing file.
    fn check_file(&self, robot: &str, scene: &str, motions: &str, more: &[&str]) -> Checked {
        self.put("robot.urdf", robot);
        let scene = if self.path(scene).is_file() {
            scene
        } else {
            self.put("scene.obj", scene);
            "scene.obj"
        };
        self.check_paths(&["--robot", "robot.urdf", "--scene", scene, "--motions", motions], more)
    }

    /// Checks existing files, with results and statistics written here; on the CPU unless a backend is given.
    pub(crate) fn check_paths(&self, files: &[&str], more: &[&str]) -> Checked {
        let outputs = ["--out", "results.jsonl", "--stats", "stats.json"];
        let backend: &[&str] = if more.contains(&"--backend") { &[] } else { &["--backend", "cpu"] };
        let run = self.run(&[&["check"], files, &outputs, backend, more].concat());
        let read = |name: &str| std::fs::read_to_string(self.path(name)).unwrap_or_default();
        let (text, stats) = (read("results.jsonl"), read("stats.json"));
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Checked { run, text, lines, stats: serde_json::from_str(&stats).unwrap_or_default() }
    }
}

impl Run {
    fn new(output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The lines that begin with `error: `.
    pub(crate) fn errors(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("error: ")).collect()
    }

    /// The lines that begin with `warning: `.
    fn warnings(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("warning: ")).collect()
    }

    /// Expects this exit code and an empty standard error.
    #[track_caller]
    fn expect(&self, code: i32) -> &Self {
        assert_eq!((self.code, self.stderr.as_str()), (Some(code), ""));
        self
    }
}

impl Checked {
    /// Expects this exit code and an empty standard error.
    #[track_caller]
    fn expect(self, code: i32) -> Self {
        self.run.expect(code);
        self
    }

    /// The verdicts, in order.
    fn verdicts(&self) -> Vec<&str> {
        self.lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect()
    }

    /// The enclosure of the time of contact of motion `i`, which must be a contact.
    fn toc(&self, i: usize) -> [f64; 2] {
        toc(&self.lines[i])
    }

    /// Expects that motion `i` first touches at `t`, as computed by hand, and that the answer is certified to the
    /// default tolerance.
    #[track_caller]
    fn touches(&self, i: usize, t: f64) {
        let line = &self.lines[i];
        assert_eq!(line["verdict"], "contact", "{line}");
        let [lo, hi] = toc(line);
        // The expected time, and the numbers that define the motion, are rounded to about 1e-16.
        assert!(lo <= t + 1e-14 && hi >= t - 1e-14 && hi - lo <= 1e-9, "{t}: {line}");
        assert!(line["proved"] == true && line["certified"] == true && line["initial_overlap"] == false, "{line}");
    }
}

/// The enclosure of the time of contact in a line of results.
fn toc(line: &Value) -> [f64; 2] {
    let ends = numbers(&line["toc"]);
    [ends[0], ends[1]]
}

/// A list of numbers.
#[track_caller]
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    list.iter().map(|x| x.as_f64().unwrap_or_else(|| panic!("no number: {value}"))).collect()
}

/// Expects a list of numbers that equals `expected` to within `tolerance` each.
#[track_caller]
fn near(value: &Value, expected: [f64; 3], tolerance: f64) {
    let found = numbers(value);
    let is_near = found.len() == 3 && found.iter().zip(expected).all(|(x, y)| (x - y).abs() <= tolerance);
    assert!(is_near, "{found:?} is not {expected:?}");
}

/// Motions as an array of shape `(Q, 2, D)`; without motions, D is 1.
pub(crate) fn npy(motions: &[Motion]) -> Vec<u8> {
    let values: Vec<f64> = motions.iter().flatten().flat_map(|q| q.iter().copied()).collect();
    let n_columns = motions.first().map_or(1, |m| m[0].len());
    crate::inputs::samples::npy("'<f8'", &format!("({}, 2, {n_columns})", motions.len()), &values)
}

/// A link with one collision shape.
fn link(name: &str, geometry: &str) -> String {
    format!("<link name=\"{name}\"><collision><geometry>{geometry}</geometry></collision></link>")
}

/// A joint without limits.
fn joint(name: &str, kind: &str, parent: &str, child: &str, axis: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <axis xyz=\"{axis}\"/></joint>"
    )
}

/// A robot made of these elements.
fn robot(elements: &[&str]) -> String {
    format!("<robot name=\"r\">{}</robot>", elements.concat())
}

/// A cube of side 0.2 m, centred at its origin.
pub(crate) const CUBE: &str = "<box size=\"0.2 0.2 0.2\"/>";

/// A robot whose only shape slides along x from the world's origin by `q` metres; its link is called `slider`.
pub(crate) fn slider(geometry: &str) -> String {
    robot(&["<link name=\"rail\"/>", &link("slider", geometry), &joint("x", "prismatic", "rail", "slider", "1 0 0")])
}

/// An OBJ file of objects of one large triangle each, in planes perpendicular to x.
pub(crate) fn walls(named: &[(&str, f64)]) -> String {
    let wall = |(i, (name, x)): (usize, &(&str, f64))| {
        let [a, b, c] = [3 * i + 1, 3 * i + 2, 3 * i + 3];
        format!("o {name}\nv {x} -7 -5\nv {x} 7 -5\nv {x} 0 9\nf {a} {b} {c}\n")
    };
    named.iter().enumerate().map(wall).collect()
}

/// The OBJ file of one mesh without a name, with faces counted from 1.
fn obj(vertices: &[[f64; 3]], faces: &[[usize; 3]]) -> String {
    let vertices: String = vertices.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let faces: String = faces.iter().map(|[a, b, c]| format!("f {a} {b} {c}\n")).collect();
    vertices + &faces
}
