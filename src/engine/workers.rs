//! Threads and scratch memory, which engines share.

use super::cpu_backend::ScratchPool;
use crate::arith::float_environment;
use crate::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Maximum number of CPU threads that a caller may request: more than the cores of any machine, and few enough to
/// start.
const MAX_THREADS: usize = 4096;

/// Size of the stack of a thread. Code that is not optimised keeps all intermediate vectors on it.
const STACK_BYTES: usize = if cfg!(debug_assertions) { 16 << 20 } else { 2 << 20 };

/// The threads of an engine and their memory.
#[derive(Clone, Debug)]
pub(super) struct Workers {
    /// Shared by all engines with the same number of threads: starting threads takes longer than preparing a small
    /// scene.
    pub(super) pool: Arc<ThreadPool>,
    /// Shared by engines that are built from one another, so that the next one is warm.
    pub(super) scratch: Arc<ScratchPool>,
}

impl Workers {
    /// Workers for an engine with this number of threads, 0 for one per core; they share the scratch memory of `known`,
    /// if given.
    ///
    /// # Errors
    /// As [`thread_pool`].
    pub(super) fn new(threads: usize, known: Option<&Self>) -> Result<Self> {
        let scratch = known.map_or_else(Arc::default, |known| Arc::clone(&known.scratch));
        Ok(Self { pool: shared_pool(threads)?, scratch })
    }
}

/// The thread pool that living engines with this number of threads use, or a new one.
fn shared_pool(threads: usize) -> Result<Arc<ThreadPool>> {
    static POOLS: Mutex<BTreeMap<usize, Weak<ThreadPool>>> = Mutex::new(BTreeMap::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads).and_then(Weak::upgrade) {
        return Ok(pool);
    }
    let pool = Arc::new(thread_pool(threads)?);
    pools.insert(threads, Arc::downgrade(&pool));
    Ok(pool)
}

/// A thread pool; 0 threads means one per core.
///
/// # Errors
/// There are too many threads, or the system cannot start them.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    if threads > MAX_THREADS {
        let message = format!("{threads} threads: the maximum is {MAX_THREADS}");
        return Err(Error::usage(message).remedy("--threads 0 uses all cores"));
    }
    // A thread inherits the floating-point environment of the one that starts it.
    let begin = |_| float_environment::set_default();
    let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).start_handler(begin).build();
    pool.map_err(|e| Error::usage(format!("{threads} threads: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_with_the_same_number_of_threads_share_a_pool() {
        // Numbers that no other test uses.
        let (first, again, more) = (shared_pool(13).unwrap(), shared_pool(13).unwrap(), shared_pool(14).unwrap());
        assert!(Arc::ptr_eq(&first, &again) && !Arc::ptr_eq(&first, &more));
        assert_eq!([&first, &more].map(|pool| pool.current_num_threads()), [13, 14]);
        let ended = Arc::downgrade(&first);
        drop((first, again));
        assert!(ended.upgrade().is_none());
        assert_eq!(shared_pool(13).unwrap().current_num_threads(), 13);
    }

    #[test]
    fn too_many_threads_are_refused_each_time() {
        (0..2).for_each(|_| assert!(shared_pool(MAX_THREADS + 1).is_err()));
    }
}
