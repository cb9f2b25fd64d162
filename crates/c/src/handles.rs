//! Handles: numbers in the guise of pointers, which stand for objects in tables.
//!
//! A number is never used twice and never followed, so a freed, foreign or invented handle is found to be one. A call
//! holds the object that it uses: freeing it meanwhile, in another thread, only takes it out of the table.

use firstcontact::{Error, Result};
use std::collections::BTreeMap;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Numbers of all kinds of objects are different. They are even, like addresses, and none is null.
static NEXT: AtomicUsize = AtomicUsize::new(16);
const STEP: usize = 16;

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

/// Frees an object. Null is not an error.
///
/// # Errors
/// As [`optional`].
pub fn free<T: Object>(handle: *mut T) -> Result<()> {
    if handle.is_null() {
        return Ok(());
    }
    let removed = T::table().0.write().unwrap_or_else(PoisonError::into_inner).remove(&handle.addr());
    // Dropped after the lock is released: taking down an engine takes time.
    removed.map(drop).ok_or_else(|| unknown::<T>(false))
}

fn unknown<T: Object>(is_null: bool) -> Error {
    let name = T::NAME;
    if is_null {
        return Error::usage(format!("the {name} is null"))
            .remedy(format!("make the {name} first, and check its status"));
    }
    let error = Error::usage(format!("this is not the handle of a living {name}"));
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
    fn handles_of_other_kinds_are_refused() {
        let plate = put(Plate);
        assert!(get(plate.cast::<Cup>()).is_err() && get(plate).is_ok());
        assert!(get(std::ptr::without_provenance::<Cup>(0xdead)).is_err());
    }
}
