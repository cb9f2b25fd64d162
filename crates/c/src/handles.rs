//! Handles: numbers of a pointer type that identify objects in tables.
//!
//! A number is never used twice and never dereferenced, so freed, foreign and invented handles are detected. A call
//! holds the object that it uses: freeing it in another thread during the call only removes it from the table.

use crate::output::output;
use crate::status::{FcStatus, guard};
use firstcontact::{Error, Result};
use std::collections::BTreeMap;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Numbers of all kinds of objects are different. They are even, like addresses, and none is null.
static NEXT: AtomicUsize = AtomicUsize::new(16);
const STEP: usize = 16;

/// Number of living objects of all kinds.
static N_LIVING: AtomicUsize = AtomicUsize::new(0);

/// An object that has handles.
pub trait Object: Sized + Send + Sync + 'static {
    /// Its name in messages.
    const NAME: &'static str;

    /// All living objects of this kind.
    fn table() -> &'static Table<Self>;
}

/// Living objects by number.
pub struct Table<T>(RwLock<BTreeMap<usize, Arc<T>>>);

impl<T: Object> Table<T> {
    pub const fn new() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }
}

/// Makes a type an [`Object`] with this name.
macro_rules! object {
    ($type:ty, $name:literal) => {
        impl crate::handles::Object for $type {
            const NAME: &'static str = $name;

            fn table() -> &'static crate::handles::Table<Self> {
                static TABLE: crate::handles::Table<$type> = crate::handles::Table::new();
                &TABLE
            }
        }
    };
}
pub(crate) use object;

/// A handle for a new object.
pub fn put<T: Object>(object: T) -> *mut T {
    let number = NEXT.fetch_add(STEP, Ordering::Relaxed);
    N_LIVING.fetch_add(1, Ordering::Relaxed);
    let mut table = T::table().0.write().unwrap_or_else(PoisonError::into_inner);
    table.insert(number, Arc::new(object));
    without_provenance_mut(number)
}

/// The object of a handle.
///
/// # Errors
/// The handle is null or not that of a living object of this kind.
pub fn get<T: Object>(handle: *const T) -> Result<Arc<T>> {
    let table = T::table().0.read().unwrap_or_else(PoisonError::into_inner);
    table.get(&handle.addr()).cloned().ok_or_else(|| unknown::<T>(handle.is_null()))
}

/// The object of a handle that may be null.
///
/// # Errors
/// The handle is not null and not that of a living object of this kind.
pub fn optional<T: Object>(handle: *const T) -> Result<Option<Arc<T>>> {
    if handle.is_null() { Ok(None) } else { get(handle).map(Some) }
}

/// The objects of a list of `n` handles.
///
/// # Safety
/// The list is null, or valid for reading `n` handles.
///
/// # Errors
/// The list is null although there are handles, or one of them is null or not that of a living object of this kind.
pub unsafe fn list<T: Object>(list: *const *const T, n: usize, name: &str) -> Result<Vec<Arc<T>>> {
    crate::text::check_list(list, n, name)?;
    // SAFETY: as the caller promises.
    let object = |i: usize| get(unsafe { *list.add(i) }).map_err(|e| e.at(format!("entry {i} of {name}")));
    (0..n).map(object).collect()
}

/// Frees an object. Null is not an error.
///
/// # Errors
/// As [`optional`].
pub fn free<T: Object>(handle: *mut T) -> Result<()> {
    if handle.is_null() { Ok(()) } else { take(handle).map(drop) }
}

/// Frees the handle of an object, and returns the object.
///
/// # Errors
/// The handle is null or not that of a living object of this kind.
pub fn take<T: Object>(handle: *mut T) -> Result<Arc<T>> {
    // The lock is released before the object is dropped: taking down an engine takes time.
    let removed = T::table().0.write().unwrap_or_else(PoisonError::into_inner).remove(&handle.addr());
    let object = removed.ok_or_else(|| unknown::<T>(handle.is_null()))?;
    N_LIVING.fetch_sub(1, Ordering::Relaxed);
    Ok(object)
}

/// Number of objects in all threads that have not been freed. Use it in tests to find handles that are never freed:
/// tools that detect memory leaks cannot see them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_n_living(n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(N_LIVING.load(Ordering::Relaxed));
        Ok(())
    })
}

fn unknown<T: Object>(is_null: bool) -> Error {
    let name = T::NAME;
    if is_null {
        return Error::usage(format!("the {name} is null"))
            .remedy(format!("make the {name} first, and check its status"));
    }
    let error = Error::usage(format!("this is not the handle of an existing {name}"));
    error.remedy(format!("it was freed already, or it is not a handle of a {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Cup(#[expect(dead_code, reason = "something to hold")] u8);
    object!(Cup, "cup");
    struct Plate;
    object!(Plate, "plate");

    #[test]
    fn only_living_objects_are_found() {
        let cup = put(Cup(1));
        let held = get(cup).unwrap();
        free(cup).unwrap();
        assert_eq!(Arc::strong_count(&held), 1, "the call holds it alone");
        for error in [get(cup).map(drop), free(cup), optional(cup).map(drop)] {
            assert!(error.unwrap_err().to_string().contains("freed already"));
        }
        assert!(get::<Cup>(std::ptr::null()).err().unwrap().to_string().contains("null"));
        assert!(free::<Cup>(std::ptr::null_mut()).is_ok() && optional::<Cup>(std::ptr::null()).unwrap().is_none());
    }

    #[test]
    fn handles_are_never_reused() {
        let first = put(Cup(1));
        free(first).unwrap();
        let second = put(Cup(2));
        assert!(first != second && get(first).is_err() && get(second).is_ok());
        free(second).unwrap();
        assert_eq!(take(second).err().unwrap().kind(), firstcontact::ErrorKind::Usage);
    }

    #[test]
    fn handles_of_other_kinds_are_refused() {
        let plate = put(Plate);
        assert!(get(plate.cast::<Cup>()).is_err() && get(plate).is_ok());
        assert!(get(std::ptr::without_provenance::<Cup>(0xdead)).is_err());
    }
}
