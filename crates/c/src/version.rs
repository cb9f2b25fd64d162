//! Versions of the interface.

/// Major version of this header; the interface follows semantic versioning.
pub const FC_VERSION_MAJOR: u32 = 0;
/// Minor version: while the major version is 0, a new minor version may break programs.
pub const FC_VERSION_MINOR: u32 = 1;
/// Patch version.
pub const FC_VERSION_PATCH: u32 = 0;

/// The version of the loaded library, as major * 1000000 + minor * 1000 + patch.
#[unsafe(no_mangle)]
pub extern "C" fn fc_version() -> u32 {
    FC_VERSION_MAJOR * 1_000_000 + FC_VERSION_MINOR * 1_000 + FC_VERSION_PATCH
}

/// Returns whether the loaded library is compatible with a program that was compiled with this version of the header:
/// fc_is_compatible(FC_VERSION_MAJOR, FC_VERSION_MINOR).
#[unsafe(no_mangle)]
pub extern "C" fn fc_is_compatible(major: u32, minor: u32) -> bool {
    match FC_VERSION_MAJOR {
        0 => major == 0 && minor == FC_VERSION_MINOR,
        own => major == own && minor <= FC_VERSION_MINOR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_package() {
        let version = format!("{FC_VERSION_MAJOR}.{FC_VERSION_MINOR}.{FC_VERSION_PATCH}");
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn newer_and_other_major_versions_are_incompatible() {
        assert!(fc_is_compatible(FC_VERSION_MAJOR, FC_VERSION_MINOR));
        assert!(!fc_is_compatible(FC_VERSION_MAJOR, FC_VERSION_MINOR + 1));
        assert!(!fc_is_compatible(FC_VERSION_MAJOR + 1, FC_VERSION_MINOR));
    }
}
