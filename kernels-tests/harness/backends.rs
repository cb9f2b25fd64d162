//! The engine on each of its backends, and the required agreement of two runs.
//!
//! Tests on a graphics adapter use the first one that the Vulkan loader finds. To run them on a second, unrelated
//! implementation, get SwiftShader: `apt-get download chromium-common`, `dpkg -x` it into some folder, and pass the
//! path of its only driver to the loader:
//!
//! ```text
//! VK_ICD_FILENAMES=FOLDER/usr/lib/chromium/vk_swiftshader_icd.json \
//!     cargo test --release --test kernels-tests -- --test-threads=1 gpu
//! ```
//!
//! The library's path in that file is relative to the file; edit it in a copy in another folder. Use one thread,
//! because this driver uses all cores itself.

use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;

/// The default options on a backend.
pub fn on(backend: Backend) -> Options {
    Options { backend, ..Options::default() }
}

/// Builds an engine. A missing adapter is a failure, because a test that does not run tests nothing.
pub fn engine(robot: &Robot, scene: &Scene, allowed: &[(u32, u32)], options: Options) -> Engine {
    let hint = if options.backend == Backend::Gpu {
        "tests on an adapter need one: install mesa-vulkan-drivers and libvulkan1, or set FIRSTCONTACT_GPU=skip"
    } else {
        ""
    };
    let builder = Engine::builder(robot, scene).options(options).allow(allowed.iter().copied());
    builder.build().unwrap_or_else(|e| panic!("{e} {hint}"))
}

/// The engine's answers.
pub fn verdicts(engine: &Engine, motions: &[(Vec<f64>, Vec<f64>)]) -> Vec<Verdict> {
    let (start, end): (Vec<_>, Vec<_>) = motions.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).unzip();
    let report = engine.check(&MotionBatch::between(&start, &end).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(report.verdicts.len(), motions.len());
    report.verdicts
}

/// The differences that two runs of the same motions must not have: in the kind of the verdict and whether a contact is
/// proved, unless one is undecided, and enclosures that do not overlap.
pub fn differences(a: &[Verdict], b: &[Verdict]) -> Vec<String> {
    assert_eq!(a.len(), b.len());
    let differ = |x: &Verdict, y: &Verdict| match (x, y) {
        (Verdict::Undecided(_), _) | (_, Verdict::Undecided(_)) | (Verdict::Free, Verdict::Free) => false,
        (Verdict::Contact(x), Verdict::Contact(y)) => {
            x.is_proved() != y.is_proved() || x.toc[0] > y.toc[1] || y.toc[0] > x.toc[1]
        }
        _ => true,
    };
    let pairs = a.iter().zip(b).enumerate().filter(|(_, (x, y))| differ(x, y));
    pairs.map(|(i, (x, y))| format!("motion {i}: {x:?} but {y:?}")).collect()
}

/// The number of verdicts of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub motions: usize,
    pub free: usize,
    pub contact: usize,
    pub proved: usize,
    pub certified: usize,
    pub undecided: usize,
}

impl Tally {
    pub fn of(verdicts: &[Verdict]) -> Self {
        let mut tally = Self { motions: verdicts.len(), ..Self::default() };
        for verdict in verdicts {
            match verdict {
                Verdict::Free => tally.free += 1,
                Verdict::Undecided(_) => tally.undecided += 1,
                Verdict::Contact(c) => {
                    tally.contact += 1;
                    tally.proved += usize::from(c.is_proved());
                    tally.certified += usize::from(c.is_certified());
                }
            }
        }
        tally
    }
}
