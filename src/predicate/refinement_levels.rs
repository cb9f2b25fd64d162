//! Refinement levels (Redon et al. 2004, section 5.1.1): a link's poses are bounded on `2^r` equal parts of a time
//! interval, once, and all its boxes share these bounds; two links of different levels are tested at the finer one.

/// The parts of a test between bounds of levels `r0` and `r1`, in the order of time, as many as the finer level has:
/// for each part the indices of the first's and of the second's bound that hold there.
pub fn pairs(r0: u32, r1: u32) -> impl Iterator<Item = (usize, usize)> {
    let finest = r0.max(r1);
    (0..1usize << finest).map(move |k| (k >> (finest - r0), k >> (finest - r1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the paper: levels 1 and 2 over [0, 1].
    #[test]
    fn unequal_levels_pair_their_bounds_as_in_the_paper() {
        let interval = |i: usize, n: usize| [i as f64 / n as f64, (i + 1) as f64 / n as f64];
        let used: Vec<_> = pairs(1, 2).map(|(i, j)| (interval(i, 2), interval(j, 4))).collect();
        let expected = [
            ([0.0, 0.5], [0.0, 0.25]),
            ([0.0, 0.5], [0.25, 0.5]),
            ([0.5, 1.0], [0.5, 0.75]),
            ([0.5, 1.0], [0.75, 1.0]),
        ];
        assert_eq!(used, expected);
        assert_eq!(pairs(0, 0).collect::<Vec<_>>(), [(0, 0)]);
        assert!(pairs(2, 0).all(|(_, j)| j == 0) && pairs(2, 0).map(|(i, _)| i).eq(0..4));
    }
}
