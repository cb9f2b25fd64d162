//! The manifest of a run: what was answered, by which shards, and the Merkle root over all answers.

use super::{Part, damaged};
use crate::Outcome;
use crate::merkle::{from_hex, hex};
use crate::shard::ShardRecord;
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
        let json = json!({
            "format": FORMAT, "run": run, "backends": devices, "motions": motions, "free": free, "contact": contact,
            "certified": certified, "undecided": undecided, "merkle_root": hex(&merkle::root(&blocks)),
            "shards": shards,
        });
        Ok(Self { json, counts, devices })
    }

    /// Its text.
    ///
    /// # Errors
    /// None that is known.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(&self.json).map_err(|e| Error::usage(e.to_string()))
    }

    /// The summary.
    pub fn lines(&self) -> [String; 2] {
        let [motions, free, contact, certified, undecided] = self.counts;
        let by = self.devices.join("; ");
        [
            format!(
                "{motions} motions: {free} free, {contact} contact ({certified} certified), {undecided} undecided; \
                 answered by {by}"
            ),
            format!("Merkle root {}", self.json["merkle_root"].as_str().unwrap_or_default()),
        ]
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
