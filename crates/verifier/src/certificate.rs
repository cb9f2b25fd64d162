//! The bytes of a certificate.

use crate::hashes::Hash;
use crate::refusal::{Refusal, require};

/// The answer that a certificate proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing touches during the whole motion.
    Free,
    /// Nothing touches until the end, and the witness touches at or after it.
    Contact,
    /// Nothing touches until the end; a contact after it is not proved.
    PossibleContact,
    /// Nothing touches until the end.
    Undecided,
}

/// A time of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// The segment.
    pub segment: usize,
    /// Local time in the segment, in [0, 1].
    pub local: f64,
}

/// A triangle of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTriangle {
    /// The link.
    pub link: usize,
    /// Triangle of the link.
    pub triangle: usize,
}

/// A triangle that a link touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// A triangle of an object of the scene.
    Object {
        /// The object.
        object: usize,
        /// Triangle of the object.
        triangle: usize,
    },
    /// A triangle of another link.
    Link(LinkTriangle),
}

/// Two triangles that touch, or are within the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Witness {
    /// The time.
    pub time: Time,
    /// The triangle of the link.
    pub a: LinkTriangle,
    /// The other triangle.
    pub b: Other,
}

/// Everything before the proofs.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The answer.
    pub kind: Kind,
    /// SHA-256 of the motion.
    pub motion: Hash,
    /// The margin, in metres.
    pub margin_m: f64,
    /// The joint tolerance of each column, or empty.
    pub joint_tolerance: Vec<f64>,
    /// The end: nothing touches until then.
    pub end: Time,
    /// The witness of a contact.
    pub witness: Option<Witness>,
}

/// One step of a proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    SplitTime,
    SplitA,
    SplitB,
    Excluded,
    /// Separated by an axis; of the type 4 to 12.
    Separated {
        axis: [f64; 3],
    },
}

/// Unread bytes.
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let (first, rest) = self.0.split_first_chunk().ok_or_else(|| Refusal::new("the bytes end too early"))?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn byte(&mut self) -> Result<u8, Refusal> {
        self.array().map(|[byte]| byte)
    }

    pub fn count(&mut self) -> Result<usize, Refusal> {
        self.array().map(|bytes| u32::from_le_bytes(bytes) as usize)
    }

    fn float(&mut self) -> Result<f64, Refusal> {
        self.array().map(f64::from_le_bytes)
    }

    fn time(&mut self) -> Result<Time, Refusal> {
        let time = Time { segment: self.count()?, local: self.float()? };
        require(time.local >= 0.0 && time.local <= 1.0, || format!("the time {} is not in [0, 1]", time.local))?;
        Ok(time)
    }

    fn link_triangle(&mut self) -> Result<LinkTriangle, Refusal> {
        Ok(LinkTriangle { link: self.count()?, triangle: self.count()? })
    }

    fn witness(&mut self) -> Result<Witness, Refusal> {
        let (time, a) = (self.time()?, self.link_triangle()?);
        let b = match self.byte()? {
            0 => Other::Object { object: self.count()?, triangle: self.count()? },
            1 => Other::Link(self.link_triangle()?),
            other => return Err(Refusal::new(format!("{other} is not a kind of triangle"))),
        };
        Ok(Witness { time, a, b })
    }

    /// The type of the next step, and the step.
    pub fn step(&mut self) -> Result<(u8, Step), Refusal> {
        let mut axis = [0.0; 3];
        let byte = self.byte()?;
        match byte {
            0 => return Ok((byte, Step::SplitTime)),
            1 => return Ok((byte, Step::SplitA)),
            2 => return Ok((byte, Step::SplitB)),
            3 => return Ok((byte, Step::Excluded)),
            4..=9 => axis[usize::from(byte - 4) / 2] = if byte % 2 == 0 { 1.0 } else { -1.0 },
            10 => axis = self.array::<3>()?.map(|byte| f64::from(byte as i8)),
            11 => {
                for entry in &mut axis {
                    *entry = f64::from(i16::from_le_bytes(self.array()?));
                }
            }
            12 => {
                for entry in &mut axis {
                    *entry = self.float()?;
                }
            }
            other => return Err(Refusal::new(format!("{other} is not a step"))),
        }
        Ok((byte, Step::Separated { axis }))
    }
}

impl Claim {
    /// Reads the claim and leaves the proofs.
    pub(crate) fn read(bytes: &mut Bytes) -> Result<Self, Refusal> {
        let version = bytes.byte()?;
        require(version == 1, || format!("version {version} is not 1"))?;
        let kind = match bytes.byte()? {
            0 => Kind::Free,
            1 => Kind::Contact,
            2 => Kind::PossibleContact,
            3 => Kind::Undecided,
            other => return Err(Refusal::new(format!("{other} is not a kind of certificate"))),
        };
        let (motion, margin_m) = (bytes.array()?, bytes.float()?);
        let joint_tolerance = bytes.tolerances()?;
        let end = bytes.time()?;
        let witness = if kind == Kind::Contact { Some(bytes.witness()?) } else { None };
        Ok(Self { kind, motion, margin_m, joint_tolerance, end, witness })
    }
}

impl Bytes<'_> {
    fn tolerances(&mut self) -> Result<Vec<f64>, Refusal> {
        let n = self.count()?;
        require(n <= self.0.len() / 8, || "the bytes end too early".into())?;
        (0..n).map(|_| self.float()).collect()
    }
}

/// A certificate that is read but not verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Everything before the proofs.
    pub claim: Claim,
    /// Number of bytes.
    pub n_bytes: usize,
    /// Number of proved pairs.
    pub n_pairs: usize,
    /// Number of steps of each type, by the byte of the format.
    pub steps: [u64; 13],
    /// Number of steps by depth in the tree of their pair.
    pub depths: Vec<u64>,
}

/// Largest depth of a proof that [`Outline::new`] reads.
const MAX_DEPTH: usize = 1 << 20;

impl Outline {
    /// Reads the canonical bytes of a certificate without robot, scene or motion.
    pub fn new(certificate: &[u8]) -> Result<Self, Refusal> {
        let mut bytes = Bytes(certificate);
        let claim = Claim::read(&mut bytes)?;
        let mut outline = Self { claim, n_bytes: certificate.len(), n_pairs: 0, steps: [0; 13], depths: Vec::new() };
        while !bytes.0.is_empty() {
            outline.read_pair(&mut bytes)?;
        }
        Ok(outline)
    }

    fn read_pair(&mut self, bytes: &mut Bytes) -> Result<(), Refusal> {
        self.n_pairs += 1;
        let mut depths = vec![0];
        while let Some(depth) = depths.pop() {
            require(depth < MAX_DEPTH, || format!("the proof is deeper than {MAX_DEPTH}"))?;
            let (byte, _) = bytes.step()?;
            self.steps[usize::from(byte)] += 1;
            if self.depths.len() <= depth {
                self.depths.resize(depth + 1, 0);
            }
            self.depths[depth] += 1;
            if byte <= 2 {
                depths.extend([depth + 1; 2]);
            }
        }
        Ok(())
    }
}
