//!use lib/queue
// Turns the length of a queue into the arguments of the indirect dispatch that processes it, or of an indirect draw,
// and likewise for the dispatch after it, if its queue is also complete.
// Dispatches are two-dimensional because one dimension is limited to 65,535 workgroups.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
// Four words for a dispatch or draw, and four for the next one.
@group(0) @binding(2) var<storage, read_write> indirect_args: array<u32, 8>;
@group(1) @binding(0) var<uniform> routing: Routing;

const ROW: u32 = 32768u;

// Arguments of a dispatch, from the given word on.
fn write_workgroups(at: u32, invocations: u32) {
    let workgroups = (invocations + 63u) / 64u;
    indirect_args[at] = min(workgroups, ROW);
    indirect_args[at + 1u] = (workgroups + ROW - 1u) / ROW;
    indirect_args[at + 2u] = 1u;
}

@compute @workgroup_size(1)
fn write_args() {
    let invocations = queue_length(routing.input, routing.capacity) * routing.invocations;
    if routing.vertices != 0u {
        indirect_args[0] = routing.vertices;
        indirect_args[1] = invocations;
        // First vertex and first instance.
        indirect_args[2] = 0u;
        indirect_args[3] = 0u;
        return;
    }
    write_workgroups(0u, invocations);
    if routing.next_invocations != 0u {
        write_workgroups(4u, queue_length(routing.next_input, routing.next_capacity) * routing.next_invocations);
    }
}
