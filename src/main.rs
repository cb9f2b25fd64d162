//! The command; its parts are in the library.

fn main() {}
