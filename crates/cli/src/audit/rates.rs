//! Limits of joints from URDF files: of velocity and acceleration, and of the positions of joints that mimic others.

use crate::robots::RobotSource;
use firstcontact::io::load::read_text;
use firstcontact::{Error, Result};
use std::collections::HashMap;

/// Limits by the names of joints.
#[derive(Clone, Debug, Default)]
pub struct Rates(HashMap<String, Limits>);

/// Limits of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Lowest and highest value, radians or metres; `None` for joints that turn without limits.
    pub position: Option<[f64; 2]>,
    /// Largest velocity, per second.
    pub velocity: Option<f64>,
    /// Largest acceleration, per second squared.
    pub acceleration: Option<f64>,
}

impl Rates {
    /// Reads the joints' limits. Malformed numbers count as missing, and so do rates of zero.
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
                let has_ends = matches!(joint.attribute("type"), Some("revolute" | "prismatic"));
                // A missing end is zero in URDF.
                let [lower, upper] = ["lower", "upper"].map(|of| number(limit.attribute(of).unwrap_or("0")));
                let position = lower.zip(upper).filter(|_| has_ends).map(|(lower, upper)| [lower, upper]);
                let rate = |of| number(limit.attribute(of)?).filter(|limit| *limit > 0.0);
                let [velocity, acceleration] = ["velocity", "acceleration"].map(rate);
                all.insert(name, Limits { position, velocity, acceleration });
            }
        }
        Ok(Self(all))
    }

    /// The limits of a joint.
    pub fn of(&self, joint: &str) -> Limits {
        self.0.get(joint).copied().unwrap_or_default()
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_by_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.urdf");
        let text = "<robot name='r'><joint name='a'><limit velocity=' 2.5 ' acceleration='9'/></joint>\
                    <joint name='b'><limit velocity='0' acceleration='fast' upper='1'/></joint><joint name='c'/>\
                    <joint name='d' type='revolute'><limit lower='-1' upper='2'/></joint>\
                    <joint name='e' type='prismatic'><limit upper='3'/></joint></robot>";
        std::fs::write(&path, text).unwrap();
        let alone = Rates::read(&[RobotSource::unnamed(&path, None)]).unwrap();
        let a = Limits { velocity: Some(2.5), acceleration: Some(9.0), position: None };
        assert_eq!(["a", "b", "c"].map(|joint| alone.of(joint)), [a, Limits::default(), Limits::default()]);
        let position = ["d", "e"].map(|joint| alone.of(joint).position);
        assert_eq!(position, [Some([-1.0, 2.0]), Some([0.0, 3.0])]);
        let named = RobotSource { name: Some("left".into()), ..RobotSource::unnamed(&path, None) };
        let named = Rates::read(&[named]).unwrap();
        assert_eq!((named.of("left/a"), named.of("a")), (a, Limits::default()));
    }
}
