//! Swept-volume culling in each of its forms: the remaining triangles, its cost and its savings.

use super::measured::{Measured, bars, table};
use super::run::{Axis, Plot, PlotKind, Run, Series};
use super::set::{Kind, Set};
use super::{MeasureArgs, on_adapter};
use firstcontact::Result;
use firstcontact::engine::{Backend, Engine, Options, Sweep};
use firstcontact_datasets::DEFAULT_SEED;

const SETS: [&str; 4] = ["pipes/30", "amr/1", "amr/30", "amr/60"];
const QUICK: [&str; 1] = ["pipes/30"];
const FORMS: [Sweep; 4] = [Sweep::Off, Sweep::Compute, Sweep::Raster, Sweep::Paper];

fn measure(run: &mut Run, set: &Set, options: &Options, most: usize, rows: &mut Vec<Measured>) -> Result<()> {
    for sweep in FORMS {
        let engine = Engine::builder(&set.robot, &set.scene).options(Options { sweep, ..options.clone() }).build()?;
        for kind in Kind::ALL {
            rows.extend(Measured::of(run, set, &engine, kind, sweep.name(), most)?);
        }
    }
    Ok(())
}

/// The share of the triangles that remain after each form, in per cent. Except for rounding it is the same on each
/// device.
fn shares(rows: &[Measured]) -> Plot {
    let of_cpu: Vec<&Measured> = rows.iter().filter(|r| r.device.starts_with("CPU") && r.triangles[0] > 0.0).collect();
    let group = |r: &Measured| format!("{}° {}", r.dataset.replace('/', " "), r.kind.name());
    let categories = super::measured::distinct(of_cpu.iter().map(|r| group(r)));
    let at = |r: &Measured| categories.iter().position(|c| *c == group(r)).unwrap_or(0) as f64;
    let series = FORMS.iter().filter(|form| **form != Sweep::Off).map(|form| {
        let of = of_cpu.iter().filter(|r| r.choice == form.name());
        Series::new(form.name(), of.map(|r| [at(r), 100.0 * r.triangles[1] / r.triangles[0]]).collect())
    });
    Plot {
        id: "left".into(),
        title: "Triangles left by swept-volume culling".into(),
        note: "Of the triangles in candidates of s3_cull; less is better.".into(),
        kind: PlotKind::Bars,
        x: Axis::linear(""),
        y: Axis::linear("% left"),
        series: series.collect(),
        categories,
    }
}

/// Runs the measurement.
pub fn run(args: &MeasureArgs) -> Result<()> {
    let mut run = Run::begin("sweep", "Swept-volume culling, form by form", DEFAULT_SEED, !args.cpu_only);
    run.note(
        "Off: the search for pairs takes all that s3_cull leaves. Compute: each triangle against the line-swept \
         sphere of each sub-interval. Raster: maps of depth intervals in three views. Paper: the paper's \
         tessellation, widened by its deviation, in such maps; it runs always on the CPU. The answers \
         are the same with each.",
    );
    let (cpu, gpu) = if args.quick { (10, 4) } else { (200, 40) };
    let mut rows = Vec::new();
    for name in if args.quick { &QUICK[..] } else { &SETS[..] } {
        let set = Set::load(name, &args.folder.path()?)?;
        let options = Options { backend: Backend::Cpu, threads: 1, ..Options::default() };
        measure(&mut run, &set, &options, cpu, &mut rows)?;
        let options = Options { backend: Backend::Gpu, ..Options::default() };
        on_adapter(args, || measure(&mut run, &set, &options, gpu, &mut rows))?;
        run.datasets.push(set.used(&[]));
        run.tables = vec![table("forms", "Forms of swept-volume culling", "form", &rows)];
        run.plots = std::iter::once(shares(&rows)).chain(bars(&rows)).collect();
        run.write(&args.out)?;
    }
    run.finish(&args.out)
}
