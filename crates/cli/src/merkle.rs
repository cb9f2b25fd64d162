//! The Merkle tree over the answers of a run: RFC 6962 over blocks of 4,096, so that its root does not depend on how
//! the run was split into shards.

use firstcontact_verifier::Hash;
use firstcontact_verifier::merkle::{BLOCK, leaf, root};

/// Leaves that arrive one by one, in the order of the motions.
#[derive(Clone, Debug, Default)]
pub struct MerkleTree {
    /// Roots of the blocks that are full.
    blocks: Vec<Hash>,
    /// Leaves of the last block.
    leaves: Vec<Hash>,
}

impl MerkleTree {
    /// Adds the line of an answer, without its line end.
    pub fn add_line(&mut self, line: &[u8]) {
        self.add(leaf(line));
    }

    /// Adds the hash of a leaf.
    pub fn add(&mut self, leaf: Hash) {
        self.leaves.push(leaf);
        if self.leaves.len() == BLOCK {
            self.blocks.push(root(&self.leaves));
            self.leaves.clear();
        }
    }

    /// The roots of all blocks; only the last block can have fewer leaves than the others.
    pub fn blocks(&self) -> Vec<Hash> {
        let last = (!self.leaves.is_empty()).then(|| root(&self.leaves));
        self.blocks.iter().copied().chain(last).collect()
    }

    /// The root over everything, in hexadecimal digits.
    pub fn root(&self) -> String {
        hex(&root(&self.blocks()))
    }
}

/// A hash in hexadecimal digits.
pub fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash with these hexadecimal digits; `None` for other texts.
pub fn from_hex(text: &str) -> Option<Hash> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let bytes: Vec<u8> = digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| 16 * byte + digit)).collect();
    if text.len() == 64 { bytes.try_into().ok() } else { None }
}
