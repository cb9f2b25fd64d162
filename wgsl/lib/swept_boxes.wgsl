//!use lib/bound
// Boxes in all sub-intervals of a piece. A kernel that uses this defines `box_vector(i)`, the i-th vector of its boxes:
// lowest x y z and highest x y z of each box, as four vectors of four sub-intervals each.

const BOX_VECTORS: u32 = 24u;

// The marked sub-intervals in which the box that begins at `at` may overlap a static one.
fn overlapping_subs(at: u32, marked: u32, fixed: Box) -> u32 {
    var apart = 0u;
    for (var q = 0u; q < 4u; q += 1u) {
        if (marked >> (4u * q) & 15u) == 0u {
            continue;
        }
        let x = (box_vector(at + q) > vec4<f32>(fixed.hi.x)) | (vec4<f32>(fixed.lo.x) > box_vector(at + 12u + q));
        let y = (box_vector(at + 4u + q) > vec4<f32>(fixed.hi.y)) | (vec4<f32>(fixed.lo.y) > box_vector(at + 16u + q));
        let z = (box_vector(at + 8u + q) > vec4<f32>(fixed.hi.z)) | (vec4<f32>(fixed.lo.z) > box_vector(at + 20u + q));
        let bits = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), x | y | z);
        apart |= (bits.x | bits.y | bits.z | bits.w) << (4u * q);
    }
    return marked & ~apart;
}
