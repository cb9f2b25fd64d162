//!use lib/chunk
// Cutoffs of motions. A kernel that uses this declares `chunk` and `control`. For each motion, `control` contains the
// complement of the number of slices that remain, so that cleared memory means all of them. None remain of a motion
// that certainly starts within the margin.

fn slices_left(motion: u32) -> u32 {
    return ~atomicLoad(&control[chunk.cutoffs_at + motion]);
}

// Removes all slices of a motion but the first `n`.
fn keep_slices(motion: u32, n: u32) {
    atomicMax(&control[chunk.cutoffs_at + motion], ~n);
}

// The sub-intervals of a part of a motion that remain.
fn mask_until_cutoff(motion: u32, index: u32) -> u32 {
    let left = slices_left(motion);
    let first = index * (SUBS * SLICES);
    if left <= first {
        return 0u;
    }
    return ALL_SUBS >> (SUBS - min((left - first - 1u) / SLICES + 1u, SUBS));
}
