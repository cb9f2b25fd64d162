//! The manifest of a run: what was answered, by which shards, and the Merkle root over all answers.

use super::{Part, damaged};
use crate::Outcome;
use crate::merkle::{from_hex, hex};
use crate::shard::{CountedPair, ShardRecord};
use crate::tested;
use firstcontact::{Error, Result};
use firstcontact_verifier::{Hash, merkle};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The form of the manifest.
const FORMAT: &str = "firstcontact-run-1";

/// A run whose shards are complete.
pub struct Manifest {
    json: Value,
    /// Numbers of motions: all, free, with a contact, with a certified one, undecided.
    counts: [u64; 5],
    devices: Vec<String>,
    starts: Starts,
}

/// Starts inside solids and ignored pairs of all shards; `None` if they are not known of some shard.
struct Starts {
    start_inside: Option<u64>,
    inside: Option<Vec<CountedPair>>,
    ignored: Option<Vec<CountedPair>>,
}

impl Starts {
    fn of(parts: &[Part]) -> Self {
        let pairs = |of: fn(&ShardRecord) -> &Option<Vec<CountedPair>>| {
            let mut all = Vec::new();
            for part in parts {
                CountedPair::add(&mut all, of(&part.record).as_deref()?);
            }
            Some(all)
        };
        Self {
            start_inside: parts.iter().map(|part| part.record.start_inside).sum(),
            inside: pairs(|record| &record.inside),
            ignored: pairs(|record| &record.ignored),
        }
    }

    /// Sentences for the summary.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        match self.start_inside {
            Some(0) => {}
            Some(n) => lines.push(format!("{n} motions start inside a closed object or link without touching it")),
            None => lines.push("starts inside solids are unknown for shards that were interrupted and resumed".into()),
        }
        match &self.ignored {
            Some(pairs) if pairs.is_empty() => {}
            Some(pairs) => lines.push(tested::ignored_line(pairs.len())),
            None => lines.push("ignored pairs are unknown for shards that were interrupted and resumed".into()),
        }
        lines
    }
}

impl Manifest {
    /// The manifest of shards in their order.
    ///
    /// # Errors
    /// A record is damaged.
    pub fn new(parts: &[Part]) -> Result<Self> {
        let (mut blocks, mut counts, mut shards) = (Vec::new(), [0; 5], Vec::new());
        let mut devices = BTreeSet::new();
        for part in parts {
            let ShardRecord { first, motions, free, contact, certified, undecided, wall_s, .. } = part.record;
            let own: Option<Vec<Hash>> = part.record.blocks.iter().map(|text| from_hex(text)).collect();
            let own = own.filter(|own| own.len() as u64 == motions.div_ceil(merkle::BLOCK as u64));
            let own = own.ok_or_else(|| damaged(&ShardRecord::path(&part.out), "its Merkle roots are damaged"))?;
            if motions != free + contact + undecided {
                return Err(damaged(&ShardRecord::path(&part.out), "its counts do not add up"));
            }
            shards.push(json!({
                "file": part.out.file_name().map(|name| name.to_string_lossy()), "first": first, "motions": motions,
                "motions_blake3": part.record.run.motions(), "backend": part.record.run.device(),
                "free": free, "contact": contact, "certified": certified, "undecided": undecided,
                "bytes": part.record.bytes, "blake3": part.record.blake3, "merkle_root": hex(&merkle::root(&own)),
                "wall_s": wall_s,
            }));
            blocks.extend(own);
            for (sum, n) in counts.iter_mut().zip([motions, free, contact, certified, undecided]) {
                *sum += n;
            }
            devices.insert(part.record.run.device().to_string());
        }
        let devices: Vec<String> = devices.into_iter().collect();
        let run = parts.first().map(|part| part.record.run.common()).into_iter().flatten();
        let run: Map<String, Value> = run.map(|(name, value)| (name.to_string(), value.into())).collect();
        let [motions, free, contact, certified, undecided] = counts;
        let starts = Starts::of(parts);
        let json = json!({
            "format": FORMAT, "run": run, "backends": devices, "motions": motions, "free": free, "contact": contact,
            "certified": certified, "undecided": undecided, "start_inside": starts.start_inside,
            "inside": starts.inside, "ignored": starts.ignored, "merkle_root": hex(&merkle::root(&blocks)),
            "shards": shards,
        });
        Ok(Self { json, counts, devices, starts })
    }

    /// Its text.
    ///
    /// # Errors
    /// None that is known.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(&self.json).map_err(|e| Error::usage(e.to_string()))
    }

    /// The summary.
    pub fn lines(&self) -> Vec<String> {
        let [motions, free, contact, certified, undecided] = self.counts;
        let by = self.devices.join("; ");
        let mut lines = vec![
            format!(
                "{motions} motions: {free} free, {contact} contact ({certified} certified), {undecided} undecided; \
                 answered by {by}"
            ),
            format!("Merkle root {}", self.json["merkle_root"].as_str().unwrap_or_default()),
        ];
        lines.extend(self.starts.lines());
        lines
    }

    /// The result of the whole run.
    pub fn outcome(&self) -> Outcome {
        match self.counts {
            [_, _, (1..), ..] => Outcome::Contact,
            [.., (1..)] => Outcome::Undecided,
            _ => Outcome::Free,
        }
    }
}
