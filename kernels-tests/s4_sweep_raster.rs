//! `s4_sweep`, drawn: every triangle that it drops is proved free, every triangle that was placed in contact with a
//! swept volume is kept, and it drops nearly as much as an exact test would.

mod case;
mod outline;
mod soundness;
mod tightness;
