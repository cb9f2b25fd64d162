//! Several robots as one, and objects attached to links.

mod answers;
mod arms;
mod attached;
mod pairs;
