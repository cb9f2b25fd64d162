//! Piecewise polynomial paths of all columns: waypoints, splines, and the motions that controllers execute.

mod check;
mod span;

pub use span::{Place, Span};

use crate::error::{Error, Result};

/// Largest degree of a segment.
pub const MAX_DEGREE: usize = 15;
/// Largest jump between the end of a segment and the start of the next one that is accepted and removed.
pub const MAX_JUMP: f64 = 1e-9;

/// A path of all columns of a robot. In each segment every column is a polynomial of the local time in `[0, 1]`, in
/// Bernstein form; a segment starts with exactly the numbers with which the previous one ends.
///
/// The path is the function of the stored coefficients, taken as exact. Values are in radians and metres, as in
/// [`MotionBatch`](crate::robot::MotionBatch). A free joint moves along a straight line and turns about a constant axis
/// in each segment.
///
/// ```
/// use firstcontact::Trajectory;
/// let mut path = Trajectory::new(&[0.0, 0.0])?;
/// path.line_to(&[1.0, 0.5])?;
/// // Half a second from rest at one end to rest at the other.
/// path.cubic_to(0.5, &[0.0; 2], &[0.0; 2], &[0.0, 0.0])?;
/// assert_eq!((path.n_segments(), path.n_columns()), (2, 2));
/// # Ok::<(), firstcontact::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    n_columns: usize,
    /// Degree of each segment.
    degrees: Vec<u8>,
    /// Index of each segment's first number in `coefficients`, whose order is `[column][degree + 1]`.
    firsts: Vec<usize>,
    coefficients: Vec<f64>,
    /// The lowest and highest coefficient of each column.
    ranges: Vec<[f64; 2]>,
    /// The values of the columns at the end.
    end: Vec<f64>,
    /// Length of the path up to the end of each segment: the sum over the columns, radians and metres alike.
    travel: Vec<f64>,
    /// Times at the ends of the segments, the start first, seconds; empty if there are none.
    times_s: Vec<f64>,
}

impl Trajectory {
    /// Begins a trajectory at a configuration, one value for each column.
    ///
    /// # Errors
    /// A value is NaN or infinite.
    pub fn new(start: &[f64]) -> Result<Self> {
        check_finite(start)?;
        Ok(Self {
            n_columns: start.len(),
            degrees: Vec::new(),
            firsts: Vec::new(),
            coefficients: Vec::new(),
            ranges: start.iter().map(|x| [*x; 2]).collect(),
            end: start.to_vec(),
            travel: Vec::new(),
            times_s: Vec::new(),
        })
    }

    /// A path along straight lines between waypoints, each with one value for each column; a single waypoint is a
    /// trajectory without motion.
    ///
    /// # Errors
    /// There is no waypoint, they have different numbers of columns, or a value is NaN or infinite.
    pub fn linear<R: AsRef<[f64]>>(waypoints: impl IntoIterator<Item = R>) -> Result<Self> {
        let mut waypoints = waypoints.into_iter();
        let first = waypoints.next().ok_or_else(|| Error::usage("a trajectory needs a waypoint"))?;
        let mut path = Self::new(first.as_ref())?;
        for (i, waypoint) in waypoints.enumerate() {
            path.line_to(waypoint.as_ref()).map_err(|e| e.at(format!("point {}", i + 1)))?;
        }
        if path.degrees.is_empty() {
            path.line_to(first.as_ref())?;
        }
        Ok(path)
    }

    /// Appends a segment along a straight line.
    ///
    /// # Errors
    /// The number of columns differs, or a value is NaN or infinite.
    pub fn line_to(&mut self, end: &[f64]) -> Result<()> {
        self.bernstein_to(1, |_| [0.0; MAX_DEGREE + 1], end)
    }

    /// Appends a cubic segment of `duration_s` seconds with the given velocities at its ends, one for each column,
    /// radians or metres per second.
    ///
    /// # Errors
    /// As [`line_to`](Self::line_to); the duration is not positive.
    pub fn cubic_to(&mut self, duration_s: f64, v0: &[f64], v1: &[f64], end: &[f64]) -> Result<()> {
        check_duration(duration_s)?;
        [v0, v1].into_iter().try_for_each(|v| self.check_row(v))?;
        let (start, third) = (self.end.clone(), duration_s / 3.0);
        let inner = |c: usize| {
            let mut b = [0.0; MAX_DEGREE + 1];
            (b[1], b[2]) = (start[c] + v0[c] * third, end[c] - v1[c] * third);
            b
        };
        self.check_row(end)?;
        self.bernstein_to(3, inner, end)
    }

    /// Appends a segment of degree five and `duration_s` seconds with the given velocities and accelerations at its
    /// ends, in radians or metres and seconds.
    ///
    /// # Errors
    /// As [`cubic_to`](Self::cubic_to).
    pub fn quintic_to(
        &mut self,
        duration_s: f64,
        [v0, v1]: [&[f64]; 2],
        [a0, a1]: [&[f64]; 2],
        end: &[f64],
    ) -> Result<()> {
        check_duration(duration_s)?;
        [v0, v1, a0, a1, end].into_iter().try_for_each(|v| self.check_row(v))?;
        let (start, fifth, twentieth) = (self.end.clone(), duration_s / 5.0, duration_s * duration_s / 20.0);
        let inner = |c: usize| {
            let mut b = [0.0; MAX_DEGREE + 1];
            b[1] = start[c] + v0[c] * fifth;
            b[2] = start[c] + 2.0 * v0[c] * fifth + a0[c] * twentieth;
            b[3] = end[c] - 2.0 * v1[c] * fifth + a1[c] * twentieth;
            b[4] = end[c] - v1[c] * fifth;
            b
        };
        self.bernstein_to(5, inner, end)
    }

    /// A trajectory from power-basis coefficients in local time, as in SciPy's `PPoly`: `coefficients[k][i][c]`
    /// multiplies `(x - breakpoints[i])^(d - k)` in segment `i` and column `c`. The breakpoints, in seconds, become the
    /// times.
    ///
    /// # Errors
    /// The degree is above 15, the numbers of segments or columns do not match, the breakpoints do not increase, there
    /// is a jump of more than 1e-9 between segments, or a value is NaN or infinite.
    pub fn from_ppoly(breakpoints: &[f64], coefficients: &[Vec<Vec<f64>>]) -> Result<Self> {
        let Some(degree) = coefficients.len().checked_sub(1).filter(|d| *d <= MAX_DEGREE) else {
            let message = format!("{} coefficients: the number must be 1 to {}", coefficients.len(), MAX_DEGREE + 1);
            return Err(Error::usage(message));
        };
        let n = breakpoints.len().saturating_sub(1);
        if n == 0 || coefficients.iter().any(|of_power| of_power.len() != n) {
            return Err(Error::usage(format!("coefficients do not fit {} breakpoints", breakpoints.len())));
        }
        let n_columns = coefficients[0][0].len();
        let fits = coefficients.iter().flatten().all(|row| row.len() == n_columns);
        if !fits {
            return Err(Error::usage("segments have different numbers of columns"));
        }
        let last = coefficients.len() - 1;
        let mut path = Self::new(&coefficients[last][0])?;
        for i in 0..n {
            let duration_s = breakpoints[i + 1] - breakpoints[i];
            check_duration(duration_s).map_err(|e| e.at(format!("segment {i}")))?;
            // Power basis to Bernstein basis: b_j = sum over k <= j of C(j, k) / C(d, k) a_k.
            let bernstein = |c: usize| {
                let mut powers = [0.0; MAX_DEGREE + 1];
                let mut scale = 1.0;
                for (k, of_power) in coefficients.iter().rev().enumerate() {
                    powers[k] = of_power[i][c] * scale;
                    scale *= duration_s;
                }
                let mut b = [0.0; MAX_DEGREE + 1];
                for (j, b) in b.iter_mut().enumerate().take(degree + 1) {
                    *b = (0..=j).map(|k| binomial(j, k) / binomial(degree, k) * powers[k]).sum();
                }
                b
            };
            let of_columns: Vec<[f64; MAX_DEGREE + 1]> = (0..n_columns).map(bernstein).collect();
            for (c, (b, before)) in of_columns.iter().zip(&path.end).enumerate() {
                if !((b[0] - before).abs() <= MAX_JUMP) {
                    let message = format!("column {c} jumps from {before:?} to {:?}", b[0]);
                    return Err(Error::input(message).at(format!("segment {i}")));
                }
            }
            let end: Vec<f64> = of_columns.iter().map(|b| b[degree]).collect();
            path.bernstein_to(degree.max(1), |c| of_columns[c], &end).map_err(|e| e.at(format!("segment {i}")))?;
        }
        path.with_times(breakpoints)
    }

    /// Appends a segment whose coefficients other than the first and the last are those of `inner`, by column.
    fn bernstein_to(
        &mut self,
        degree: usize,
        inner: impl Fn(usize) -> [f64; MAX_DEGREE + 1],
        end: &[f64],
    ) -> Result<()> {
        self.check_row(end)?;
        if !self.times_s.is_empty() {
            return Err(Error::usage("segments cannot be added after times").remedy("set the times last"));
        }
        let first = self.coefficients.len();
        let mut travel = 0.0;
        for c in 0..self.n_columns {
            let mut b = inner(c);
            (b[0], b[degree]) = (self.end[c], end[c]);
            if !b[..=degree].iter().all(|x| x.is_finite()) {
                self.coefficients.truncate(first);
                return Err(Error::input(format!("a coefficient of column {c} is NaN or infinite")));
            }
            travel += b[..=degree].windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>();
            self.coefficients.extend_from_slice(&b[..=degree]);
        }
        let travel = self.travel.last().unwrap_or(&0.0) + travel;
        if !travel.is_finite() {
            self.coefficients.truncate(first);
            return Err(Error::input("the values overflow"));
        }
        for (range, of_column) in self.ranges.iter_mut().zip(self.coefficients[first..].chunks_exact(degree + 1)) {
            *range = of_column.iter().fold(*range, |[lo, hi], b| [lo.min(*b), hi.max(*b)]);
        }
        self.degrees.push(degree as u8);
        self.firsts.push(first);
        self.travel.push(travel);
        self.end.copy_from_slice(end);
        Ok(())
    }

    /// Returns the same path with times, in seconds: the start of the trajectory, then the end of each segment. After
    /// this, no more segments can be appended.
    ///
    /// # Errors
    /// The number of times is not the number of segments plus one, or the times do not increase.
    pub fn with_times(mut self, times_s: &[f64]) -> Result<Self> {
        if times_s.len() != self.n_segments() + 1 {
            return Err(Error::usage(format!("{} times for {} segments", times_s.len(), self.n_segments())));
        }
        // A single point has one time.
        let stands_still = self.n_segments() == 1 && self.travel[0] == 0.0;
        let ordered = |w: &[f64]| w[0] < w[1] || (stands_still && w[0] == w[1]);
        if let Some(i) = times_s.windows(2).position(|w| !ordered(w)).or((!times_s[0].is_finite()).then_some(0)) {
            let message = format!("time {:?} after {:?}", times_s[(i + 1).min(times_s.len() - 1)], times_s[i]);
            return Err(Error::input(format!("{message}: times must increase")).at(format!("point {}", i + 1)));
        }
        check_finite(times_s)?;
        self.times_s = times_s.to_vec();
        Ok(self)
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Number of segments.
    pub fn n_segments(&self) -> usize {
        self.degrees.len()
    }

    /// Times of the start and of the end of each segment, seconds; `None` if the trajectory has no times.
    pub fn times_s(&self) -> Option<&[f64]> {
        (!self.times_s.is_empty()).then_some(&self.times_s)
    }

    /// Degree of a segment.
    pub fn degree(&self, segment: usize) -> usize {
        usize::from(self.degrees[segment])
    }

    /// Bernstein coefficients of a column in a segment: [`degree`](Self::degree) plus one numbers.
    pub fn coefficients(&self, segment: usize, column: usize) -> &[f64] {
        let n = self.degree(segment) + 1;
        let first = self.firsts[segment] + column * n;
        &self.coefficients[first..first + n]
    }

    /// The configuration at the start of a segment; an index equal to the number of segments gives the end of the
    /// trajectory.
    pub fn waypoint(&self, segment: usize) -> Vec<f64> {
        match segment < self.n_segments() {
            true => (0..self.n_columns).map(|c| self.coefficients(segment, c)[0]).collect(),
            false => self.end.clone(),
        }
    }

    /// The configuration at a local time of a segment, to within rounding.
    pub fn at(&self, segment: usize, t: f64) -> Vec<f64> {
        let value = |c: usize| {
            let mut b = [0.0; MAX_DEGREE + 1];
            let of = self.coefficients(segment, c);
            b[..of.len()].copy_from_slice(of);
            span::casteljau(&mut b[..of.len()], t);
            b[0]
        };
        (0..self.n_columns).map(value).collect()
    }

    /// Passes everything that defines the trajectory to `feed`, such as a hash function: numbers of columns and
    /// segments, degrees, coefficients and times. Equal trajectories give equal bytes.
    pub fn feed(&self, mut feed: impl FnMut(&[u8])) {
        for n in [self.n_columns, self.n_segments(), self.times_s.len()] {
            feed(&(n as u64).to_le_bytes());
        }
        feed(&self.degrees);
        feed(bytemuck::cast_slice(&self.times_s));
        feed(bytemuck::cast_slice(&self.coefficients));
    }

    fn check_row(&self, row: &[f64]) -> Result<()> {
        if row.len() != self.n_columns {
            return Err(Error::usage(format!(
                "a point has {} columns, but the points before it have {}",
                row.len(),
                self.n_columns
            )));
        }
        check_finite(row)
    }
}

fn check_finite(row: &[f64]) -> Result<()> {
    match row.iter().position(|x| !x.is_finite()) {
        Some(c) => Err(Error::input(format!("column {c} is NaN or infinite"))),
        None => Ok(()),
    }
}

fn check_duration(duration_s: f64) -> Result<()> {
    match duration_s > 0.0 && duration_s.is_finite() {
        true => Ok(()),
        false => Err(Error::input(format!("a segment of {duration_s:?} s: times must increase"))),
    }
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64)
}

#[cfg(test)]
mod tests;
