//!use lib/queue
// Turns the length of a queue into the size of the dispatch that processes it: two-dimensional, since one dimension ends at
// 65,535 workgroups; or into the number of instances of a drawing.

@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> arguments: array<u32, 4>;
@group(1) @binding(0) var<uniform> current: Pass;

const ROW: u32 = 32768u;

@compute @workgroup_size(1)
fn size() {
    let invocations = queue_length(current.input, current.capacity) * current.invocations;
    if current.vertices != 0u {
        arguments[0] = current.vertices;
        arguments[1] = invocations;
        // The first vertex and the first instance.
        arguments[2] = 0u;
        arguments[3] = 0u;
        return;
    }
    let workgroups = (invocations + 63u) / 64u;
    arguments[0] = min(workgroups, ROW);
    arguments[1] = (workgroups + ROW - 1u) / ROW;
    arguments[2] = 1u;
}
