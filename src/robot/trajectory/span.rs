//! Parts of a trajectory, each replaced by a straight motion and a bound on the deviation from it.
//!
//! The parameter `u` in `[0, 1]` covers the whole trajectory, each segment in proportion to its travel. The chord of a
//! span `[u0, u1]` runs linearly in `u` from the computed values at its ends. In Bernstein form the difference between
//! a segment and the chord has the coefficients `b_i - chord(ξ_i)`, where `ξ_i` are the Greville abscissae, and no
//! value exceeds the largest of them.
//!
//! **Rounding.** With `u = 2⁻⁵³` and `M` a bound on the values of a segment of degree `n`, restricting it to a part
//! costs `n` linear interpolations twice, `6 n u M`; the ends of the part in local time are off by `3 u`, which changes
//! a value by at most `3 u · 2 n M`; the chord rounds by `6 u M`: together `(12 n + 6) u M`. A part that keeps the
//! curve of its segment is the polynomial of its coefficients. Instead of the chord, the [phase](crate::robot::phase)
//! of a joint rounds by `4 u M` when it is made and by `(3 n + 4) u · 2 M` where it is evaluated: together
//! `(18 n + 12) u M`, of a whole segment `(6 n + 12) u M`.

use super::{MAX_DEGREE, Trajectory};

/// A point of a trajectory: a segment, and the time relative to it in `[0, 1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Number of the segment, from 0.
    pub segment: usize,
    /// Time relative to the segment.
    pub t: f64,
}

/// A motion, either straight or a part of one segment, and a bound on the deviation of the trajectory from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Span {
    /// Degree of the motion, at least 1.
    pub degree: usize,
    /// Bernstein coefficients `[column][degree + 1]` if the degree is above 1, otherwise empty.
    coefficients: Vec<f64>,
    /// Values of the columns at the start.
    pub start: Vec<f64>,
    /// Values of the columns at the end.
    pub end: Vec<f64>,
    /// Deviation of each column without its rounding, radians or metres.
    pub deviation: Vec<f64>,
    /// Bound on the rounding of each column, radians or metres.
    pub rounding: Vec<f64>,
}

impl Span {
    /// The chord between the values of each column at both ends, whose deviation is not known yet.
    fn begin(&mut self, ends: impl Iterator<Item = [f64; 2]>) {
        self.degree = 1;
        for values in [&mut self.coefficients, &mut self.start, &mut self.end, &mut self.deviation, &mut self.rounding]
        {
            values.clear();
        }
        for [start, end] in ends {
            self.start.push(start);
            self.end.push(end);
            self.deviation.push(0.0);
            self.rounding.push(start.abs().max(end.abs()) * Roundings::Chord.bound(1));
        }
    }

    /// Bernstein coefficients of a column of a motion of degree 2 or more.
    pub fn coefficients(&self, column: usize) -> &[f64] {
        let n = self.degree + 1;
        &self.coefficients[column * n..(column + 1) * n]
    }
}

/// The roundings of a motion along a segment, relative to its values.
#[derive(Clone, Copy)]
enum Roundings {
    /// Of the chord.
    Chord,
    /// Of a part of the curve.
    Part,
    /// Of all of it.
    Whole,
}

impl Roundings {
    /// Their bound for a segment of degree `n`; the first numbers are per degree.
    fn bound(self, n: usize) -> f64 {
        let [per_degree, others] = match self {
            Self::Chord => [12.0, 6.0],
            Self::Part => [18.0, 12.0],
            Self::Whole => [6.0, 12.0],
        };
        (per_degree * n as f64 + others) / (1u64 << 53) as f64
    }
}

/// Factor that covers the rounding of a time.
const OUTWARD: f64 = 4.0 * f64::EPSILON;

impl Trajectory {
    /// The parameter at the start of a segment; 1 for the number of segments as index.
    pub fn knot(&self, segment: usize) -> f64 {
        let n = self.n_segments();
        let total = self.travel[n - 1];
        match (segment, total > 0.0) {
            (0, _) => 0.0,
            (k, _) if k >= n => 1.0,
            (k, true) => (self.travel[k - 1] / total).min(1.0),
            (k, false) => k as f64 / n as f64,
        }
    }

    /// The first segment that ends at `u` or later: a boundary belongs to the earlier segment.
    pub fn segment_at(&self, u: f64) -> usize {
        let (mut lo, mut hi) = (0, self.n_segments() - 1);
        while lo < hi {
            let middle = (lo + hi) / 2;
            if self.knot(middle + 1) >= u {
                hi = middle;
            } else {
                lo = middle + 1;
            }
        }
        lo
    }

    /// The point at `u`, not later than it (or, with `later`, not earlier).
    pub fn place(&self, u: f64, later: bool) -> Place {
        let mut segment = self.segment_at(u);
        // Segments without width may move, but by less than rounding.
        let mut next = segment + 1;
        while later && self.knot(next) <= u && self.has_no_width(next) {
            if self.moves(next) {
                segment = next;
            }
            next += 1;
        }
        let (from, until) = (self.knot(segment), self.knot(segment + 1));
        let width = until - from;
        // If the first segment has no width, all of it is at 0.
        let is_start = u <= from && !(later && self.moves(segment));
        let t = if u >= until && !is_start {
            1.0
        } else if u <= from || !(width > 0.0) {
            0.0
        } else if width == 1.0 {
            u
        } else {
            (u - from) / width * if later { 1.0 + OUTWARD } else { 1.0 - OUTWARD }
        };
        Place { segment, t: t.clamp(0.0, 1.0) }
    }

    /// The time of a point in seconds, not later than it (or, with `later`, not earlier). `None` without times.
    pub fn time_s(&self, place: Place, later: bool) -> Option<f64> {
        let times_s = self.times_s()?;
        let [from, until] = [times_s[place.segment], times_s[place.segment + 1]];
        let outward = OUTWARD * (from.abs() + until.abs());
        Some(match place.t {
            t if t <= 0.0 => from,
            t if t >= 1.0 => until,
            t if later => (from + (until - from) * t + outward).min(until),
            t => (from + (until - from) * t - outward).max(from),
        })
    }

    /// Replaces a span by the part `[u0, u1]`, `u0 < u1`, as a straight motion, keeping its memory.
    pub fn span_in(&self, span: &mut Span, part: [f64; 2]) {
        self.replace(span, part, false);
    }

    /// The same, but a part of a single segment keeps its degree, and deviates only by rounding.
    pub fn curve_in(&self, span: &mut Span, part: [f64; 2]) {
        self.replace(span, part, true);
    }

    fn replace(&self, span: &mut Span, [u0, u1]: [f64; 2], is_curved: bool) {
        let (first, last) = (self.segment_after(u0), self.segment_at(u1));
        // Segments without width at the ends belong to both spans.
        let (before, after) = (self.segment_at(u0), self.segment_after(u1));
        // A single straight segment is its own chord, unless segments without width move at its ends.
        let is_whole = first == last
            && self.degrees[first] == 1
            && [u0, u1] == [self.knot(first), self.knot(last + 1)]
            && (before..=after).all(|other| other == first || !self.has_no_width(other) || !self.moves(other));
        span.begin((0..self.n_columns).map(|c| [self.value(c, first, u0), self.value(c, last, u1)]));
        let is_curve = is_curved && first == last && self.degree(first) > 1 && !self.has_no_width(first);
        if is_curve {
            self.bend(span, first, [u0, u1]);
        }
        if !is_whole {
            let others = (before..=after).filter(|segment| !(is_curve && *segment == first));
            others.for_each(|segment| self.deviate(span, segment, [u0, u1]));
        } else {
            span.rounding.fill(0.0);
        }
    }

    /// Replaces a span by a straight motion that contains a point of the trajectory: the whole segment if it is
    /// straight, otherwise a constant motion at the point. Returns the time of the point in the motion.
    pub fn span_at(&self, span: &mut Span, place: Place) -> f64 {
        let Place { segment, t } = place;
        let of = |c: usize| self.coefficients(segment, c);
        if self.degree(segment) == 1 {
            span.begin((0..self.n_columns).map(|c| [of(c)[0], of(c)[1]]));
            span.rounding.fill(0.0);
            return t;
        }
        span.begin(self.at(segment, t).into_iter().map(|value| [value; 2]));
        for (c, rounding) in span.rounding.iter_mut().enumerate() {
            let largest = of(c).iter().fold(0.0, |largest: f64, b| largest.max(b.abs()));
            *rounding = Roundings::Part.bound(of(c).len() - 1) * largest;
        }
        0.0
    }

    /// Gives a span the coefficients of its part of a segment.
    fn bend(&self, span: &mut Span, segment: usize, [u0, u1]: [f64; 2]) {
        let (n, local) = (self.degree(segment) + 1, [u0, u1].map(|u| self.local(segment, u)));
        let of_segment = &self.coefficients[self.firsts[segment]..][..n * self.n_columns];
        let roundings = if local == [0.0, 1.0] { Roundings::Whole } else { Roundings::Part };
        span.degree = n - 1;
        span.coefficients.extend_from_slice(of_segment);
        for (c, part) in span.coefficients.chunks_exact_mut(n).enumerate() {
            let largest = part.iter().fold(0.0, |largest: f64, b| largest.max(b.abs()));
            span.rounding[c] = roundings.bound(n - 1) * largest;
            restrict(part, local);
            // These values are the same up to rounding.
            (part[0], part[n - 1]) = (span.start[c], span.end[c]);
        }
    }

    /// Widens a span's deviation, and the bound on its rounding, to that of a segment.
    fn deviate(&self, span: &mut Span, segment: usize, [u0, u1]: [f64; 2]) {
        let (n, knots) = (self.degree(segment) + 1, [self.knot(segment), self.knot(segment + 1)]);
        let (from, until) = (u0.max(knots[0]).min(u1), u1.min(knots[1]).max(u0));
        let is_cut = [from, until] != knots && !self.has_no_width(segment);
        let local = [from, until].map(|u| self.local(segment, u));
        let [begin, end] = [from, until].map(|u| (u - u0) / (u1 - u0));
        let all = &self.coefficients[self.firsts[segment]..][..n * self.n_columns];
        let (mut cut, rounding) = ([0.0; MAX_DEGREE + 1], Roundings::Chord.bound(n - 1));
        let bounds = span.deviation.iter_mut().zip(&mut span.rounding);
        let columns = span.start.iter().zip(&span.end).zip(bounds);
        for (of, ((start, until), (of_curve, of_numbers))) in all.chunks_exact(n).zip(columns) {
            let mut part = of;
            if is_cut {
                cut[..n].copy_from_slice(of);
                restrict(&mut cut[..n], local);
                part = &cut[..n];
            }
            let (rate, step) = (until - start, (end - begin) / (n - 1) as f64);
            let mut largest: f64 = 0.0;
            for (i, (b, whole)) in part.iter().zip(of).enumerate() {
                let chord = start + rate * (begin + step * i as f64);
                *of_curve = of_curve.max((b - chord).abs());
                largest = largest.max(whole.abs());
            }
            *of_numbers = of_numbers.max(rounding * largest);
        }
    }

    /// The last segment that begins at `u` or earlier and does not end there.
    pub(crate) fn segment_after(&self, u: f64) -> usize {
        let mut segment = self.segment_at(u);
        while segment + 1 < self.n_segments() && self.knot(segment + 1) <= u {
            segment += 1;
        }
        segment
    }

    /// Returns whether a segment has no share of the parameter: its travel is zero, or no more than the rounding of the
    /// total travel.
    fn has_no_width(&self, segment: usize) -> bool {
        segment < self.n_segments() && self.knot(segment) >= self.knot(segment + 1)
    }

    /// Returns whether the values of any column change in a segment, even if by less than the rounding of the travel.
    fn moves(&self, segment: usize) -> bool {
        (0..self.n_columns).any(|column| {
            let of = self.coefficients(segment, column);
            of.iter().any(|value| *value != of[0])
        })
    }

    /// Local time of a segment at `u`.
    fn local(&self, segment: usize, u: f64) -> f64 {
        let (from, until) = (self.knot(segment), self.knot(segment + 1));
        if u >= until {
            1.0
        } else if u <= from {
            0.0
        } else {
            (u - from) / (until - from)
        }
    }

    /// The value of a column at `u` in a segment.
    fn value(&self, column: usize, segment: usize, u: f64) -> f64 {
        let (of, t) = (self.coefficients(segment, column), self.local(segment, u));
        let mut b = [0.0; MAX_DEGREE + 1];
        b[..of.len()].copy_from_slice(of);
        match t {
            t if t <= 0.0 => of[0],
            t if t >= 1.0 => of[of.len() - 1],
            t => {
                casteljau(&mut b[..of.len()], t);
                b[0]
            }
        }
    }
}

/// De Casteljau's algorithm: leaves the value at `t` in the first place, and the coefficients over `[t, 1]`.
pub(super) fn casteljau(b: &mut [f64], t: f64) {
    for level in (1..b.len()).rev() {
        for i in 0..level {
            b[i] = (1.0 - t) * b[i] + t * b[i + 1];
        }
    }
}

/// The coefficients over a part of `[0, 1]`.
pub(crate) fn restrict(b: &mut [f64], [from, until]: [f64; 2]) {
    if from > 0.0 {
        casteljau(b, from);
    }
    if until < 1.0 {
        b.reverse();
        // In `[from, 1]`, backwards.
        casteljau(b, (1.0 - until) / (1.0 - from));
        b.reverse();
    }
}
