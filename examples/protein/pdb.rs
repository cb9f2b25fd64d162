//! Atoms from files of the Protein Data Bank: reads only the columns that a chain needs.

use firstcontact::{Error, Result};
use glam::DVec3;

/// One atom.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// Its name, such as `CA`.
    pub name: String,
    /// The residue's name, such as `ARG`.
    pub residue: String,
    /// The chain to which it belongs.
    pub chain: char,
    /// The residue's number and insertion code, such as `12` or `12A`.
    pub number: String,
    /// Position, Ångström.
    pub position: DVec3,
    /// The element, such as `C`.
    pub element: String,
}

/// The models of a file, each a conformation of the same atoms; one model if the file has no model records. Of
/// alternate positions only the first is used.
///
/// # Errors
/// A coordinate is not a number, or there is no atom.
pub fn read(text: &str) -> Result<Vec<Vec<Atom>>> {
    let mut models = vec![Vec::new()];
    for (i, line) in text.lines().enumerate() {
        match line.get(..6).unwrap_or(line).trim_end() {
            "MODEL" if models.last().is_some_and(|m| !m.is_empty()) => models.push(Vec::new()),
            "ATOM" | "HETATM" => {
                let atom = atom(line).ok_or_else(|| {
                    Error::input("an atom is not in the columns of the format").at(format!("line {}", i + 1))
                })?;
                let other_place = !matches!(line.as_bytes()[16], b' ' | b'A' | b'1');
                if let (Some(model), false) = (models.last_mut(), other_place) {
                    model.push(atom);
                }
            }
            _ => {}
        }
    }
    models.retain(|m| !m.is_empty());
    if models.is_empty() { Err(Error::input("it has no atom")) } else { Ok(models) }
}

fn atom(line: &str) -> Option<Atom> {
    let column = |from: usize, to: usize| line.get(from - 1..to).map(str::trim);
    let number = |from, to| column(from, to)?.parse::<f64>().ok().filter(|x| x.is_finite());
    let name = column(13, 16)?;
    // Older files omit the element, which then follows from the name.
    let element = column(77, 78).filter(|e| !e.is_empty()).map(str::to_string);
    let from_name = || name.trim_start_matches(|c: char| c.is_ascii_digit()).chars().take(1).collect();
    Some(Atom {
        name: name.to_string(),
        residue: column(18, 20)?.to_string(),
        chain: line.chars().nth(21)?,
        number: column(23, 27)?.to_string(),
        position: DVec3::new(number(31, 38)?, number(39, 46)?, number(47, 54)?),
        element: element.unwrap_or_else(from_name),
    })
}
