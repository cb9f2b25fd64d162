//! Counts what a thread asks the allocator for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is handed to the system's allocator as it comes.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: as the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: as the caller's.
        unsafe { System.realloc(memory, layout, new_size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller's.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// What some work gives, and how many times it asks for memory in this thread.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = ASKED.get();
    let out = work();
    (out, ASKED.get() - before)
}
