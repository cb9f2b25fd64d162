//! Limits of velocity and acceleration of joints, from URDF files.

use crate::robots::RobotSource;
use firstcontact::io::load::read_text;
use firstcontact::{Error, Result};
use std::collections::HashMap;

/// Limits of the joints' rates by the names of columns, per second and per second squared.
#[derive(Clone, Debug, Default)]
pub struct Rates(HashMap<String, [Option<f64>; 2]>);

impl Rates {
    /// Reads the attributes `velocity` and `acceleration` of the joints' limits. Zeros and malformed numbers count as
    /// missing.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(robots: &[RobotSource]) -> Result<Self> {
        let mut all = HashMap::new();
        for source in robots {
            let text = read_text(&source.urdf)?;
            let malformed = |e: roxmltree::Error| Error::input(format!("XML: {e}")).in_file(&source.urdf);
            let document = roxmltree::Document::parse(&text).map_err(malformed)?;
            for joint in document.root_element().children().filter(|node| node.has_tag_name("joint")) {
                let name = joint.attribute("name").unwrap_or_default();
                let name = source.name.as_ref().map_or(name.to_string(), |robot| format!("{robot}/{name}"));
                let Some(limit) = joint.children().find(|node| node.has_tag_name("limit")) else { continue };
                all.insert(name, ["velocity", "acceleration"].map(|of| positive(limit.attribute(of)?)));
            }
        }
        Ok(Self(all))
    }

    /// The limits of velocity and acceleration of a column.
    pub fn of(&self, column: &str) -> [Option<f64>; 2] {
        self.0.get(column).copied().unwrap_or_default()
    }
}

fn positive(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|limit: &f64| *limit > 0.0 && limit.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_by_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.urdf");
        let text = "<robot name='r'><joint name='a'><limit velocity=' 2.5 ' acceleration='9'/></joint>\
                    <joint name='b'><limit velocity='0' acceleration='fast'/></joint><joint name='c'/></robot>";
        std::fs::write(&path, text).unwrap();
        let alone = Rates::read(&[RobotSource::unnamed(&path, None)]).unwrap();
        assert_eq!(["a", "b", "c"].map(|joint| alone.of(joint)), [[Some(2.5), Some(9.0)], [None; 2], [None; 2]]);
        let named = RobotSource { name: Some("left".into()), ..RobotSource::unnamed(&path, None) };
        let named = Rates::read(&[named]).unwrap();
        assert_eq!((named.of("left/a"), named.of("a")), ([Some(2.5), Some(9.0)], [None; 2]));
    }
}
