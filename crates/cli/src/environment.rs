//! Environment variables of the process.

use std::ffi::OsStr;
use std::path::Path;

/// Prevents the Wayland library from printing to the standard error that `XDG_RUNTIME_DIR` is not set.
///
/// Mesa's Vulkan layer for device selection looks for a Wayland display, since wgpu enables window surfaces. The
/// library that it calls prints an error if it has neither a folder for sockets nor the absolute path of one. This
/// program opens no window. Without such a folder no display can be found, and a path that is not a socket has no
/// effect except to avoid the error.
///
/// # Safety
/// No other thread may run: it could read the environment during the write.
pub unsafe fn set_wayland_display() {
    if cfg!(all(unix, not(target_vendor = "apple"))) && lacks_wayland(|name| std::env::var_os(name)) {
        // SAFETY: the caller ensures that no other thread runs.
        unsafe { std::env::set_var("WAYLAND_DISPLAY", "/dev/null") };
    }
}

/// Returns whether no Wayland display can be found with these variables.
fn lacks_wayland<S: AsRef<OsStr>>(variable: impl Fn(&str) -> Option<S>) -> bool {
    let is_absolute = |name| variable(name).is_some_and(|path| Path::new(&path).is_absolute());
    !is_absolute("XDG_RUNTIME_DIR") && !is_absolute("WAYLAND_DISPLAY") && variable("WAYLAND_SOCKET").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wayland_is_missing_without_a_usable_display_variable() {
        let lacks = |variables: &[(&str, &'static str)]| {
            lacks_wayland(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value))
        };
        assert!(lacks(&[]));
        assert!(lacks(&[("XDG_RUNTIME_DIR", "")]));
        assert!(lacks(&[("XDG_RUNTIME_DIR", "run"), ("WAYLAND_DISPLAY", "wayland-1")]));
        assert!(!lacks(&[("XDG_RUNTIME_DIR", "/run/user/1000")]));
        assert!(!lacks(&[("WAYLAND_DISPLAY", "/run/wayland-0")]));
        assert!(!lacks(&[("WAYLAND_SOCKET", "7")]));
    }
}
