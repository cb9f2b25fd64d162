//! Lists whose length a caller chooses: without enough memory there is an error, and the program goes on.

use firstcontact::{Error, ErrorKind, Result};

/// An empty list with room for `n` items.
///
/// # Errors
/// There is not enough memory.
pub(crate) fn list_of<T>(n: usize, what: &str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(n).map_err(|_| {
        let bytes = n.saturating_mul(size_of::<T>());
        Error::new(ErrorKind::Memory, format!("not enough memory for {n} {what}: {bytes} bytes"))
            .remedy("use smaller parts, or fc_engine_stream")
    })?;
    Ok(list)
}

/// A list of the items of an iterator that knows their number.
///
/// # Errors
/// As [`list_of`].
pub(crate) fn collect<T>(items: impl ExactSizeIterator<Item = T>, what: &str) -> Result<Vec<T>> {
    let mut list = list_of(items.len(), what)?;
    list.extend(items);
    Ok(list)
}

/// Checks that there is memory for some items, before work that may need as much.
///
/// # Errors
/// As [`list_of`].
pub(crate) fn check_room<T>(n: usize, what: &str) -> Result<()> {
    list_of::<T>(n, what).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_lists_are_errors() {
        for n in [usize::MAX, isize::MAX as usize / 8, 1 << 56] {
            assert_eq!(list_of::<u64>(n, "answers").unwrap_err().kind(), ErrorKind::Memory, "{n}");
        }
        assert_eq!(collect([1, 2, 3].into_iter(), "numbers").unwrap(), [1, 2, 3]);
    }
}
