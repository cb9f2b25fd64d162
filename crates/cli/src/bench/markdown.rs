//! A run as Markdown.

use super::run::{Cell, Run, Table};
use std::fmt::Write as _;

/// The whole run: notes, tables, plots, and the machine.
pub fn whole(run: &Run) -> String {
    let mut text = format!("# {}\n\n`{}`\n", run.title, run.command);
    // Writing to a string cannot fail.
    for note in &run.notes {
        let _ = write!(text, "\n{note}\n");
    }
    for each in &run.tables {
        let _ = write!(text, "\n## {}\n\n", each.title);
        if !each.note.is_empty() {
            let _ = write!(text, "{}\n\n", each.note);
        }
        text.push_str(&table(each));
        let about: Vec<String> = each
            .columns
            .iter()
            .filter(|c| !c.about.is_empty())
            .map(|c| format!("*{}*: {}", escaped(&c.name), c.about))
            .collect();
        if !about.is_empty() {
            let _ = write!(text, "\n{}\n", about.join(" "));
        }
    }
    for plot in &run.plots {
        let _ = write!(text, "\n## {}\n\n![{}]({})\n", plot.title, plot.title, run.plot_file(plot));
        if !plot.note.is_empty() {
            let _ = write!(text, "\n{}\n", plot.note);
        }
    }
    let (m, v) = (&run.machine, &run.versions);
    let _ = write!(
        text,
        "\n## Where\n\nBegun {}, {:.0} s. {}, {} cores, {} threads, {:.1} GiB, {}.",
        run.started,
        run.wall_s,
        m.cpu,
        m.cores,
        m.threads,
        m.memory_bytes as f64 / (1u64 << 30) as f64,
        m.os
    );
    for a in &m.adapters {
        let _ = write!(text, " {} ({}, {}, {}).", a.name, a.kind, a.backend, a.driver);
    }
    let commit = v.commit.as_deref().unwrap_or("unknown");
    let _ = writeln!(text, " firstcontact {}, commit {commit}, {}; seed {}.", v.firstcontact, v.rustc, run.seed);
    let sets: Vec<&str> = run.datasets.iter().map(|d| d.name.as_str()).collect();
    if !sets.is_empty() {
        let _ = write!(text, "\nData sets: {}.\n", sets.join(", "));
    }
    text
}

/// One table. Columns with numbers are right-aligned.
pub fn table(table: &Table) -> String {
    let (mut head, mut rule) = (String::from("|"), String::from("|"));
    for (i, column) in table.columns.iter().enumerate() {
        let unit = if column.unit.is_empty() { String::new() } else { format!(", {}", column.unit) };
        let numbers = table.rows.iter().any(|row| matches!(row[i], Cell::Number(_)));
        let _ = write!(head, " {}{unit} |", escaped(&column.name));
        rule.push_str(if numbers { "--:|" } else { "---|" });
    }
    let mut text = format!("{head}\n{rule}\n");
    for row in &table.rows {
        text.push('|');
        for (cell, column) in row.iter().zip(&table.columns) {
            let _ = write!(text, " {} |", shown(cell, column.digits));
        }
        text.push('\n');
    }
    text
}

/// The text of a cell.
fn shown(cell: &Cell, digits: usize) -> String {
    match cell {
        Cell::Number(x) => grouped(*x, digits),
        Cell::Text(text) => escaped(text),
        Cell::Empty => String::new(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('|', r"\|").replace('\n', " ")
}

/// A number with commas as thousands separators: `12,345.7`.
pub fn grouped(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$}");
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::from(sign);
    for (i, digit) in whole.char_indices() {
        if i > 0 && (whole.len() - i) % 3 == 0 && whole.bytes().all(|b| b.is_ascii_digit()) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::super::run::Column;
    use super::*;

    #[test]
    fn numbers_in_threes() {
        for (x, digits, expected) in [
            (0.0, 0, "0"),
            (999.0, 0, "999"),
            (1000.0, 0, "1,000"),
            (-1234567.25, 1, "-1,234,567.2"),
            (0.0004, 3, "0.000"),
            (123456.0, 2, "123,456.00"),
            (f64::INFINITY, 0, "inf"),
        ] {
            assert_eq!(grouped(x, digits), expected);
        }
    }

    #[test]
    fn a_table_has_its_rows() {
        let columns = vec![Column::text("set", ""), Column::number("time", "µs", 1, "")];
        let mut made = Table::new("t", "T", "", columns);
        made.row(["a|b".into(), 1234.56.into()]);
        made.row(["c".into()]);
        assert_eq!(table(&made), "| set | time, µs |\n|---|--:|\n| a\\|b | 1,234.6 |\n| c |  |\n");
    }
}
