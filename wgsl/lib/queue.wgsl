//!use lib/chunk
// Queues that count on past their capacity. A kernel that uses this declares `chunk` and `control`, whose first words
// are the counters, followed by the redo bits of the pieces and the limits of the motions.

fn mark_redo(piece: u32) {
    atomicOr(&control[chunk.redo_at + piece / 32u], 1u << (piece % 32u));
}

// The place for one more entry, or NONE if the queue is full: then the piece is marked to be done again.
fn queue_slot(counter: u32, capacity: u32, piece: u32) -> u32 {
    let slot = atomicAdd(&control[counter], 1u);
    if slot >= capacity {
        mark_redo(piece);
        return NONE;
    }
    return slot;
}

// Number of entries to process.
fn queue_length(counter: u32, capacity: u32) -> u32 {
    return min(atomicLoad(&control[counter]), capacity);
}
