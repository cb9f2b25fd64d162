//! The entry `clearance` of a line of results.

use crate::cli::numbers;
use glam::DVec3;
use serde_json::Value;

/// A clearance.
#[derive(Clone, Debug, PartialEq)]
pub enum Clearance {
    /// No pair is tested.
    Nothing,
    /// Nothing is nearer than this, in metres, and the search ended there.
    Beyond(f64),
    Within(Box<Nearest>),
}

/// An enclosure of the least distance, with a time at which a distance is within it.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    pub distance_m: [f64; 2],
    pub segment: usize,
    /// Share of the segment.
    pub t: f64,
    pub a: Side,
    pub b: Side,
    /// The nearest points of a and b in the world.
    pub points: [DVec3; 2],
}

/// One of the two triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Name of the attached object, the link or the object.
    pub name: String,
    /// Number of the shape; `None` for an object of the scene.
    pub shape: Option<usize>,
    pub triangle: usize,
    /// `vertex`, `edge` or `face`, and its number, if the line names it.
    pub feature: Option<(String, usize)>,
}

impl Clearance {
    /// Reads the entry of a line, if it has one.
    ///
    /// # Errors
    /// The entry does not follow the contract.
    pub fn read(line: &Value) -> Result<Option<Self>, String> {
        let Some(entry) = line.get("clearance") else { return Ok(None) };
        let keys = entry.as_object().ok_or("the clearance is not an object")?.len();
        match entry.get("distance_m") {
            Some(Value::Null) if keys == 1 => Ok(Some(Self::Nothing)),
            Some(Value::Array(ends)) if ends.len() == 2 && ends[1].is_null() && keys == 1 => {
                Ok(Some(Self::Beyond(ends[0].as_f64().ok_or("the limit is not a number")?)))
            }
            Some(Value::Array(ends)) if ends.len() == 2 && ends.iter().all(Value::is_number) => {
                Nearest::read(entry).map(|n| Some(Self::Within(Box::new(n))))
            }
            _ => Err("not a distance, or fields that do not belong to it".into()),
        }
    }

    pub fn nearest(&self) -> Option<&Nearest> {
        if let Self::Within(nearest) = self { Some(nearest) } else { None }
    }
}

impl Nearest {
    fn read(entry: &Value) -> Result<Self, String> {
        let points = entry["points"].as_array().filter(|p| p.len() == 2).ok_or("not two points")?;
        let is_point = |p: &Value| p.as_array().is_some_and(|p| p.len() == 3 && p.iter().all(Value::is_number));
        if !points.iter().all(is_point) {
            return Err("not two points".into());
        }
        let ends = numbers(&entry["distance_m"]);
        Ok(Self {
            distance_m: [ends[0], ends[1]],
            segment: entry["segment"].as_u64().ok_or("no segment")? as usize,
            t: entry["t"].as_f64().ok_or("no time")?,
            a: Side::read(&entry["a"])?,
            b: Side::read(&entry["b"])?,
            points: [0, 1].map(|i| DVec3::from_slice(&numbers(&points[i]))),
        })
    }

    /// The time as the number of the segment plus the share of it.
    pub fn u(&self) -> f64 {
        self.segment as f64 + self.t
    }

    pub fn width_m(&self) -> f64 {
        self.distance_m[1] - self.distance_m[0]
    }

    /// Returns whether a distance computed by hand is in the enclosure, up to rounding.
    pub fn contains(&self, distance_m: f64) -> bool {
        let slack = 1e-12 * (1.0 + distance_m);
        self.distance_m[0] <= distance_m + slack && distance_m <= self.distance_m[1] + slack
    }

    pub fn names(&self) -> [&str; 2] {
        [&self.a.name, &self.b.name]
    }
}

impl Side {
    fn read(side: &Value) -> Result<Self, String> {
        let count = |key: &str| side[key].as_u64().map(|n| n as usize).ok_or(format!("no {key} of a side"));
        let name = |key: &str| side[key].as_str().map(str::to_owned);
        let link = name("link");
        Ok(Self {
            shape: if link.is_some() { Some(count("shape")?) } else { None },
            name: name("attached").or(link).or_else(|| name("object")).ok_or("no name of a side")?,
            triangle: count("triangle")?,
            feature: name("feature").map(|f| count("index").map(|i| (f, i))).transpose()?,
        })
    }
}
