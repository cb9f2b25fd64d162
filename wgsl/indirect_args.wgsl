//!use lib/queue
// Turns the length of a queue into the arguments of the indirect dispatch that processes it, or of an indirect draw.
// Dispatches are two-dimensional because one dimension is limited to 65,535 workgroups.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> indirect_args: array<u32, 4>;
@group(1) @binding(0) var<uniform> routing: Routing;

const ROW: u32 = 32768u;

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
    let workgroups = (invocations + 63u) / 64u;
    indirect_args[0] = min(workgroups, ROW);
    indirect_args[1] = (workgroups + ROW - 1u) / ROW;
    indirect_args[2] = 1u;
}
