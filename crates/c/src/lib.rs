//! The interface for C: `include/firstcontact.h` is made from this crate by cbindgen, and its beginning has the rules
//! for callers.
//!
//! Every function has three parts: it turns pointers into safe values (`rows`, `text`, `output`, `handles`), calls the
//! library, and hands over the answer. `status::guard` turns errors and panics into a status.
//!
//! `unsafe` is needed only for memory of the caller: handles are numbers, which are never dereferenced.

#![expect(
    clippy::missing_safety_doc,
    reason = "the rules for callers are the same for all: the beginning of the header"
)]

mod answers;
mod certificates;
mod check;
mod clearance;
mod control;
mod elementary;
mod engine;
mod fork;
mod handles;
mod load_options;
mod memory;
mod names;
mod options;
mod output;
mod portions;
mod results;
mod robot;
mod rows;
mod scene;
mod status;
mod stream;
mod text;
mod trajectory;
mod version;

pub use answers::*;
pub use certificates::*;
pub use check::*;
pub use clearance::*;
pub use control::*;
pub use elementary::*;
pub use engine::*;
pub use handles::fc_n_living;
pub use load_options::*;
pub use options::*;
pub use results::*;
pub use robot::*;
pub use rows::*;
pub use scene::*;
pub use status::*;
pub use stream::*;
pub use text::FcText;
pub use trajectory::*;
pub use version::*;
