//! The kernel and its reference: cleared pairs do not touch, however f32 rounds; and most of the pairs that can be
//! cleared are.

use crate::effort;
use crate::harness::emulate::{Emulated, FROM_ZERO, RANDOM, TO_ZERO, UP};
use crate::harness::gpu::{Mutant, skip};
use crate::harness::models::Draw;
use firstcontact::arith::linear::V3;
use firstcontact::arith::rounding::round_up;
use firstcontact::gpu::AdapterChoice;
use firstcontact::gpu::shader::Source;
use firstcontact::stage::layout::TolerancedPair;
use firstcontact::stage::toleranced::{ANY, Fat, corners_of, reference};
use firstcontact::toleranced::batch::Batch;
use firstcontact::toleranced::elementary::FatEdge;
use firstcontact::toleranced::enclosure::Map;
use firstcontact::toleranced::face::{Face, FatFace, Fixed};
use glam::DVec3;

/// A case in which something touches: the pair, and the corners of both triangles whose convex hulls contain the
/// touching points.
struct Touching {
    pair: TolerancedPair,
    of: [u32; 2],
}

/// Random weights of some corners.
fn mix(draw: &mut Draw) -> ([f64; 3], u32) {
    let mask = [1, 2, 4, 3, 6, 5, 7][draw.below(7)];
    let raw: [f64; 3] = std::array::from_fn(|k| if mask >> k & 1 == 1 { draw.between(0.05, 1.0) } else { 0.0 });
    let sum: f64 = raw.iter().sum();
    (raw.map(|x| x / sum), mask)
}

fn at(weights: [f64; 3], points: &[DVec3; 3]) -> DVec3 {
    points[0] * weights[0] + points[1] * weights[1] + points[2] * weights[2]
}

/// A ball between those of some corners touches a point between some fixed corners, slightly deeper than the surface.
fn touching(draw: &mut Draw) -> Touching {
    let size = [0.01, 1.0, 30.0][draw.below(3)];
    let far = [0.0, 1.0, 1e3][draw.below(3)];
    let centre = draw.vector(far);
    let c = [0, 1, 2].map(|_| centre + draw.vector(size));
    let (lambda, a) = mix(draw);
    let (mu, b) = mix(draw);
    let reach = [1e-4, 0.1, 1.0][draw.below(3)] * size;
    let radius = [0, 1, 2].map(|_| reach * draw.between(0.2, 1.0));
    let r = lambda[0] * radius[0] + lambda[1] * radius[1] + lambda[2] * radius[2];
    let n = draw.direction();
    // In most cases all the other corners are beyond the touching plane, so that a normal is nearly good enough.
    let touch = at(lambda, &c) - n * (r * (1.0 - 1e-12) - 4e-15 * (far + size));
    let mut q = [0, 1, 2].map(|_| {
        let v = draw.vector(size);
        touch + v - n * v.dot(n).max(0.0) * 2.0
    });
    let shift = touch - at(mu, &q);
    q = q.map(|p| p + shift);
    let v = |p: [DVec3; 3]| p.map(V3::new);
    Touching { pair: Fat { c: v(c), radius, q: v(q) }.to_device(), of: [a, b] }
}

/// Coordinates that f32 represents exactly, and a point of both triangles: a corner in a face or on an edge, or two
/// edges that cross. The radius is too small to hide rounding errors.
fn touching_exactly(draw: &mut Draw) -> Touching {
    let grid = |v: DVec3| (v * 256.0).round() / 256.0;
    let mut any = || grid(draw.vector(4.0));
    let (x, mut c, mut q) = (any(), [any(), any(), any()], [any(), any(), any()]);
    let [a, b] = [0, 1].map(|_| [1, 3, 7][draw.below(3)]);
    // Opposite ends of an edge, or three corners whose weights are a half, a quarter and a quarter.
    let through = |t: &mut [DVec3; 3], corners: u32| match corners {
        1 => t[0] = x,
        3 => t[1] = x * 2.0 - t[0],
        _ => t[2] = x * 4.0 - t[0] * 2.0 - t[1],
    };
    through(&mut c, a);
    through(&mut q, b);
    let r = [0.0, 1e-9, 1e-7][draw.below(3)];
    let [c0, c1, c2] = c.map(|v| v.as_vec3());
    let [q0, q1, q2] = q.map(|v| v.as_vec3());
    let pair = TolerancedPair { c0, c1, c2, q0, q1, q2, r0: r, r1: r, r2: r, ..TolerancedPair::default() };
    Touching { pair, of: [a, b] }
}

/// Two corners whose distance is the radius of one of them, rounded up to f32; all else is farther away along the same
/// line, so that the first normal is already the best one.
fn touching_by_a_hair(draw: &mut Draw) -> Touching {
    // From the origin, so that f32 represents the difference of the two exactly, to its last digit.
    let (q, d) = (DVec3::ZERO, draw.vector(4.0).as_vec3().as_dvec3());
    let sides = [0, 1, 2, 3].map(|_| draw.vector(0.1));
    let (q, c) = ([q, q - d + sides[0], q - d + sides[1]], [q + d, q + d * 2.0 + sides[2], q + d * 2.0 + sides[3]]);
    let [i, j] = [draw.below(3), draw.below(3)];
    let turned = |t: [DVec3; 3], k: usize| [0, 1, 2].map(|n| t[(n + 3 - k) % 3].as_vec3());
    let ([c0, c1, c2], [q0, q1, q2]) = (turned(c, i), turned(q, j));
    let r = round_up(d.length());
    let pair = TolerancedPair { c0, c1, c2, q0, q1, q2, r0: r, r1: r, r2: r, ..TolerancedPair::default() };
    Touching { pair, of: [1 << i, 1 << j] }
}

/// Cases of all kinds.
fn cases(draw: &mut Draw, n: usize) -> Vec<Touching> {
    let mut case = |i: usize| match i % 4 {
        0 | 1 => touching(draw),
        2 => touching_exactly(draw),
        _ => touching_by_a_hair(draw),
    };
    (0..n).map(&mut case).collect()
}

/// The pair as the kernel has it, in double precision.
fn plain(p: &TolerancedPair) -> Fat<f64> {
    let v = |v: glam::Vec3| V3::new(v.as_dvec3());
    Fat { c: [v(p.c0), v(p.c1), v(p.c2)], radius: [p.r0, p.r1, p.r2].map(f64::from), q: [v(p.q0), v(p.q1), v(p.q2)] }
}

/// Bits that must be kept: those about all corners whose convex hulls contain the touching points.
fn must_stand(of: [u32; 2]) -> u32 {
    let stands = |bit: &u32| {
        let [a, b] = corners_of(*bit);
        of[0] & !a == 0 && of[1] & !b == 0
    };
    (0..=ANY).filter(stands).fold(0, |bits, bit| bits | 1 << bit)
}

/// The pair as the kernel has it, in emulated arithmetic.
fn emulated<const M: u8>(p: &TolerancedPair) -> Fat<Emulated<M>> {
    let v = |v: glam::Vec3| V3([Emulated(v.x), Emulated(v.y), Emulated(v.z)]);
    Fat { c: [v(p.c0), v(p.c1), v(p.c2)], radius: [p.r0, p.r1, p.r2].map(Emulated), q: [v(p.q0), v(p.q1), v(p.q2)] }
}

#[test]
fn touching_pairs_are_never_cleared_however_f32_rounds() {
    let mut draw = Draw::new(731);
    let mut cleared = 0;
    for (case, Touching { pair: device, of }) in cases(&mut draw, effort(8_000, 200_000)).into_iter().enumerate() {
        let must = must_stand(of);
        for (mode, bits) in [
            ("f64", plain(&device).standing()),
            ("up", emulated::<UP>(&device).standing()),
            ("to zero", emulated::<TO_ZERO>(&device).standing()),
            ("from zero", emulated::<FROM_ZERO>(&device).standing()),
            ("random", emulated::<RANDOM>(&device).standing()),
        ] {
            assert_eq!(bits & must, must, "case {case}, {mode}: {device:?}");
            cleared += u64::from((!bits & 0xffff).count_ones());
        }
    }
    println!("{cleared} bits were cleared beside");
    assert!(cleared > 1000);
}

pub fn on_adapter(mutant: Option<Mutant>) -> Batch {
    let source = |kernel: &firstcontact::stage::kernel::Kernel| {
        let source = Source::expand(kernel.stem, kernel.source)?;
        mutant.map_or_else(|| Ok(source.clone()), |m| source.replaced(m.old, m.new))
    };
    Batch::with_sources(&AdapterChoice::default(), &source).unwrap_or_else(|e| panic!("{e}"))
}

/// Number of bits that were cleared although something touches.
fn wrong(mutant: Option<Mutant>, n: usize, seed: u64) -> usize {
    let mut batch = on_adapter(mutant);
    let mut draw = Draw::new(seed);
    let cases = cases(&mut draw, n);
    let pairs: Vec<_> = cases.iter().map(|c| c.pair).collect();
    let bits = batch.standing(&pairs).unwrap();
    let wrong = |(case, bits): (&Touching, &u32)| (must_stand(case.of) & !bits).count_ones() as usize;
    cases.iter().zip(&bits).map(wrong).sum()
}

/// A triangle under a ball, and one near it.
fn near(draw: &mut Draw) -> (Face, Map, f64, Fixed) {
    let corners = [0, 1, 2].map(|_| draw.vector(0.3).to_array());
    let face = Face::triangle(corners, 2.0).unwrap();
    let (m, t) = (draw.rotation(), draw.vector(1.0));
    let map = Map::from_rows([0, 1, 2].map(|i| [m.x_axis[i], m.y_axis[i], m.z_axis[i], t[i]])).after(&face.frame);
    let reach = 10f64.powf(draw.between(-4.0, -0.7));
    let by = t + draw.direction() * draw.between(0.0, 0.8);
    let fixed = Fixed::new(&[0, 1, 2].map(|_| (by + draw.vector(0.3)).to_array())).unwrap();
    let radius = reach / face.rho_max;
    (face, map.middle(), radius, fixed)
}

#[test]
fn kernel_clears_all_separable_pairs_and_no_touching_one() {
    if skip() {
        return;
    }
    assert_eq!(wrong(None, effort(50_000, 1_000_000), 732), 0);
    let mut draw = Draw::new(733);
    let cases: Vec<_> = (0..effort(4_000, 50_000)).map(|_| near(&mut draw)).collect();
    let fats: Vec<_> =
        cases.iter().map(|(face, map, radius, fixed)| (FatFace::new(face, map, *radius), fixed)).collect();
    let pairs: Vec<_> =
        fats.iter().map(|(fat, fixed)| firstcontact::toleranced::batch::fat(fat, fixed).unwrap()).collect();
    let bits = on_adapter(None).standing(&pairs.iter().map(Fat::to_device).collect::<Vec<_>>()).unwrap();
    let plain = reference(&pairs);
    let (mut exact, mut kernel, mut double) = (0, 0, 0);
    for (((fat, fixed), bits), plain) in fats.iter().zip(&bits).zip(&plain) {
        let edges: Vec<_> = (0..3).map(|i| FatEdge::new(fat, i)).collect();
        for bit in 0..ANY {
            let clear = match bit {
                0..=2 => fat.vertex_clears(bit as usize, fixed),
                3..=11 => fat.edge_clears(&edges[(bit as usize - 3) / 3], fixed, (bit as usize - 3) % 3),
                _ => fat.face_clears(&edges, fixed, bit as usize - 12),
            };
            let cleared = bits >> bit & 1 == 0;
            assert!(clear || !cleared, "bit {bit}: the kernel clears what the exact test does not");
            exact += u32::from(clear);
            kernel += u32::from(clear && cleared);
            double += u32::from(clear && plain >> bit & 1 == 0);
        }
    }
    println!("of {exact} contacts that the exact tests exclude the kernel excludes {kernel}, its reference {double}");
    assert!(f64::from(kernel) > 0.9 * f64::from(exact) && f64::from(kernel) > 0.99 * f64::from(double));
}

#[test]
fn mutants_are_caught() {
    if skip() {
        return;
    }
    for (old, new) in [
        ("const PLANE_ROUNDINGS: f32 = 16.0;", "const PLANE_ROUNDINGS: f32 = 0.0;"),
        ("(low > 0.0 && low * low > need)", "(low * low > need)"),
        ("(low > 0.0 && low * low > need)", "(low > 0.0)"),
        ("let reach2 = radius[i] * radius[i] * length2;", "let reach2 = radius[i] * radius[i];"),
        ("let reach2 = radius[i] * radius[i] * length2;", "let reach2 = 0.99 * (radius[i] * radius[i] * length2);"),
        (
            "let asked = (which.x >> i & 1u) != 0u && (which.y >> j & 1u) != 0u;",
            "let asked = i == firstTrailingBit(which.x);",
        ),
        ("let d = moving[i] - fixed[j];", "let d = moving[i] - fixed[first_b];"),
        ("return shown == 9u;", "return shown > 5u;"),
        (
            "return select(select(5u, 6u, k == 1u), 3u, k == 0u);",
            "return select(select(5u, 3u, k == 1u), 6u, k == 0u);",
        ),
    ] {
        let n = wrong(Some(Mutant { old, new }), effort(50_000, 200_000), 732);
        println!("{n} wrong with '{new}'");
        assert!(n > 0, "'{new}' goes unseen");
    }
}
