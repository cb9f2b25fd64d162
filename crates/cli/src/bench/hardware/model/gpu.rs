//! Published figures of graphics processors, and the assumptions that the model adds to them.

/// A graphics processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuFigures {
    /// A part of the adapter's name.
    pub name: &'static str,
    /// Lanes for single precision.
    pub lanes: f64,
    /// Boost clock, GHz.
    pub clock_ghz: f64,
    /// Bandwidth of its memory, GB/s.
    pub memory_gb_s: f64,
    /// Bandwidth of the bus in one direction, GB/s; of the memory if it is shared with the CPU.
    pub bus_gb_s: f64,
}

/// H200 and H100: data sheets of the SXM modules, PCIe 5.0 with 16 lanes. RTX 4090: PCIe 4.0 with 16 lanes. RTX 4060
/// Laptop: 115 W, PCIe 4.0 with 8 lanes. Radeon 780M: integrated, two channels of DDR5-5600.
pub const GPUS: [GpuFigures; 5] = [
    GpuFigures { name: "H200", lanes: 16_896.0, clock_ghz: 1.98, memory_gb_s: 4_800.0, bus_gb_s: 63.0 },
    GpuFigures { name: "H100", lanes: 16_896.0, clock_ghz: 1.98, memory_gb_s: 3_350.0, bus_gb_s: 63.0 },
    GpuFigures { name: "RTX 4090", lanes: 16_384.0, clock_ghz: 2.52, memory_gb_s: 1_008.0, bus_gb_s: 31.5 },
    GpuFigures { name: "RTX 4060 Laptop", lanes: 3_072.0, clock_ghz: 2.37, memory_gb_s: 256.0, bus_gb_s: 15.75 },
    GpuFigures { name: "Radeon 780M", lanes: 768.0, clock_ghz: 2.7, memory_gb_s: 89.6, bus_gb_s: 89.6 },
];

/// Time of a launch that waits for the one before it, seconds: reports of null kernels agree on 2 to 5 µs.
pub const LAUNCH_S: f64 = 3e-6;
/// Time from the end of a submission to the first byte read back, seconds. A guess.
pub const ROUND_TRIP_S: f64 = 20e-6;
/// Atomic operations on one word in a clock. A guess; a driver may combine those of a group of lanes.
pub const ATOMICS_PER_CLOCK: f64 = 1.0;
/// Clocks between two operations of a lane that depend on each other; other invocations can fill them.
pub const DEPENDENT_CLOCKS: f64 = 4.0;
