//! Motions in which something may touch, for questions that need no more: parts of trajectories.

use crate::stage::Piece;

/// The motions of a chunk in which something may touch, if the caller needs only that; the search in such a motion ends
/// with its first pair. Otherwise no motion is in the set.
#[derive(Debug, Default)]
pub struct Possible(Option<Vec<bool>>);

impl Possible {
    /// The empty set for a chunk of `n_motions`, which remains empty unless `is_requested`.
    pub(super) fn new(is_requested: bool, n_motions: usize) -> Self {
        Self(is_requested.then(|| vec![false; n_motions]))
    }

    /// Returns whether the caller needs this set.
    pub(super) fn is_requested(&self) -> bool {
        self.0.is_some()
    }

    /// Adds a motion.
    pub(super) fn add(&mut self, motion: usize) {
        if let Some(all) = &mut self.0 {
            all[motion] = true;
        }
    }

    /// Adds the motions of another set for the same motions.
    pub(super) fn extend(&mut self, other: &Self) {
        for motion in other.0.iter().flatten().zip(0..).filter_map(|(is_in, motion)| is_in.then_some(motion)) {
            self.add(motion);
        }
    }

    /// Returns whether something may touch in a motion, if the set was requested.
    pub fn has(&self, motion: usize) -> bool {
        self.0.as_ref().is_some_and(|all| all[motion])
    }

    /// Returns whether a piece is part of a motion in the set.
    pub(super) fn has_piece(&self, piece: &Piece) -> bool {
        self.has(piece.motion as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_are_in_the_set_only_if_it_was_requested() {
        for is_requested in [false, true] {
            let (mut all, mut other) = (Possible::new(is_requested, 3), Possible::new(true, 3));
            all.add(0);
            other.add(2);
            all.extend(&other);
            assert_eq!([0, 1, 2].map(|motion| all.has(motion)), [is_requested, false, is_requested]);
        }
        assert!(!Possible::default().has(7));
    }
}
