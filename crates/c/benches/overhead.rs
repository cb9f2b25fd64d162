//! Overhead of calls through the interface for C over the same calls of the library:
//!
//! ```text
//! FIRSTCONTACT_DATA=… cargo bench -p firstcontact-c --bench overhead
//! ```
//!
//! Both check the same motions of puma-pool on one thread, in turns. Prints medians of the times of a call, and the
//! median of their differences.

use firstcontact::{Backend, Engine, MotionBatch, MotionOptions, Options, Robot, Scene};
use firstcontact_c::*;
use std::ffi::CString;
use std::hint::black_box;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::time::Instant;

/// An engine of the interface for C.
fn engine_of_c(robot: &Path, scene: &Path) -> *mut FcEngine {
    let text = |path: &Path| CString::new(path.to_str().unwrap_or_default()).unwrap_or_default();
    let (mut options, mut of_robot, mut of_scene, mut engine) = (null_mut(), null_mut(), null_mut(), null_mut());
    // SAFETY: all pointers are to variables and texts that live long enough.
    let statuses = unsafe {
        [
            fc_options_new(&raw mut options),
            fc_options_set_device(options, c"cpu".as_ptr()),
            fc_options_set_threads(options, 1),
            fc_robot_from_files(text(robot).as_ptr(), null(), null(), &raw mut of_robot),
            fc_scene_from_file(text(scene).as_ptr(), null(), &raw mut of_scene),
            fc_engine_new_taking(of_robot, of_scene, options, &raw mut engine),
        ]
    };
    assert_eq!(statuses, [FC_OK; 6]);
    engine
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints the times of two ways to do the same, in turns, for several inputs.
fn compare(name: &str, n_inputs: usize, n_rounds: usize, mut library: impl FnMut(usize), mut c: impl FnMut(usize)) {
    let seconds = |work: &mut dyn FnMut(usize), i: usize| {
        let since = Instant::now();
        work(i);
        since.elapsed().as_secs_f64()
    };
    let (mut of_library, mut of_c, mut differences) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n_inputs {
        // The best of several rounds: others use this machine, too.
        let (mut a, mut b) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..n_rounds {
            a = a.min(seconds(&mut library, i));
            b = b.min(seconds(&mut c, i));
        }
        of_library.push(a);
        of_c.push(b);
        differences.push(b - a);
    }
    let [a, b, difference] = [of_library, of_c, differences].map(|mut of| 1e6 * median(&mut of));
    println!("{name}: library {a:.2} us, C {b:.2} us, difference {difference:.3} us, {:.2} %", 100.0 * difference / a);
}

fn run(pool: &Path, scene: &str) -> firstcontact::Result<()> {
    let (robot_file, scene_file) = (pool.join("robot.urdf"), pool.join(format!("{scene}.obj")));
    let robot = Robot::from_urdf(&robot_file)?;
    let motions = firstcontact::MotionFile::open(pool.join(format!("{scene}.npy")), &robot, &MotionOptions::default())?;
    let all = motions.read(0..motions.len())?;
    let n_columns = all.n_columns();
    let flat = |n: usize| -> Vec<f64> {
        (0..n).flat_map(|i| [all.start(i % all.len()), all.end(i % all.len())].concat()).collect()
    };
    let options = Options { backend: Backend::Cpu, threads: 1, ..Options::default() };
    let engine = Engine::builder(robot, Scene::from_file(&scene_file)?).options(options).build()?;
    let of_c = engine_of_c(&robot_file, &scene_file);

    let one = flat(1000);
    let motion = |i: usize| &one[2 * n_columns * i..2 * n_columns * (i + 1)];
    let library = |i: usize| {
        let batch = MotionBatch::from_flat(1, n_columns, motion(i).to_vec()).expect("finite");
        black_box(engine.check(&batch).expect("motions fit"));
    };
    let is_free = |i: usize| {
        let mut is_free = false;
        let [start, end] = [0, n_columns].map(|k| motion(i)[k..].as_ptr());
        // SAFETY: all pointers are to arrays of the sizes that are given, and variables.
        let status = unsafe { fc_engine_is_free(of_c, start, end, n_columns, &raw mut is_free) };
        assert_eq!(black_box((status, is_free)).0, FC_OK);
    };
    compare(&format!("{scene}, fc_engine_is_free"), 1000, 9, library, is_free);
    for (n, n_inputs, n_rounds) in [(1, 1000, 9), (100, 10, 15), (10_000, 1, 5)] {
        let values = flat(n * n_inputs);
        let input = |i: usize| &values[2 * n_columns * n * i..2 * n_columns * n * (i + 1)];
        let library = |i: usize| {
            let batch = MotionBatch::from_flat(n, n_columns, input(i).to_vec()).expect("finite");
            black_box(engine.check(&batch).expect("motions fit"));
        };
        let check = |i: usize| {
            let row_stride = 2 * n_columns as isize;
            let starts = FcRows { row_stride, ..fc_rows(input(i).as_ptr(), n, n_columns) };
            let ends = FcRows { data: input(i)[n_columns..].as_ptr(), ..starts };
            let mut results = null_mut();
            let mut answers = FcAnswers { data: null(), length: 0, stride_bytes: 0 };
            // SAFETY: all pointers are to arrays of the sizes that are given, and variables.
            let statuses = unsafe {
                [
                    fc_engine_check(of_c, &raw const starts, &raw const ends, null(), &raw mut results),
                    fc_results_answers(results, &raw mut answers),
                    fc_results_free(results),
                ]
            };
            assert_eq!((black_box(statuses), answers.length), ([FC_OK; 3], n));
        };
        compare(&format!("{scene}, {n} motions, answers"), n_inputs, n_rounds, library, check);
    }
    assert_eq!(fc_engine_free(of_c), FC_OK);
    Ok(())
}

fn main() {
    let Some(data) = std::env::var_os("FIRSTCONTACT_DATA") else {
        println!("FIRSTCONTACT_DATA is not set");
        return;
    };
    for scene in ["pipes", "amr"] {
        if let Err(error) = run(&Path::new(&data).join("puma-pool"), scene) {
            println!("{error}");
        }
    }
}
