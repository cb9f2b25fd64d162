//! The floating-point environment of a thread: rounding to nearest, subnormal numbers, no traps.
//!
//! Every bound of this library assumes this environment, and so does the compiler. Programs in other languages may
//! change it, by `fesetround` and `feenableexcept`, or by code that was compiled with `-ffast-math`, which flushes
//! subnormal numbers to zero in the whole thread. Interfaces for them do their work in a [`DefaultEnvironment`];
//! threads that are started in it inherit it.

use std::cell::Cell;

thread_local! {
    /// The control word of the caller, while this thread is in a default environment.
    static CALLER: Cell<usize> = const { Cell::new(control::DEFAULT) };
}

/// A guard for the default environment, which ends when the guard is dropped. It must be dropped in the thread that
/// created it.
#[derive(Debug)]
pub struct DefaultEnvironment {
    /// The control word before.
    before: usize,
    /// The control word of the outer call before.
    outer: usize,
}

impl DefaultEnvironment {
    /// Enters the default environment. If the thread has it already, this takes a few cycles.
    #[expect(clippy::new_without_default, reason = "it changes the thread")]
    pub fn new() -> Self {
        let before = control::get();
        if !control::is_default(before) {
            control::set(control::DEFAULT);
        }
        Self { before, outer: CALLER.try_with(|caller| caller.replace(before)).unwrap_or(control::DEFAULT) }
    }
}

impl Drop for DefaultEnvironment {
    fn drop(&mut self) {
        let _ = CALLER.try_with(|caller| caller.set(self.outer));
        if !control::is_default(self.before) {
            control::set(self.before);
        }
    }
}

/// Sets the default environment for the rest of the life of a thread that this library owns.
pub fn set_default() {
    control::set(control::DEFAULT);
}

/// Calls a function in the environment that the caller had before it entered the default one.
pub fn as_caller<T>(call: impl FnOnce() -> T) -> T {
    let caller = CALLER.try_with(Cell::get).unwrap_or(control::DEFAULT);
    if control::is_default(caller) {
        let answer = call();
        // The callback may have changed it.
        if !control::is_default(control::get()) {
            control::set(control::DEFAULT);
        }
        return answer;
    }
    control::set(caller);
    let answer = call();
    control::set(control::DEFAULT);
    answer
}

/// The control word of SSE, of which six bits are flags that operations set.
#[cfg(target_arch = "x86_64")]
mod control {
    use std::arch::asm;

    pub const DEFAULT: usize = 0x1f80;
    const FLAGS: usize = 0x3f;

    pub fn is_default(word: usize) -> bool {
        word & !FLAGS == DEFAULT
    }

    pub fn get() -> usize {
        let mut word = 0u32;
        // SAFETY: writes the control word into the variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word as usize
    }

    pub fn set(word: usize) {
        let word = word as u32;
        // SAFETY: loads a word that was stored before, or the default. The caller's word is set only for code of the
        // caller, and no code of this library runs until the default is set again.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
    }
}

/// The control register, which has no flags.
#[cfg(target_arch = "aarch64")]
mod control {
    use std::arch::asm;

    pub const DEFAULT: usize = 0;

    pub fn is_default(word: usize) -> bool {
        word == DEFAULT
    }

    pub fn get() -> usize {
        let word: u64;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nostack, preserves_flags)) };
        word as usize
    }

    pub fn set(word: usize) {
        // SAFETY: writes a word that was read before, or the default. The caller's word is set only for code of the
        // caller, and no code of this library runs until the default is set again.
        unsafe { asm!("msr fpcr, {}", in(reg) word as u64, options(nostack, preserves_flags)) };
    }
}

/// Other processors are assumed to have the default environment.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod control {
    pub const DEFAULT: usize = 0;

    pub fn is_default(_: usize) -> bool {
        true
    }

    pub fn get() -> usize {
        DEFAULT
    }

    pub fn set(_: usize) {}
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Rounding upward, and subnormal numbers are zero.
    #[cfg(target_arch = "x86_64")]
    const OTHER: usize = control::DEFAULT | 1 << 14 | 1 << 15 | 1 << 6;
    #[cfg(target_arch = "aarch64")]
    const OTHER: usize = 1 << 22 | 1 << 24;

    /// Returns whether sums round to nearest, and whether the smallest number is not zero.
    #[inline(never)]
    fn computes() -> [bool; 2] {
        [black_box(1.0) + black_box(1e-20) == 1.0, black_box(5e-324) * black_box(3.0) > 0.0]
    }

    fn in_other<T>(work: impl FnOnce() -> T) -> T {
        control::set(OTHER);
        let answer = work();
        let after = control::get();
        control::set(control::DEFAULT);
        assert!(control::is_default(after ^ OTHER ^ control::DEFAULT), "{after:#x}");
        answer
    }

    #[test]
    fn another_environment_changes_results() {
        assert_eq!([computes(), in_other(computes)], [[true; 2], [false; 2]]);
    }

    #[test]
    fn work_is_done_in_the_default_environment() {
        let answers = in_other(|| {
            let entered = DefaultEnvironment::new();
            let own = computes();
            let of_thread = std::thread::spawn(computes).join().unwrap();
            let of_caller = as_caller(computes);
            let nested = as_caller(|| {
                let _nested = DefaultEnvironment::new();
                computes()
            });
            let again = [computes(), as_caller(computes)];
            drop(entered);
            [own, of_thread, of_caller, nested, again[0], again[1], computes()]
        });
        let [yes, no] = [[true; 2], [false; 2]];
        assert_eq!(answers, [yes, yes, no, yes, yes, no, no]);
    }

    #[test]
    fn threads_of_engines_have_the_default_environment() {
        let pool = in_other(|| crate::engine::thread_pool(1).unwrap());
        assert_eq!(pool.install(computes), [true; 2]);
    }

    #[test]
    fn callbacks_cannot_leave_another_environment_behind() {
        let _entered = DefaultEnvironment::new();
        as_caller(|| control::set(OTHER));
        assert_eq!(computes(), [true; 2]);
    }
}
