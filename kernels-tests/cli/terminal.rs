//! Amount, destination and colours of the command's output; help, completions and manual pages.

use super::{CUBE, Desk, Motion, Run, slider, walls};
use serde_json::Value;

/// A folder with three motions, two of which touch, and one value beyond a limit.
fn desk() -> Desk {
    let desk = Desk::new();
    let motions: &[Motion] = &[[&[0.0], &[3.6]], [&[0.0], &[0.5]], [&[0.0], &[4.5]]];
    desk.put("robot.urdf", slider(CUBE).replace("</joint>", "<limit lower=\"-1\" upper=\"4\"/></joint>"));
    desk.put("scene.obj", walls(&[("wall", 1.0)])).put("motions.npy", super::npy(motions));
    desk
}

const CHECK: [&str; 11] = [
    "check",
    "--backend",
    "cpu",
    "--robot",
    "robot.urdf",
    "--scene",
    "scene.obj",
    "--motions",
    "motions.npy",
    "--out",
    "results.jsonl",
];

fn check(desk: &Desk, more: &[&str]) -> Run {
    let run = desk.run(&[&CHECK[..], more].concat());
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(desk.text("results.jsonl").lines().count(), 3);
    run
}

#[test]
fn quiet_prints_warnings_and_errors_alone() {
    let desk = desk();
    let usual = check(&desk, &[]);
    assert!(usual.stdout.starts_with("3 motions: 1 free, 2 contact"), "{}", usual.stdout);
    assert_eq!(usual.warnings().len(), 1);
    let quiet = check(&desk, &["--quiet"]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr), ("", usual.stderr));
    // The option may precede the command, too. Errors are still printed.
    let before = desk.run(&[&["--quiet"], &CHECK[..]].concat());
    assert_eq!((before.code, before.stdout.as_str()), (Some(1), ""));
    let error = desk.run(&[&CHECK[..], &["--quiet", "--allow", "missing"]].concat());
    assert_eq!((error.code, error.errors().len()), (Some(3), 1), "{}", error.stderr);
    // The requested output of a command is not a summary.
    assert!(desk.run(&["info", "--quiet", "--robot", "robot.urdf"]).stdout.contains("columns of a motion: 1"));
    assert!(desk.run(&["dataset", "list", "--quiet"]).stdout.contains("pipes"));
}

#[test]
fn the_json_option_prints_the_statistics_file() {
    let desk = desk();
    for more in [&["--json"][..], &["--json", "--quiet"]] {
        let run = check(&desk, &[more, &["--stats", "stats.json"]].concat());
        assert_eq!(run.stdout, desk.text("stats.json"), "{more:?}");
        let stats: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&stats["motions"], &stats["free"], &stats["contact"]), (&3.into(), &1.into(), &2.into()));
        assert!(stats["diagnosis"].is_object() && run.warnings().len() == 1, "{stats} {}", run.stderr);
    }
    // The same without --stats, but no file.
    std::fs::remove_file(desk.path("stats.json")).unwrap();
    let stats: Value = serde_json::from_str(&check(&desk, &["--json"]).stdout).unwrap();
    assert!(stats["stages"].is_array() && !desk.path("stats.json").exists());
    // Two outputs on one stream are an error.
    let both = desk.run(&[&CHECK[..10], &["-", "--json"]].concat());
    assert_eq!((both.code, both.errors().len(), both.stdout.as_str()), (Some(3), 1, ""), "{}", both.stderr);
    assert!(both.errors()[0].contains("--json") && both.errors()[0].contains("--out -"), "{}", both.stderr);
    // An error leaves no JSON.
    let error = desk.run(&[&CHECK[..], &["--json", "--allow", "missing"]].concat());
    assert_eq!((error.code, error.stdout.as_str()), (Some(3), ""), "{}", error.stderr);
}

#[test]
fn progress_is_reported_as_lines_of_json() {
    let desk = desk();
    for more in [&["--progress", "json"][..], &["--progress=json", "--quiet"]] {
        let run = check(&desk, more);
        let lines: Vec<Value> =
            run.stderr.lines().filter(|l| l.starts_with('{')).map(|l| serde_json::from_str(l).unwrap()).collect();
        assert!(!lines.is_empty(), "{}", run.stderr);
        let done = |line: &Value| line["done"].as_u64().unwrap();
        assert!(lines.windows(2).all(|pair| done(&pair[0]) <= done(&pair[1])), "{lines:?}");
        for line in &lines {
            assert_eq!(
                (&line["phase"], &line["unit"], &line["total"]),
                (&"checking".into(), &"motions".into(), &3.into())
            );
            assert!(line["rate"].as_f64() >= Some(0.0), "{line}");
        }
        let last = lines.last().unwrap();
        assert!(done(last) == 3 && last["rate"].as_f64() > Some(0.0), "{last}");
    }
    // There is no terminal here: no bar, no control characters.
    for more in [&[][..], &["--progress", "auto"], &["--progress", "never"]] {
        let run = check(&desk, more);
        assert_eq!(run.stderr.lines().count(), run.warnings().len(), "{more:?}: {}", run.stderr);
    }
}

#[test]
fn colours_are_used_if_asked_for() {
    let desk = desk();
    let escapes = |arguments: &[&str], environment: &[(&str, &str)]| {
        let run = Run::new(desk.command(arguments).envs(environment.iter().copied()).output().unwrap());
        assert_eq!(run.code, Some(3), "{}", run.stderr);
        run.stderr.contains('\u{1b}')
    };
    let missing = [&CHECK[..], &["--allow", "missing"]].concat();
    for (color, environment, expected) in [
        // A pipe is not a terminal.
        (&[][..], &[][..], false),
        (&["--color", "auto"], &[], false),
        (&["--color", "always"], &[], true),
        (&["--color", "always"], &[("NO_COLOR", "1")], true),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
        (&[], &[("CLICOLOR_FORCE", "1")], true),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
    ] {
        // An error of the engine, and arguments that do not parse.
        for arguments in [&missing[..], &["check", "--nonsense"]] {
            let found = escapes(&[arguments, color].concat(), environment);
            assert_eq!(found, expected, "{arguments:?} {color:?} {environment:?}");
        }
    }
    assert_eq!(desk.run(&["--color", "blue", "info"]).code, Some(3));
}

/// The options of a help text under their headings, in order.
fn sections(help: &str) -> Vec<(String, Vec<String>)> {
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for line in help.lines() {
        if !line.starts_with(' ') && line.ends_with(':') {
            sections.push((line.trim_end_matches(':').to_string(), Vec::new()));
        }
        let words = line.split_whitespace().find(|w| w.starts_with("--"));
        if let (Some(option), Some((_, options)), true) = (words, sections.last_mut(), line.starts_with("  ")) {
            let indent = line.len() - line.trim_start().len();
            // Further text is indented more.
            if indent <= 6 {
                options.push(option.trim_matches(|c: char| c != '-' && !c.is_alphanumeric()).to_string());
            }
        }
    }
    sections
}

#[test]
fn help_begins_with_the_files_and_ends_with_research() {
    for help in ["-h", "--help"] {
        let run = Desk::new().run(&["check", help]);
        run.expect(0);
        let sections = sections(&run.stdout);
        let (title, first) = &sections[0];
        assert_eq!(title, "Options", "{}", run.stdout);
        assert_eq!(first[..4], ["--robot", "--scene", "--motions", "--out"], "{}", run.stdout);
        let (title, last) = sections.last().unwrap();
        assert_eq!(title, "Research");
        for option in ["--reference", "--bound", "--sweep", "--stages", "--pairs", "--obb-triangles", "--solver"] {
            assert!(last.contains(&option.to_string()), "{option}: {last:?}");
            assert!(sections[..sections.len() - 1].iter().all(|(_, s)| !s.contains(&option.to_string())));
        }
        let all: Vec<&String> = sections.iter().flat_map(|(_, options)| options).collect();
        for option in ["--quiet", "--progress", "--color", "--json", "--margin", "--memory", "--backend"] {
            assert!(all.iter().any(|o| *o == option), "{option}: {all:?}");
        }
        // Only the long help states how often progress is reported.
        let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words.contains("10 times a second") && words.contains("4 lines a second"), help == "--help");
    }
    // Global options are available for every command.
    for command in [&["info"][..], &["dataset", "make"], &["bench", "paper"], &["track"], &["verify"]] {
        let run = Desk::new().run(&[command, &["--help"]].concat());
        assert!(["--quiet", "--progress", "--color"].iter().all(|o| run.stdout.contains(o)), "{command:?}");
    }
}

#[test]
fn completions_are_printed_for_each_shell() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = desk.run(&["completions", shell]);
        run.expect(0);
        for word in ["firstcontact", "check", "margin", "tolerance", "completions"] {
            assert!(run.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(desk.run(&["completions", "cmd"]).code, Some(3));
    assert_eq!(desk.run(&["completions"]).code, Some(3));
}

#[test]
fn manual_pages_are_written_for_each_command() {
    let desk = Desk::new();
    let run = desk.run(&["man"]);
    run.expect(0);
    assert!(run.stdout.contains(".TH firstcontact 1") && desk.names().is_empty(), "{}", run.stdout);
    desk.run(&["man", "--out", "pages"]).expect(0);
    let help = desk.run(&["--help"]).stdout;
    let commands = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| l.starts_with("  "));
    let commands: Vec<&str> = commands
        .filter(|l| !l.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|c| *c != "help")
        .collect();
    assert!(commands.contains(&"check") && commands.contains(&"man"), "{help}");
    for command in
        commands.iter().map(|c| format!("-{c}")).chain(["".into(), "-dataset-make".into(), "-bench-peers".into()])
    {
        let page = desk.text(&format!("pages/firstcontact{command}.1"));
        assert!(page.contains(&format!(".TH firstcontact{command} 1")), "{page}");
        assert!(page.contains("\\-\\-quiet"), "{page}");
        // The pages do not depend on where they are generated.
        assert!(!page.contains(desk.0.path().to_str().unwrap()), "{page}");
    }
    assert!(desk.text("pages/firstcontact-check.1").contains(".SH RESEARCH"));
    assert!(!desk.names().iter().any(|n| n.contains("help") || n.ends_with(".part")), "{:?}", desk.names());
}
