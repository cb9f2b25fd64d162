//! Gives the shared library the name under which programs look for it: versions that differ in the second number while
//! the first one is 0, or in the first number, are different interfaces. The library is never unloaded, not even by
//! `dlclose`: its threads would run on in memory that is gone.

use std::env::var;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let part = |name: &str| var(format!("CARGO_PKG_VERSION_{name}")).unwrap_or_default();
    let major = part("MAJOR");
    let interface = if major == "0" { format!("0.{}", part("MINOR")) } else { major };
    match var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("windows") => {}
        Ok("macos") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libfirstcontact.{interface}.dylib");
        }
        _ => println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libfirstcontact.so.{interface},-z,nodelete"),
    }
}
