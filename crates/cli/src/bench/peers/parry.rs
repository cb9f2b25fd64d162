//! parry3d, in this process: one link at a time against the scene, both as meshes.
//!
//! `cast_shapes_nonlinear` takes a `NonlinearRigidMotion`: a point moves on a straight line while the body turns about
//! it. A robot's link moves differently (see `interpolation`); it is cast between its two poses in the world. The
//! sampling methods use the robot's own motion.

use super::contender::{Answer, Answers, Reported};
use super::interpolation::{Interpolated, poses};
use super::sets::{Set, moving_links};
use firstcontact::robot::Triangle;
use firstcontact::{Error, Result};
use glam::{DQuat, DVec3};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear, intersection_test};
use parry3d_f64::shape::TriMesh;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Maximum time of a motion after the time limit.
const GRACE: Duration = Duration::from_secs(20);

/// The method of parry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// `cast_shapes_nonlinear`.
    Cast,
    /// `intersection_test` at poses at most this many degrees apart.
    SamplesDeg(f64),
}

/// A report of the thread.
enum Report {
    Built(f64),
    Answer(usize, std::result::Result<Answer, String>),
}

/// Answers the motions of a set on a separate thread, as many as the time allows.
pub fn run(
    set: &Arc<Set>,
    method: Method,
    limit: Duration,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize),
) -> Answers {
    let mut answers = Answers::none(set.motions.len());
    answers.about = Some("parry3d-f64 0.31".into());
    let (to, reports) = channel();
    let over = Arc::new(AtomicBool::new(false));
    let (of_thread, is_over) = (Arc::clone(set), Arc::clone(&over));
    std::thread::spawn(move || work(&of_thread, method, &to, &is_over));
    let mut trouble = None;
    let mut progress = |n| {
        over.fetch_or(stop.load(Ordering::Relaxed), Ordering::Relaxed);
        progress(n);
    };
    if !listen(&reports, Instant::now() + limit, &mut answers, &mut trouble, &mut progress) {
        over.store(true, Ordering::Relaxed);
        trouble = Some(format!("stopped after {} s", limit.as_secs()));
        if !listen(&reports, Instant::now() + GRACE, &mut answers, &mut trouble, &mut progress) {
            trouble = Some("still working on a motion long after the time limit, and abandoned there".into());
        }
    }
    if answers.count() < set.motions.len() {
        let why = trouble.unwrap_or_else(|| "it ended early".into());
        answers.trouble = Some(format!("{why}: {} of {} motions answered", answers.count(), set.motions.len()));
    }
    answers
}

/// Receives reports until the thread ends; returns `false` if that is not before `until`.
fn listen(
    reports: &Receiver<Report>,
    until: Instant,
    answers: &mut Answers,
    trouble: &mut Option<String>,
    progress: &mut dyn FnMut(usize),
) -> bool {
    loop {
        match reports.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Report::Built(build_s)) => answers.build_s = Some(build_s),
            Ok(Report::Answer(i, Ok(answer))) => {
                answers.by_motion[i] = Some(answer);
                progress(answers.count());
            }
            Ok(Report::Answer(i, Err(what))) => *trouble = Some(format!("motion {i}: {what}")),
            Err(RecvTimeoutError::Disconnected) => return true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
    }
}

fn work(set: &Set, method: Method, to: &Sender<Report>, stop: &AtomicBool) {
    let from = thread_time_s();
    let world = match CollisionWorld::new(set) {
        Ok(world) => world,
        // The error is reported, so that the receiver knows why there are no answers.
        Err(e) => {
            let _ = to.send(Report::Answer(0, Err(e.to_string())));
            return;
        }
    };
    let _ = to.send(Report::Built(thread_time_s() - from));
    for i in 0..set.motions.len() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let (clock, from) = (Instant::now(), thread_time_s());
        let reported = catch_unwind(AssertUnwindSafe(|| world.answer(set, i, method)));
        let (cpu_s, wall_s) = (thread_time_s() - from, clock.elapsed().as_secs_f64());
        let report = match reported {
            Ok(Ok(reported)) => Ok(Answer { reported, cpu_s, wall_s }),
            Ok(Err(e)) => Err(e.to_string()),
            Err(_) => Err("it panicked".into()),
        };
        if to.send(Report::Answer(i, report)).is_err() {
            return;
        }
    }
}

/// Meshes of the moving links, each with its body, and of the scene.
struct CollisionWorld {
    links: Vec<(usize, TriMesh)>,
    scene: TriMesh,
}

impl CollisionWorld {
    fn new(set: &Set) -> Result<Self> {
        let link = |k: usize| {
            let link = &set.robot.links[k];
            Ok((link.body as usize, mesh(&link.triangles).map_err(|e| e.at(format!("link '{}'", link.name)))?))
        };
        let links = moving_links(&set.robot).into_iter().map(link).collect::<Result<_>>()?;
        Ok(Self { links, scene: mesh(&set.scene.triangles)? })
    }

    fn answer(&self, set: &Set, i: usize, method: Method) -> Result<Reported> {
        match method {
            Method::Cast => self.cast(set, i),
            Method::SamplesDeg(step) => self.samples(set, i, step),
        }
    }

    fn cast(&self, set: &Set, i: usize) -> Result<Reported> {
        let (from, to) = (poses(set, i, 0.0)?, poses(set, i, 1.0)?);
        let standing = NonlinearRigidMotion::identity();
        let mut first: Option<f64> = None;
        for (body, link) in &self.links {
            let m = Interpolated::between(&from[*body], &to[*body]);
            let start = Pose::from_parts(vector(m.origin_m), rotation(m.orientation));
            let moving = NonlinearRigidMotion::new(start, Vector::ZERO, vector(m.way_m), vector(m.turn_rad));
            let end = first.unwrap_or(1.0);
            // The scene is the first shape, which is several times faster than the reverse order.
            let hit = cast_shapes_nonlinear(&standing, &self.scene, &moving, link, 0.0, end, true);
            if let Some(hit) = hit.map_err(|e| Error::usage(e.to_string()))? {
                first = Some(hit.time_of_impact.min(end));
            }
        }
        Ok(first.map_or(Reported::Free, |t| Reported::Contact(Some(t))))
    }

    fn samples(&self, set: &Set, i: usize, step_deg: f64) -> Result<Reported> {
        let [start, end] = &set.motions[i].ends;
        let widest = start.iter().zip(end).map(|(s, e)| (e - s).abs()).fold(0.0, f64::max).to_degrees();
        let n = (widest / step_deg).ceil().max(1.0) as usize;
        for k in 0..=n {
            let t = k as f64 / n as f64;
            let poses = poses(set, i, t)?;
            for (body, link) in &self.links {
                let (_, turn, origin) = poses[*body].to_scale_rotation_translation();
                let pose = Pose::from_parts(vector(origin), rotation(turn));
                let hit = intersection_test(&Pose::IDENTITY, &self.scene, &pose, link);
                if hit.map_err(|e| Error::usage(e.to_string()))?.intersecting {
                    return Ok(Reported::Contact(Some(t)));
                }
            }
        }
        Ok(Reported::Free)
    }
}

/// A mesh with vertices of equal coordinates merged.
fn mesh(triangles: &[Triangle]) -> Result<TriMesh> {
    let mut numbers = HashMap::new();
    let mut vertices = Vec::new();
    let mut number = |v: DVec3| {
        *numbers.entry(v.to_array().map(f64::to_bits)).or_insert_with(|| {
            vertices.push(vector(v));
            vertices.len() as u32 - 1
        })
    };
    let faces = triangles.iter().map(|t| t.map(&mut number)).collect();
    TriMesh::new(vertices, faces).map_err(|e| Error::usage(format!("parry refuses the mesh: {e}")))
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn rotation(q: DQuat) -> Rotation {
    Rotation::from_xyzw(q.x, q.y, q.z, q.w)
}

#[cfg(unix)]
fn thread_time_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Wall time, if a thread's own time is unknown.
#[cfg(not(unix))]
fn thread_time_s() -> f64 {
    use std::time::SystemTime;
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}
