//! Options that select the pairs of links that are tested against each other.

use clap::{Args, ValueEnum};
use firstcontact::{Error, ErrorKind, LinkPairs, Result, Robot, Srdf};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// Test links against each other
    On,
    /// Test links only against the scene
    Off,
}

/// The choice of tests of links against each other.
#[derive(Clone, Copy, Debug, Args)]
pub struct SelfCollisionArgs {
    /// Test links of the robot against each other: with --srdf all pairs that it does not disable, otherwise all pairs
    /// that are not adjacent. On by default with --srdf, and off without
    #[arg(long, value_enum, value_name = "on|off", hide_possible_values = true)]
    self_collision: Option<Switch>,
}

impl SelfCollisionArgs {
    /// Links are tested against each other.
    pub const ON: Self = Self { self_collision: Some(Switch::On) };

    /// The choice for planning problems, whose scenes say which links may touch: on unless it is switched off.
    pub fn of_problems(self) -> Self {
        Self { self_collision: self.self_collision.or(Some(Switch::On)) }
    }

    /// The pairs of links to test.
    ///
    /// # Errors
    /// The SRDF does not fit the robot, or the robot has too many links.
    pub fn link_pairs(self, robot: &Robot, srdf: Option<&Srdf>) -> Result<LinkPairs> {
        match self.unchecked(srdf) {
            Some(_) => Ok(LinkPairs::none()),
            None => link_pairs(robot, srdf),
        }
    }

    /// The reason why no pair of links is tested; `None` if links are tested against each other.
    pub fn unchecked(self, srdf: Option<&Srdf>) -> Option<&'static str> {
        match (self.self_collision, srdf) {
            (Some(Switch::On), _) | (None, Some(_)) => None,
            (Some(Switch::Off), _) => Some("--self-collision off"),
            (None, None) => Some("no SRDF; --self-collision on checks all non-adjacent pairs"),
        }
    }
}

/// The pairs of links that an SRDF does not disable, or all pairs that are not adjacent.
///
/// # Errors
/// The SRDF does not fit the robot, or the robot has too many links.
fn link_pairs(robot: &Robot, srdf: Option<&Srdf>) -> Result<LinkPairs> {
    match srdf {
        Some(srdf) => srdf.link_pairs(robot),
        None if robot.links.len() <= LinkPairs::MAX_LINKS => Ok(LinkPairs::all_but_adjacent(robot)),
        None => {
            let message = format!(
                "--self-collision on: the robot has {} links, but at most {} can be tested in pairs",
                robot.links.len(),
                LinkPairs::MAX_LINKS
            );
            Err(Error::new(ErrorKind::Memory, message).remedy("leave out --self-collision"))
        }
    }
}
