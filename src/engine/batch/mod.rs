//! How any number of motions goes through the stages: on the CPU, and on a graphics adapter.

mod cpu;
mod gpu;
