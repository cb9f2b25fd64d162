//! Installed files: libraries, headers, the CMake package and the pkg-config file.

use crate::harness::{Language, has, prefix, printed, root, succeed};
use std::path::PathBuf;
use std::process::Command;

/// A project of others: programs in C and C++, linked with the shared and with the static library.
#[test]
fn cmake_finds_the_package() {
    if !has("cmake") || Language::C.compiler().is_none() || Language::Cpp.compiler().is_none() {
        return;
    }
    let build = tempfile::tempdir().unwrap();
    let project = root().join("crates/c/tests/project");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(project).arg("-B").arg(build.path()).arg("-DCMAKE_BUILD_TYPE=Release");
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display()));
    configure.arg(format!("-DEXAMPLES={}", root().join("crates/c/examples").display()));
    succeed(&mut configure);
    succeed(Command::new("cmake").arg("--build").arg(build.path()));
    let outputs = ["c_shared", "cpp_shared", "c_static", "cpp_static"]
        .map(|program| printed(Command::new(build.path().join(program)).arg("examples/arm").current_dir(root())));
    assert!(outputs[0].ends_with("yes\n") && outputs.iter().all(|output| *output == outputs[0]), "{outputs:?}");
}

/// Requests of other versions are refused by CMake.
#[test]
fn cmake_refuses_other_versions() {
    if !has("cmake") {
        return;
    }
    let finds = |version: &str| {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "cmake_minimum_required(VERSION 3.16)\nproject(p NONE)\nset(CMAKE_SIZEOF_VOID_P 8)\n\
             find_package(firstcontact {version} REQUIRED)\n"
        );
        std::fs::write(folder.path().join("CMakeLists.txt"), text).unwrap();
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(folder.path()).arg("-B").arg(folder.path().join("build"));
        cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display()));
        cmake.output().unwrap().status.success()
    };
    let own: Vec<u32> = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap()).collect();
    let [major, minor, _] = own[..] else { panic!() };
    assert!(finds("") && finds(&format!("{major}.{minor}")) && finds(env!("CARGO_PKG_VERSION")));
    assert!(finds(&format!("{} EXACT", env!("CARGO_PKG_VERSION"))));
    for other in [format!("{}", major + 1), format!("{major}.{}", minor + 1), format!("{major}.{minor}.999")] {
        assert!(!finds(&other), "{other}");
    }
}

#[test]
fn pkg_config_finds_the_library() {
    if !has("pkg-config") {
        return;
    }
    let Some(compiler) = Language::C.compiler() else { return };
    let ask = |arguments: &[&str]| -> Vec<String> {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig")).args(arguments).arg("firstcontact");
        printed(&mut command).split_whitespace().map(String::from).collect()
    };
    assert_eq!(ask(&["--modversion"]), [env!("CARGO_PKG_VERSION")]);
    let folder = tempfile::tempdir().unwrap();
    let source = root().join("crates/c/examples/first_check.c");
    for (name, flags) in [("shared", ask(&["--cflags", "--libs"])), ("static", static_flags(&ask))] {
        let program = folder.path().join(name);
        succeed(Command::new(&compiler).arg(&source).args(flags).arg("-o").arg(&program));
        let mut run = Command::new(program);
        run.env("LD_LIBRARY_PATH", prefix().join("lib")).arg("examples/arm").current_dir(root());
        assert!(printed(&mut run).ends_with("yes\n"));
    }
}

/// The flags for the static library: the file itself instead of its name, of which linkers prefer the shared one.
fn static_flags(ask: &dyn Fn(&[&str]) -> Vec<String>) -> Vec<String> {
    let library = prefix().join("lib/libfirstcontact.a").display().to_string();
    let flags = ask(&["--cflags", "--libs", "--static"]);
    flags.into_iter().map(|flag| if flag == "-lfirstcontact" { library.clone() } else { flag }).collect()
}

/// The script installs below DESTDIR, into other folders for libraries, and reports what is wrong.
#[test]
fn the_script_installs_anywhere() {
    let script = root().join("crates/c/install");
    let built: PathBuf = std::env::current_exe().unwrap().parent().unwrap().into();
    let folder = tempfile::tempdir().unwrap();
    let mut install = Command::new(&script);
    install.env("DESTDIR", folder.path()).args(["--prefix", "/opt/fc", "--libdir", "lib/x86_64-linux-gnu"]);
    succeed(install.arg("--built").arg(&built));
    let to = folder.path().join("opt/fc");
    let files = [
        "include/firstcontact.h",
        "include/firstcontact.hpp",
        "include/firstcontact/engine.hpp",
        "include/firstcontact_ompl.hpp",
        "lib/x86_64-linux-gnu/libfirstcontact.a",
        "lib/x86_64-linux-gnu/cmake/firstcontact/firstcontact-config.cmake",
    ];
    for file in files {
        assert!(to.join(file).is_file(), "{file}");
    }
    let package = std::fs::read_to_string(to.join("lib/x86_64-linux-gnu/pkgconfig/firstcontact.pc")).unwrap();
    assert!(package.contains("prefix=/opt/fc\nlibdir=${prefix}/lib/x86_64-linux-gnu\n"), "{package}");
    for wrong in [&["--prefix"][..], &["--nose"], &["--built", "/nowhere"]] {
        let output = Command::new(&script).env("DESTDIR", folder.path()).args(wrong).output().unwrap();
        assert!(!output.status.success() && !output.stderr.is_empty(), "{wrong:?}");
    }
}
