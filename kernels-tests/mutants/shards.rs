//! The list: shards of a run, and their join.

use super::{Mutant, m};

const MERGE: &str = "crates/cli/src/merge.rs";
const MANIFEST: &str = "crates/cli/src/merge/manifest.rs";
const CERTIFICATES: &str = "crates/cli/src/merge/certificates.rs";
const MERKLE: &str = "crates/cli/src/merkle.rs";
const SHARD: &str = "crates/cli/src/shard.rs";

const MERGED: &str = "cli::shards::merged_shards_are_the_answers_of_one_process";
const REFUSED: &str = "cli::shards::other_and_damaged_shards_are_refused";
const PROOFS: &str = "cli::shards::certificates_of_shards_are_those_of_one_process";

/// Mutants of shards and their join.
pub const MUTANTS: &[Mutant] = &[
    m("answers of a record", MERGE, "hash.finalize().to_string() == part.record.blake3", "true", REFUSED),
    m("shards of another run", MERGE, "!differences.is_empty()", "false", REFUSED),
    m("shards of another backend", MERGE, "a != b && !mixed", "false", REFUSED),
    m("missing shards", MERGE, "(0..of).find(", "(0..of).filter(|_| !MUTANT).find(", REFUSED),
    m("motions of a shard", MERGE, "(*first, *motions) != expected", "false", REFUSED),
    m("counts of a shard", MANIFEST, "motions != free + contact + undecided", "false", REFUSED),
    m("certificates of a record", CERTIFICATES, "hash_of(&file)? == of.blake3", "true", PROOFS),
    m("blocks of the Merkle tree", MERKLE, "self.leaves.len() == BLOCK", "self.leaves.len() == BLOCK - 1", MERGED),
    m("whole blocks", SHARD, "n.div_ceil(BLOCK)", "n / BLOCK", MERGED),
];
