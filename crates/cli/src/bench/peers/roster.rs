//! The participants: external programs, and their methods.

use std::path::{Path, PathBuf};

/// A method of a program that `benches/peers` builds.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The program's file.
    pub program: &'static str,
    /// The method's name for the program.
    pub method: &'static str,
    /// Its step, for the program.
    pub step: &'static str,
    /// Its name in tables.
    pub name: &'static str,
    /// A description.
    pub what: &'static str,
}

/// The methods whose times are plotted: one or two of each program and kind.
pub const DRAWN: [&str; 7] = [
    YARDSTICK,
    "coal halve, bounds, 1 mm",
    "coal samples, 0.5°",
    "coal samples, 1 mm",
    "FCL naive, 100",
    "FCL advance, RSS",
    "Bullet cast (Tesseract)",
];

/// The method to which the speed of this engine is compared.
pub const YARDSTICK: &str = "coal advance, bounds, 0.1 mm";

const ADVANCE: &str =
    "conservative advancement by the lower bound of the distance that a collision query gives; steps no shorter";
const EXACT: &str = "conservative advancement by the exact distance; steps no shorter";
const HALVE: &str = "covering from the middle of the motion outward, verdict only";
const SAMPLES: &str = "collision queries at poses so far apart";
const OTHER_MOTION: &str = "each link from pose to pose in the world, which is another motion";

/// All methods, program by program.
pub const METHODS: [Method; 17] = [
    Method { program: "coal", method: "advance-bound", step: "1e-4", name: YARDSTICK, what: ADVANCE },
    Method {
        program: "coal",
        method: "advance-bound",
        step: "1e-3",
        name: "coal advance, bounds, 1 mm",
        what: ADVANCE,
    },
    Method {
        program: "coal",
        method: "advance-distance",
        step: "1e-4",
        name: "coal advance, distance, 0.1 mm",
        what: EXACT,
    },
    Method {
        program: "coal",
        method: "advance-distance",
        step: "1e-3",
        name: "coal advance, distance, 1 mm",
        what: EXACT,
    },
    Method { program: "coal", method: "halve-bound", step: "1e-3", name: "coal halve, bounds, 1 mm", what: HALVE },
    Method { program: "coal", method: "halve-distance", step: "1e-3", name: "coal halve, distance, 1 mm", what: HALVE },
    Method { program: "coal", method: "sample-deg", step: "5", name: "coal samples, 5°", what: SAMPLES },
    Method { program: "coal", method: "sample-deg", step: "2", name: "coal samples, 2°", what: SAMPLES },
    Method { program: "coal", method: "sample-deg", step: "1", name: "coal samples, 1°", what: SAMPLES },
    Method { program: "coal", method: "sample-deg", step: "0.5", name: "coal samples, 0.5°", what: SAMPLES },
    Method { program: "coal", method: "sample-m", step: "1e-3", name: "coal samples, 1 mm", what: SAMPLES },
    Method { program: "fcl", method: "sample-deg", step: "0.5", name: "FCL samples, 0.5°", what: SAMPLES },
    Method {
        program: "fcl",
        method: "naive",
        step: "10",
        name: "FCL naive, 10",
        what: "continuousCollide with its default options; the path depends on uninitialised memory",
    },
    Method { program: "fcl", method: "naive-own", step: "100", name: "FCL naive, 100", what: OTHER_MOTION },
    Method { program: "fcl", method: "advance-rss", step: "10", name: "FCL advance, RSS", what: OTHER_MOTION },
    Method { program: "fcl", method: "advance-obbrss", step: "10", name: "FCL advance, OBBRSS", what: OTHER_MOTION },
    Method {
        program: "tesseract",
        method: "cast",
        step: "0",
        name: "Bullet cast (Tesseract)",
        what: "convex hulls of links, swept straight between the ends, verdict only",
    },
];

/// The method that judges: coal's advancement by exact distances in steps of at least this length, metres.
pub const JUDGE: Method = Method {
    program: "coal",
    method: "advance-distance",
    step: "2e-5",
    name: "coal, 20 µm",
    what: "conservative advancement by the exact distance; steps no shorter",
};
/// The smallest step of the judge, metres.
pub const JUDGE_STEP_M: f64 = 2e-5;
/// Gap at which coal may already report a hit, metres.
pub const JUDGE_GAP_M: f64 = 1e-6;

/// The folder of the methods' programs.
#[derive(Debug)]
pub struct Programs<'a>(pub Option<&'a Path>);

impl Programs<'_> {
    /// The file of a program, or the reason why it is missing and the remedy.
    pub fn find(&self, program: &str) -> Result<PathBuf, String> {
        const HOW: &str = "benches/peers/setup.sh VENV BUILD makes it, --peers BUILD finds it";
        let Some(folder) = self.0 else { return Err(format!("not looked for: {HOW}")) };
        let file = folder.join(program);
        // A name without a folder would be searched for in the system's folders.
        let file = std::path::absolute(&file).unwrap_or(file);
        if file.is_file() { Ok(file) } else { Err(format!("not found in {}: {HOW}", folder.display())) }
    }
}
