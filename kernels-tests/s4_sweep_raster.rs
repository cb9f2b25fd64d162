//! `s4_sweep`, drawn: whatever triangle it drops is proved free, every triangle that was put against a swept volume stays,
//! and it drops nearly as much as an exact test would.

mod case;
mod outline;
mod soundness;
mod tightness;
