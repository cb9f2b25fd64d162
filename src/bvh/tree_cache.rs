//! A scene's tree on disk, for later runs: only its topology.
//!
//! Boxes are always computed from the triangles, so a wrong file cannot hide a collision. It could cost time, so it is
//! accepted only if its key matches the triangles, its checksum matches its content, and its content is a tree over all
//! of them.
//!
//! A file contains: [`MAGIC`], the key, the numbers of primitives, leaves and nodes (u64); the order, the start of each
//! leaf, the children of the nodes as encoded by [`ChildRef::encode`] (u32); the BLAKE3 hash of all this. Numbers are
//! little-endian.

use crate::bvh::tree::{ChildRef, WIDTH, WideTree};
use crate::error::{Error, ErrorKind, Result};
use crate::io::output;
use crate::robot::Triangle;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

/// The first bytes of a file: its name and the version of its format.
const MAGIC: &[u8; 8] = b"FCTREE\0\x01";
/// Bytes before the tree.
const HEAD: usize = 8 + 32 + 24;
/// Bytes after the tree.
const HASH: usize = 32;

/// A hash of everything on which a tree depends.
pub type Key = [u8; 32];

/// The result of looking up a cache.
pub enum Cached {
    /// The tree.
    Tree(WideTree),
    /// The file does not exist.
    Nothing,
    /// The file is invalid, for this reason.
    Unusable(String),
}

/// The key of a tree over triangles in their original order, built with these parameters.
pub fn key(triangles: &[Triangle], max_leaf: u32, block: usize) -> Key {
    let mut hash = blake3::Hasher::new();
    hash.update(MAGIC).update(&max_leaf.to_le_bytes()).update(&(block as u64).to_le_bytes());
    // Other versions may build different trees.
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    hash.update(bytemuck::cast_slice(triangles));
    *hash.finalize().as_bytes()
}

/// Looks up the tree of a key over `n` primitives.
pub fn load(path: &Path, key: &Key, n: u32, max_leaf: u32) -> Cached {
    match File::open(path) {
        Ok(file) => read(file, key, n, max_leaf).map_or_else(|why| Cached::Unusable(why.into()), Cached::Tree),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Cached::Nothing,
        Err(cause) => Cached::Unusable(format!("it cannot be read: {cause}")),
    }
}

fn read(file: File, key: &Key, n: u32, max_leaf: u32) -> std::result::Result<WideTree, &'static str> {
    const UNREADABLE: &str = "it cannot be read";
    const DAMAGED: &str = "it is damaged";
    let metadata = file.metadata().map_err(|_| UNREADABLE)?;
    if !metadata.is_file() {
        return Err("it is not a file");
    }
    let mut from = Hashing { from: BufReader::with_capacity(1 << 20, file), hash: blake3::Hasher::new() };
    let mut head = [0; HEAD];
    from.bytes(&mut head).ok_or("it is truncated")?;
    if head[..MAGIC.len()] != *MAGIC {
        return Err("it is not a tree of this version");
    }
    if head[8..40] != *key {
        return Err("it belongs to another scene");
    }
    let count = |at: usize| head[at..at + 8].iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
    let [primitives, leaves, nodes] = [count(40), count(48), count(56)];
    // No tree has more leaves than primitives; the length bounds the nodes, and the memory allocated for them.
    if primitives != u64::from(n) || leaves > primitives || nodes > u64::from(u32::MAX) {
        return Err(DAMAGED);
    }
    let words = primitives + leaves + 1 + nodes * WIDTH as u64;
    if metadata.len() != (HEAD + HASH) as u64 + 4 * words {
        return Err("it is truncated, or longer than it should be");
    }
    let order = from.words(primitives).ok_or(UNREADABLE)?;
    let leaf_starts = from.words(leaves + 1).ok_or(UNREADABLE)?;
    let mut of_nodes = Vec::with_capacity(nodes as usize);
    for _ in 0..nodes {
        let mut bytes = [0; 4 * WIDTH];
        from.bytes(&mut bytes).ok_or(UNREADABLE)?;
        of_nodes.push(std::array::from_fn(|i| ChildRef::decode(word(&bytes[4 * i..]))));
    }
    let computed = *from.hash.finalize().as_bytes();
    let mut hash = [0; HASH];
    from.from.read_exact(&mut hash).map_err(|_| UNREADABLE)?;
    if hash != computed {
        return Err(DAMAGED);
    }
    WideTree::from_parts(of_nodes, order, leaf_starts, n, max_leaf)
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |n, &byte| n << 8 | u32::from(byte))
}

/// Hashes the bytes that are read.
struct Hashing {
    from: BufReader<File>,
    hash: blake3::Hasher,
}

impl Hashing {
    fn bytes(&mut self, to: &mut [u8]) -> Option<()> {
        self.from.read_exact(to).ok()?;
        self.hash.update(to);
        Some(())
    }

    fn words(&mut self, n: u64) -> Option<Vec<u32>> {
        let mut words = Vec::with_capacity(n as usize);
        let mut bytes = [0; 1 << 14];
        while words.len() < n as usize {
            let some = &mut bytes[..4 * (n as usize - words.len()).min(1 << 12)];
            self.bytes(some)?;
            words.extend(some.chunks_exact(4).map(word));
        }
        Some(words)
    }
}

/// Stores a tree; an existing file is replaced only when the new one is complete.
///
/// # Errors
/// The file cannot be written.
pub fn store(path: &Path, key: &Key, tree: &WideTree) -> Result<()> {
    output::write(path, |to| {
        let mut hash = blake3::Hasher::new();
        let mut put = |bytes: &[u8]| {
            hash.update(bytes);
            to.write_all(bytes)
        };
        let mut all = || {
            put(MAGIC)?;
            put(key)?;
            [tree.order.len(), tree.n_leaves(), tree.nodes.len()]
                .iter()
                .try_for_each(|n| put(&(*n as u64).to_le_bytes()))?;
            for words in [&tree.order, &tree.leaf_starts] {
                for some in words.chunks(1 << 12) {
                    put(&some.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>())?;
                }
            }
            tree.nodes.iter().try_for_each(|children| {
                let mut bytes = [0; 4 * WIDTH];
                let places = bytes.chunks_exact_mut(4).zip(children);
                places.for_each(|(to, child)| to.copy_from_slice(&child.encode().to_le_bytes()));
                put(&bytes)
            })
        };
        let written = all().and_then(|()| to.write_all(hash.finalize().as_bytes()));
        written.map_err(|cause| Error::usage(format!("cannot write: {cause}")).in_file(path))
    })
}

/// Loads the tree over triangles from its file, or builds it and stores it there. Returns the tree and a warning, if
/// the file could not be used or written.
pub(crate) fn load_or_build(
    path: &Path,
    triangles: &[Triangle],
    max_leaf: u32,
    block: usize,
    build: impl FnOnce() -> WideTree,
) -> (WideTree, Option<String>) {
    let key = key(triangles, max_leaf, block);
    let mut warning = match load(path, &key, triangles.len() as u32, max_leaf) {
        Cached::Tree(tree) => return (tree, None),
        Cached::Nothing => None,
        Cached::Unusable(why) => Some(format!("{}: {why}; the tree was rebuilt", path.display())),
    };
    let tree = build();
    match store(path, &key, &tree) {
        // Another process is currently writing the file.
        Err(cause) if cause.kind() == ErrorKind::Busy && !output::has_lock_file(path) => {}
        Err(cause) => warning = Some(format!("the scene's tree was not saved: {cause}")),
        Ok(()) => {}
    }
    (tree, warning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::load::Watch;
    use glam::{DVec3, Vec3A};
    use std::fs;

    const N: u32 = 700;

    fn triangles(shift: f64) -> Vec<Triangle> {
        (0..N)
            .map(|i| [0.0, 0.3, 0.7].map(|x| DVec3::new(f64::from(i % 29) + x, f64::from(i % 23) * x, shift)))
            .collect()
    }

    fn built() -> WideTree {
        let boxes: Vec<_> = (0..N).map(|i| [Vec3A::new((i % 29) as f32, (i * 7 % 31) as f32, 0.0); 2]).collect();
        WideTree::build_in_blocks(N, |i| boxes[i as usize], 8, 100, &Watch::default())
    }

    /// The tree read from a changed file, or `None` if it is unusable.
    fn given(bytes: &[u8], key: &Key) -> Option<WideTree> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree");
        fs::write(&path, bytes).unwrap();
        match load(&path, key, N, 8) {
            Cached::Tree(tree) => Some(tree),
            _ => None,
        }
    }

    fn stored(key: &Key) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/tree");
        assert!(matches!(load(&path, key, N, 8), Cached::Nothing));
        store(&path, key, &built()).unwrap();
        fs::read(&path).unwrap()
    }

    #[test]
    fn a_stored_tree_round_trips() {
        let key = key(&triangles(0.0), 8, 100);
        let (back, tree) = (given(&stored(&key), &key).unwrap(), built());
        assert!(back.nodes == tree.nodes && back.order == tree.order && back.leaf_starts == tree.leaf_starts);
    }

    #[test]
    fn keys_differ_by_all_that_trees_depend_on() {
        let mut other = triangles(0.0);
        other[N as usize - 1][2].z = 1e-300;
        let keys = [(&triangles(0.0), 8, 100), (&other, 8, 100), (&triangles(0.0), 9, 100), (&triangles(0.0), 8, 101)];
        let keys = keys.map(|(triangles, leaf, block)| key(triangles, leaf, block));
        assert!((0..4).all(|i| (0..i).all(|k| keys[i] != keys[k])));
        assert!(given(&stored(&keys[0]), &keys[1]).is_none());
    }

    #[test]
    fn any_changed_byte_is_detected() {
        let key = key(&triangles(0.0), 8, 100);
        let bytes = stored(&key);
        for at in (0..bytes.len()).step_by(41).chain(0..HEAD).chain(bytes.len() - HASH..bytes.len()) {
            for bit in [0, 7] {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                assert!(given(&changed, &key).is_none(), "bit {bit} of byte {at}");
            }
        }
        for length in [0, 1, HEAD - 1, HEAD, HEAD + 1, bytes.len() / 2, bytes.len() - HASH, bytes.len() - 1] {
            assert!(given(&bytes[..length], &key).is_none(), "{length} bytes");
        }
        assert!(given(&[bytes.clone(), vec![0]].concat(), &key).is_none());
    }

    /// A file with a correct checksum may still not contain a tree.
    #[test]
    fn invalid_trees_with_a_correct_checksum_are_rejected() {
        let key = key(&triangles(0.0), 8, 100);
        let bytes = stored(&key);
        let sealed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut changed = bytes[..bytes.len() - HASH].to_vec();
            change(&mut changed);
            let hash = *blake3::hash(&changed).as_bytes();
            given(&[changed, hash.to_vec()].concat(), &key)
        };
        assert!(sealed(&|_| {}).is_some());
        for at in (HEAD..bytes.len() - HASH).step_by(4).step_by(7) {
            assert!(sealed(&|b| b[at + 3] ^= 0x80).is_none(), "word {}", (at - HEAD) / 4);
        }
        for (at, n) in [(40, N - 1), (48, 0), (48, u32::MAX), (56, 0), (56, u32::MAX)] {
            assert!(sealed(&|b| b[at..at + 4].copy_from_slice(&n.to_le_bytes())).is_none());
        }
        assert!(sealed(&|b| b[63] = 0xff).is_none(), "more nodes than can be counted");
        assert!(sealed(&|b| b.truncate(b.len() - 4)).is_none() && sealed(&|b| b.extend([0xff; 32])).is_none());
    }

    #[test]
    fn a_folder_is_not_a_usable_cache() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(load(folder.path(), &[0; 32], N, 8), Cached::Unusable(_)));
        assert!(store(folder.path(), &[0; 32], &built()).is_err());
    }
}
