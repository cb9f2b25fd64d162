//! Colours as displayed: red, green, blue.

use firstcontact::scene::Object;
use glam::Vec3;
use std::collections::HashMap;

/// A colour.
pub type Colour = [u8; 3];

/// The robot at the time that the picture shows.
pub const ROBOT: Colour = [46, 110, 208];
/// The robot at the start.
pub const START: Colour = [52, 168, 98];
/// The robot at the end.
pub const END: Colour = [168, 84, 186];
/// The volume that the robot sweeps.
pub const SWEPT: Colour = [70, 170, 235];
/// The touched object or link.
pub const TOUCHED: Colour = [244, 156, 42];
/// The contact.
pub const CONTACT: Colour = [222, 22, 40];
/// The background.
pub const BACKGROUND: Colour = [238, 241, 245];

/// Muted colours of objects, clearly different from all others in this file.
const MUTED: [Colour; 12] = [
    [203, 192, 170],
    [171, 184, 194],
    [186, 195, 172],
    [201, 178, 166],
    [184, 178, 194],
    [167, 189, 186],
    [210, 203, 176],
    [190, 188, 184],
    [205, 184, 186],
    [178, 186, 206],
    [190, 180, 160],
    [198, 204, 198],
];

/// The colour as linear light, which is additive, as the shader needs it.
pub fn linear(colour: Colour) -> Vec3 {
    Vec3::from(colour.map(|c| (f32::from(c) / 255.0).powf(2.2)))
}

/// A colour for each object: the same for all objects whose names differ only in numbers, slightly lighter or darker
/// from object to object. If all names are alike, colours follow the order of the objects.
pub fn of_objects(objects: &[Object]) -> Vec<Colour> {
    let mut families = HashMap::new();
    let mut family_of = |object: &Object| {
        let next = families.len();
        let name = object.name.trim_end_matches(|c: char| !c.is_alphabetic());
        *families.entry(name.to_owned()).or_insert(next)
    };
    let of: Vec<usize> = objects.iter().map(&mut family_of).collect();
    let n_families = families.len();
    let colour = |(i, &family): (usize, &usize)| {
        let k = if n_families > 2 { family } else { i };
        shade(MUTED[k % MUTED.len()], (i as u32).wrapping_mul(0x9e37_79b9) >> 27)
    };
    of.iter().enumerate().map(colour).collect()
}

/// Slightly lighter or darker, by up to 15.
fn shade(colour: Colour, step: u32) -> Colour {
    colour.map(|c| c.saturating_add(15).saturating_sub(step.min(31) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: Colour, b: Colour) -> i32 {
        a.iter().zip(b).map(|(a, b)| (i32::from(*a) - i32::from(b)).pow(2)).sum()
    }

    #[test]
    fn objects_of_a_kind_look_alike_and_others_differ() {
        let object = |name: &str| Object { name: name.into(), first_triangle: 0, n_triangles: 0 };
        let objects = ["chair_01", "chair_02", "table_01", "shelf", "chair_03"].map(object);
        let colours = of_objects(&objects);
        assert!(distance(colours[0], colours[4]) < distance(colours[0], colours[2]));
        assert!(distance(colours[2], colours[3]) > 300, "{colours:?}");
        assert_eq!(of_objects(&objects), colours);
        let boxes = ["box 1", "box 2", "box 3"].map(object);
        assert!(distance(of_objects(&boxes)[0], of_objects(&boxes)[1]) > 300);
    }

    /// Colours with a meaning are clearly different from each other and from the colours of objects.
    #[test]
    fn meaningful_colours_are_distinguishable() {
        let meant = [ROBOT, START, END, SWEPT, TOUCHED, CONTACT];
        for (i, a) in meant.iter().enumerate() {
            assert!(meant[..i].iter().all(|b| distance(*a, *b) > 4500), "{a:?}");
            assert!(MUTED.iter().all(|b| distance(*a, *b) > 6000), "{a:?}");
        }
    }
}
