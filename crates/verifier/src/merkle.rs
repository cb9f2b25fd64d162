//! Merkle trees of RFC 6962 over batches of certificates, with blocks of 4,096.

use sha2::{Digest, Sha256};

use crate::hashes::Hash;

/// Number of leaves of a block.
pub const BLOCK: usize = 4096;

/// The hash of a leaf: the canonical bytes of a certificate, or the line of a result without one.
pub fn leaf(bytes: &[u8]) -> Hash {
    Sha256::new_with_prefix([0]).chain_update(bytes).finalize().into()
}

/// The root over hashes of leaves, or of whole blocks in the same order. No leaves have the SHA-256 of nothing.
///
/// The root over the roots of blocks, of which all but the last have [`BLOCK`] leaves, is the root over all leaves.
pub fn root(hashes: &[Hash]) -> Hash {
    match hashes {
        [] => Sha256::digest([]).into(),
        [hash] => *hash,
        _ => {
            let (left, right) = hashes.split_at(hashes.len().next_power_of_two() / 2);
            Sha256::new_with_prefix([1]).chain_update(root(left)).chain_update(root(right)).finalize().into()
        }
    }
}
