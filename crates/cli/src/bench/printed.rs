//! The figures printed in Tables 1 and 2 of Redon et al. 2004: milliseconds on a 2.4 GHz Pentium with a GeForce FX
//! 5800.

/// A row of one of the tables. Of two numbers the first is for colliding motions, the second for free ones.
#[derive(Clone, Copy, Debug)]
pub struct Printed {
    /// θmax, degrees.
    pub theta_max_deg: u32,
    /// The stages that ran.
    pub stages: &'static str,
    /// Dynamic BVH culling, if it ran.
    pub cull: Option<[f64; 2]>,
    /// Dynamic SV culling, if it ran.
    pub sweep: Option<[f64; 2]>,
    /// Exact contact computation.
    pub exact: [f64; 2],
    /// Total time.
    pub total: [f64; 2],
}

/// Largest difference between a total and the sum of its row due to rounding, in units of the last printed place.
const ROUNDING: f64 = 2.0;

/// Table 1: Puma in the pipes, four decimals.
pub const TABLE_1: [Printed; 4] = [
    all_three(1, [0.0014, 0.0012], [11.9552, 2.9801], [11.8, 3.3123], [23.7566, 6.2936]),
    all_three(5, [0.0017, 0.0013], [16.1848, 4.3327], [17.9427, 3.6844], [32.3713, 8.0184]),
    all_three(15, [0.0018, 0.0015], [22.1523, 3.9728], [30.5652, 5.4548], [52.7193, 9.4291]),
    all_three(30, [0.0018, 0.0013], [18.6973, 4.4477], [85.4134, 18.7761], [104.1125, 23.2251]),
];
/// The last place of Table 1.
pub const PLACE_1: f64 = 1e-4;

/// Table 2: Puma in the machine room, two decimals.
pub const TABLE_2: [Printed; 12] = [
    all_three(1, [0.33, 0.33], [41.58, 18.54], [7.01, 2.06], [48.92, 19.04]),
    without_sweep(1, [0.34, 0.33], [7.33, 1.79], [7.67, 1.24]),
    without_cull(1, [47.60, 41.68], [23.29, 15.00], [70.89, 43.53]),
    exact_alone(1, [82.24, 75.05], [82.24, 75.05]),
    all_three(30, [0.33, 0.33], [30.83, 20.18], [116.42, 46.15], [147.58, 48.31]),
    without_sweep(30, [0.33, 0.33], [121.93, 43.43], [122.26, 115.40]),
    without_cull(30, [56.14, 44.74], [147.00, 63.72], [203.14, 98.90]),
    exact_alone(30, [190.79, 98.41], [190.79, 98.41]),
    all_three(60, [0.34, 0.33], [43.13, 19.05], [480.45, 91.74], [523.92, 40.91]),
    without_sweep(60, [0.35, 0.33], [577.70, 73.06], [578.05, 36.79]),
    without_cull(60, [62.23, 44.70], [519.39, 107.86], [581.62, 70.08]),
    exact_alone(60, [649.48, 107.29], [649.48, 107.29]),
];
/// The last place of Table 2.
pub const PLACE_2: f64 = 1e-2;

const fn all_three(theta_max_deg: u32, cull: [f64; 2], sweep: [f64; 2], exact: [f64; 2], total: [f64; 2]) -> Printed {
    Printed { theta_max_deg, stages: "1+2+3", cull: Some(cull), sweep: Some(sweep), exact, total }
}

const fn without_sweep(theta_max_deg: u32, cull: [f64; 2], exact: [f64; 2], total: [f64; 2]) -> Printed {
    Printed { theta_max_deg, stages: "1+3", cull: Some(cull), sweep: None, exact, total }
}

const fn without_cull(theta_max_deg: u32, sweep: [f64; 2], exact: [f64; 2], total: [f64; 2]) -> Printed {
    Printed { theta_max_deg, stages: "2+3", cull: None, sweep: Some(sweep), exact, total }
}

const fn exact_alone(theta_max_deg: u32, exact: [f64; 2], total: [f64; 2]) -> Printed {
    Printed { theta_max_deg, stages: "3", cull: None, sweep: None, exact, total }
}

impl Printed {
    /// The sum of the stages' printed times.
    fn sum(&self, kind: usize) -> f64 {
        self.cull.map_or(0.0, |c| c[kind]) + self.sweep.map_or(0.0, |s| s[kind]) + self.exact[kind]
    }

    /// Returns whether the printed total is the sum of its row.
    fn adds_up(&self, kind: usize, place: f64) -> bool {
        (self.sum(kind) - self.total[kind]).abs() <= ROUNDING * place
    }
}

/// The totals of a table that differ from the sums of their rows, in words, one text each.
pub fn misfits(table: &[Printed], place: f64) -> Vec<String> {
    let digits = -place.log10().round() as usize;
    let mut all = Vec::new();
    for (kind, name) in ["COL", "NO-COL"].into_iter().enumerate() {
        for row in table.iter().filter(|row| !row.adds_up(kind, place)) {
            let (sum, total) = (row.sum(kind), row.total[kind]);
            let (theta, stages) = (row.theta_max_deg, row.stages);
            all.push(format!("{theta}° {stages} {name} {total:.digits$}, its row {sum:.digits$}"));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body of the tables as in the text of the paper.
    const TEXT_1: &str = "
        1 0.0014 0.0012 11.9552 2.9801 11.8 3.3123 23.7566 6.2936
        5 0.0017 0.0013 16.1848 4.3327 17.9427 3.6844 32.3713 8.0184
        15 0.0018 0.0015 22.1523 3.9728 30.5652 5.4548 52.7193 9.4291
        30 0.0018 0.0013 18.6973 4.4477 85.4134 18.7761 104.1125 23.2251";
    const TEXT_2: &str = "
        1° 1+2+3 0.33 0.33 41.58 18.54 7.01 2.06 48.92 19.04
         1+3 0.34 0.33 - - 7.33 1.79 7.67 1.24
         2+3 - - 47.60 41.68 23.29 15.00 70.89 43.53
         3 - - - - 82.24 75.05 82.24 75.05
        30° 1+2+3 0.33 0.33 30.83 20.18 116.42 46.15 147.58 48.31
         1+3 0.33 0.33 - - 121.93 43.43 122.26 115.40
         2+3 - - 56.14 44.74 147.00 63.72 203.14 98.90
         3 - - - - 190.79 98.41 190.79 98.41
        60° 1+2+3 0.34 0.33 43.13 19.05 480.45 91.74 523.92 40.91
         1+3 0.35 0.33 - - 577.70 73.06 578.05 36.79
         2+3 - - 62.23 44.70 519.39 107.86 581.62 70.08
         3 - - - - 649.48 107.29 649.48 107.29";

    /// A row in the paper's form: colliding and free alternately, `-` for a stage that did not run.
    fn written(row: &Printed, digits: usize) -> Vec<String> {
        let cells = [row.cull, row.sweep, Some(row.exact), Some(row.total)];
        let shown = |cell: Option<[f64; 2]>| {
            cell.map_or(["-".to_string(), "-".to_string()], |ms| ms.map(|x| format!("{x:.digits$}")))
        };
        cells.into_iter().flat_map(shown).collect()
    }

    #[test]
    fn figures_are_those_of_the_paper() {
        let mut rows = TEXT_1.split_whitespace().collect::<Vec<_>>().into_iter();
        for row in &TABLE_1 {
            assert_eq!(rows.next(), Some(row.theta_max_deg.to_string().as_str()));
            // One of them is printed as 11.8.
            let same = |cell: &String| rows.next().map(|r| r.parse::<f64>().unwrap()) == Some(cell.parse().unwrap());
            assert!(written(row, 4).iter().all(same), "{row:?}");
        }
        assert_eq!(rows.next(), None);
        let mut rows = TEXT_2.split_whitespace().peekable();
        for row in &TABLE_2 {
            rows.next_if_eq(&format!("{}°", row.theta_max_deg).as_str());
            assert_eq!(rows.next(), Some(row.stages));
            assert!(written(row, 2).iter().all(|cell| rows.next() == Some(cell)), "{row:?}");
        }
        assert_eq!(rows.next(), None);
    }

    /// A wrong digit is detected where rows add up: all colliding ones except one, and the free ones of Table 1.
    #[test]
    fn rows_of_printed_tables_add_up_except_known_ones() {
        assert_eq!(misfits(&TABLE_1, PLACE_1), ["5° 1+2+3 COL 32.3713, its row 34.1292"]);
        let second = misfits(&TABLE_2, PLACE_2);
        // For free motions every total of more than one stage, and no other.
        assert!(second.len() == 9 && second.iter().all(|m| m.contains("NO-COL") && m.contains('+')), "{second:?}");
        assert_eq!(second[4], "30° 1+3 NO-COL 115.40, its row 43.76");
    }
}
