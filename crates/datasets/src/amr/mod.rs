//! An auxiliary machine room with the Puma in its middle.
//!
//! The layout is planned, not scattered: a floor, three walls, columns and deck beams; pumps, vessels, a heat exchanger
//! and cabinets around the arm; a pipe rack above it on two levels, with drops to the equipment; manifolds within
//! reach; pipes, trays and boxes along the walls; a mezzanine. The seed varies sizes, places within some centimetres,
//! the fittings on the pipes, and the fineness of each object's tessellation.

pub(crate) mod deck;
mod lines;
mod machinery;
mod manifolds;
mod rack;
mod room;
mod shell;
mod walls;

use crate::parts::assembly::{Part, tessellate};
use firstcontact::error::{Error, Result};
use room::Room;

/// The number of objects of the scene.
pub(crate) const N_OBJECTS: usize = 1_180;
/// The number of triangles of the scene.
pub(crate) const N_TRIANGLES: usize = 187_000;

/// Generates the room.
///
/// # Errors
/// The seed gives a layout that does not reach the exact counts.
pub(crate) fn scene(seed: u64) -> Result<Vec<Part>> {
    let mut room = Room::new(seed);
    shell::build(&mut room);
    let machines = machinery::build(&mut room);
    let (lower, upper) = (rack::lower(&mut room), rack::upper(&mut room));
    rack::hangers(&mut room);
    manifolds::build(&mut room, &lower);
    lines::connections(&mut room, &machines, &lower, &upper);
    rack::drops(&mut room, &machines, &lower);
    lines::tubing(&mut room);
    walls::build(&mut room);
    let (objects, most) = room.finish(N_OBJECTS);
    if objects.len() != N_OBJECTS {
        let message = format!("the layout has {} objects and at most {most}, not {N_OBJECTS}", objects.len());
        return Err(Error::usage(message).remedy("choose another seed"));
    }
    tessellate(&objects, N_TRIANGLES)
}
