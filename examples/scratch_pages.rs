//! Scratch: time and work of pages.
use firstcontact::engine::Sweep;
use firstcontact::gpu::Faults;
use firstcontact::{Backend, Engine, MotionFile, MotionOptions, Options, Robot, Scene};
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (folder, set) = (&a[1], &a[2]);
    let robot = std::sync::Arc::new(Robot::from_urdf(format!("{folder}/robot.urdf")).unwrap());
    let scene = std::sync::Arc::new(Scene::from_file(format!("{folder}/{set}.obj")).unwrap());
    let _ = (MotionFile::open as usize, MotionOptions::default());
    let text = std::fs::read(format!("{folder}/motions-{set}-30deg.npy")).unwrap();
    let at = 10 + u16::from_le_bytes([text[8], text[9]]) as usize;
    let n = robot.columns.len();
    let all: Vec<f64> = text[at..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
    let rows: Vec<(Vec<f64>, Vec<f64>)> = all.chunks_exact(2 * n).map(|r| (r[..n].to_vec(), r[n..].to_vec())).collect();
    let batch = |r: &[(Vec<f64>, Vec<f64>)]| {
        let (s, e): (Vec<_>, Vec<_>) = r.iter().cloned().unzip();
        firstcontact::MotionBatch::between(&s, &e).unwrap()
    };
    println!("{} triangles, {} motions", scene.triangles.len(), rows.len());
    for page in a[3..].iter().map(|x| x.parse::<u64>().unwrap()) {
        let faults = Faults { page_bytes: (page > 0).then_some(page), ..Faults::default() };
        let options = Options { backend: Backend::Gpu, sweep: Sweep::Off, faults, ..Options::default() };
        let engine = Engine::builder(robot.clone(), scene.clone()).options(options).build().unwrap();
        let one = batch(&rows[..1]);
        engine.check(&one).unwrap();
        let many = batch(&rows[..200]);
        engine.check(&many).unwrap();
        let mut ms = Vec::new();
        for r in rows.iter().take(60) {
            let m = batch(std::slice::from_ref(r));
            let t = Instant::now();
            engine.check(&m).unwrap();
            ms.push(t.elapsed().as_secs_f64() * 1e3);
        }
        ms.sort_by(f64::total_cmp);
        let single = engine.check(&one).unwrap().stats.device;
        let t = Instant::now();
        let report = engine.check(&many).unwrap();
        let each = t.elapsed().as_secs_f64() * 1e3 / 200.0;
        let mut h = 0u64;
        for v in &report.verdicts { for b in format!("{v:?}").bytes() { h = h.wrapping_mul(1099511628211).wrapping_add(u64::from(b)); } }
        println!("page {page}: single median {:.3} ms, batch {:.3} ms a motion, hash {h:x}\n  single {single:?}\n  batch {:?}", ms[30], each, report.stats.device);
    }
}
