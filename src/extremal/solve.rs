//! Linear systems with at most four unknowns.

/// Solves `matrix · x = right` in the first `n` rows and columns by elimination with row pivoting. Returns `x` and the
/// ratio of the smallest pivot to the largest: 0 for a singular matrix, without an `x`.
pub fn solve(n: usize, mut matrix: [[f64; 4]; 4], mut right: [f64; 4]) -> (Option<[f64; 4]>, f64) {
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for k in 0..n {
        let best = (k..n).max_by(|a, b| matrix[*a][k].abs().total_cmp(&matrix[*b][k].abs())).unwrap_or(k);
        matrix.swap(k, best);
        right.swap(k, best);
        let pivot = matrix[k][k].abs();
        (least, most) = (least.min(pivot), most.max(pivot));
        if !(pivot > 0.0) || !pivot.is_finite() {
            return (None, 0.0);
        }
        for i in k + 1..n {
            let factor = matrix[i][k] / matrix[k][k];
            for j in k..n {
                matrix[i][j] -= factor * matrix[k][j];
            }
            right[i] -= factor * right[k];
        }
    }
    let mut x = [0.0; 4];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| matrix[i][j] * x[j]).sum();
        x[i] = (right[i] - known) / matrix[i][i];
    }
    let ratio = if n == 0 { 1.0 } else { least / most };
    if x.iter().all(|x| x.is_finite()) { (Some(x), ratio) } else { (None, 0.0) }
}

/// Returns whether the symmetric part of the first `n` rows and columns is positive definite, each pivot above `least`.
pub fn is_positive(n: usize, matrix: &[[f64; 4]; 4], least: f64) -> bool {
    let mut m: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (matrix[i][j] + matrix[j][i])));
    for k in 0..n {
        if !(m[k][k] > least) {
            return false;
        }
        for i in k + 1..n {
            let factor = m[i][k] / m[k][k];
            for j in k + 1..n {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_detects_singular_matrices() {
        let m = [[0.0, 2.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 4.0, 1.0], [3.0, 0.0, 0.0, 1.0]];
        let x = [1.0, -2.0, 0.5, 3.0];
        let right = m.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum());
        let (found, ratio) = solve(4, m, right);
        assert!(found.unwrap().iter().zip(x).all(|(a, b)| (a - b).abs() < 1e-14));
        // The pivots are 3, 2, 4 and 1/3.
        assert!((ratio - 1.0 / 12.0).abs() < 1e-15);
        assert_eq!(solve(2, [[1.0, 2.0, 0.0, 0.0], [2.0, 4.0, 0.0, 0.0], [0.0; 4], [0.0; 4]], [1.0; 4]).0, None);
        assert_eq!(solve(1, [[f64::NAN; 4]; 4], [1.0; 4]).0, None);
    }

    #[test]
    fn definiteness_is_that_of_the_symmetric_part() {
        let m = |d: f64| [[1.0, 3.0, 0.0, 0.0], [-1.0, d, 0.0, 0.0], [0.0; 4], [0.0; 4]];
        assert!(is_positive(2, &m(1.1), 0.0) && !is_positive(2, &m(0.9), 0.0) && !is_positive(3, &m(2.0), 0.0));
    }
}
