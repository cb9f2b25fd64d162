//!use lib/chunk
// Intervals (lowest, highest) with outward rounding: src/arith/interval.rs in f32.

const IV_STEP: f32 = 4.0;

// Moves the ends outward by four units of their size: a computed end is within one unit of the exact one, and the step
// itself rounds twice.
fn iv_outward(lo: f32, hi: f32) -> vec2<f32> {
    let step = IV_STEP * UNIT;
    return vec2<f32>(lo - (abs(lo) * step + UNDERFLOW), hi + (abs(hi) * step + UNDERFLOW));
}

// An interval around a number that was rounded once.
fn iv_around(x: f32) -> vec2<f32> {
    return iv_outward(x, x);
}

fn iv_add(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return iv_outward(a.x + b.x, a.y + b.y);
}

fn iv_mul(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let p = a.x * b.x;
    let q = a.x * b.y;
    let r = a.y * b.x;
    let s = a.y * b.y;
    return iv_outward(min(min(p, q), min(r, s)), max(max(p, q), max(r, s)));
}
