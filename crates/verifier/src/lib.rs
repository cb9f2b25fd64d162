#![forbid(unsafe_code)]
#![doc = include_str!("../FORMAT.md")]

mod ball;
mod body_motion;
mod certificate;
mod free_joint;
mod hashes;
mod joint_motion;
pub mod merkle;
mod model;
mod polynomial;
mod proof;
mod reader;
mod refusal;
mod tree;
mod trigonometry;
mod verifier;
mod witness;

#[cfg(test)]
mod tests;

pub use certificate::{Claim, Kind, LinkTriangle, Other, Outline, Time, Witness};
pub use hashes::Hash;
pub use model::{Body, Drive, Joint, Link, Model, Motion, Object, Robot, Scene, Segment, Statement};
pub use reader::{Header, MAGIC, MAX_CERTIFICATE_BYTES, Reader};
pub use refusal::Refusal;
pub use tree::Partition;
pub use verifier::{Proved, Verifier};
