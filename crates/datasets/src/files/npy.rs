//! Motion files: `.npy`, float64, C order, shape (Q, 2, D).

use crate::motions::Push;
use firstcontact::error::{Error, Result};
use firstcontact::formats::NpyHeader;
use firstcontact::io::output;
use std::io::Write;
use std::path::Path;

/// Writes `n_motions` motions of `n_columns` columns as `fill` passes them, start values before end values.
///
/// # Errors
/// The file cannot be written, or `fill` fails or passes a different number of motions; in these cases no file remains.
pub(crate) fn write(
    path: &Path,
    n_motions: usize,
    n_columns: usize,
    fill: impl FnOnce(&mut Push<'_>) -> Result<()>,
) -> Result<()> {
    let failed = |cause: std::io::Error| Error::usage(format!("cannot write: {cause}")).in_file(path);
    output::write(path, |out| {
        out.write_all(&NpyHeader::of_f64(&[n_motions, 2, n_columns])).map_err(failed)?;
        let mut written = 0;
        fill(&mut |start, end| {
            written += 1;
            if start.len() != n_columns || end.len() != n_columns || written > n_motions {
                return Err(Error::usage("there are too many motions, or a motion has the wrong length").in_file(path));
            }
            start.iter().chain(end).try_for_each(|x| out.write_all(&x.to_le_bytes())).map_err(failed)
        })?;
        if written != n_motions {
            return Err(Error::usage(format!("{written} motions instead of {n_motions}")).in_file(path));
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of an example are those of the format's specification.
    #[test]
    fn motions_are_written_as_an_array() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npy");
        write(&path, 2, 3, |push| {
            push(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])?;
            push(&[0.1, -0.0, 1e-300], &[7.0, 8.0, 9.0])
        })
        .unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let (header, values) = bytes.split_at(128);
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 3, ), }";
        let expected = [b"\x93NUMPY\x01\x00\x76\x00", format!("{text:<117}\n").as_bytes()].concat();
        assert_eq!(header, expected);
        let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.1, -0.0, 1e-300, 7.0, 8.0, 9.0f64];
        assert_eq!(values, expected.map(f64::to_le_bytes).concat());
    }

    #[test]
    fn a_wrong_number_of_motions_leaves_no_file() {
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
