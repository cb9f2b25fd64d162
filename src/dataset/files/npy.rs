//! Motion files: `.npy`, float64, C order, shape (Q, 2, D).

use crate::dataset::motions::Push;
use crate::error::{Error, Result, input_error};
use crate::output;
use npyz::{DType, WriteOptions, WriterBuilder};
use std::path::Path;

/// Writes `n_motions` motions of `n_columns` columns as `fill` hands them over, start values before end values.
///
/// # Errors
/// The file cannot be written, or `fill` fails or hands over another number of motions; then nothing is left of it.
pub(crate) fn write(
    path: &Path,
    n_motions: usize,
    n_columns: usize,
    fill: impl FnOnce(&mut Push<'_>) -> Result<()>,
) -> Result<()> {
    let trouble = input_error(path);
    // Named, because the default is the machine's byte order.
    let kind = "<f8".parse().map(DType::Plain).map_err(|e| trouble(&e))?;
    output::write(path, |out| {
        let shape = [n_motions as u64, 2, n_columns as u64];
        let options = WriteOptions::new().dtype(kind).shape(&shape);
        let mut array = options.writer(out).begin_nd().map_err(|e| trouble(&e))?;
        let mut written = 0;
        fill(&mut |start, end| {
            written += 1;
            if start.len() != n_columns || end.len() != n_columns || written > n_motions {
                return Err(Error::usage("a motion too many, or of another length").in_file(path));
            }
            array.extend(start.iter().chain(end).copied()).map_err(|e| trouble(&e))
        })?;
        if written != n_motions {
            return Err(Error::usage(format!("{written} motions instead of {n_motions}")).in_file(path));
        }
        array.finish().map_err(|e| trouble(&e))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npy");
        write(&path, 2, 3, |push| {
            push(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])?;
            push(&[0.1, -0.0, 1e-300], &[7.0, 8.0, 9.0])
        })
        .unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let file = npyz::NpyFile::new(&bytes[..]).unwrap();
        assert_eq!((file.shape(), file.order()), (&[2u64, 2, 3][..], npyz::Order::C));
        assert_eq!(file.dtype().descr(), "'<f8'");
        let values: Vec<f64> = file.into_vec().unwrap();
        assert_eq!(values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.1, 0.0, 1e-300, 7.0, 8.0, 9.0]);
    }

    #[test]
    fn a_wrong_number_of_motions_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npy");
        assert!(write(&path, 2, 1, |push| push(&[1.0], &[2.0])).is_err());
        assert!(write(&path, 1, 1, |push| push(&[1.0], &[])).is_err());
        assert!(write(&path, 0, 1, |push| push(&[1.0], &[2.0])).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        write(&path, 0, 1, |_| Ok(())).unwrap();
        assert!(path.exists());
    }
}
