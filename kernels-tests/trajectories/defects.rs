//! Wrong answers are detected: each defect of an answer that is right is found.

use super::answers::{Answer, Contact, Tally, difference};
use super::case::Case;
use super::corners::{path, tip, wall};
use super::curve::Trajectory;
use super::judge;
use super::walk::Outcome;
use crate::link_pairs::answers::{Place, Side};
use glam::DVec3;
use serde_json::{Value, json};

/// The tip, 0.5 m ahead, meets the wall at x = 1.5 m in the second segment, which takes 4 s from x = 0.5 m to 2.5 m.
const U: f64 = 1.25;

struct Trial {
    case: Case,
    trajectory: Trajectory,
    seen: Outcome,
}

impl Trial {
    fn new() -> Self {
        let case = Case::new(&tip(), vec![wall("wall", 1.5)]);
        let plain = path(&[[0.0, 0.0], [0.5, 1.0], [2.5, 1.0], [0.0, 0.0]]);
        let trajectory = Trajectory { times_s: Some(vec![1.0, 2.0, 6.0, 7.0]), ..plain };
        let seen = case.walk(std::slice::from_ref(&trajectory))[0];
        Self { case, trajectory, seen }
    }

    fn faults(&self, answer: &Answer) -> Vec<String> {
        judge::of_one(&self.case.course, &self.trajectory, &self.seen, answer)
    }

    fn right(&self) -> Contact {
        let side = |name: &str, shape: Option<usize>, triangle: usize, feature: (&str, usize)| Side {
            name: name.into(),
            shape,
            triangle,
            feature: (feature.0.into(), feature.1),
        };
        Contact {
            u: [U - 4e-10, U + 4e-10],
            time_s: Some([3.0 - 16e-10, 3.0 + 16e-10]),
            proved: true,
            certified: true,
            initial_overlap: false,
            place: Some(Place {
                a: side("tip", Some(0), 0, ("vertex", 2)),
                b: side("wall", None, 0, ("face", 0)),
                point: DVec3::new(1.5, 1.0, 0.0),
                normal: DVec3::NEG_X,
            }),
        }
    }

    /// Expects that the changed answer has this fault.
    #[track_caller]
    fn finds(&self, fault: &str, change: impl Fn(&mut Contact)) {
        let mut contact = self.right();
        change(&mut contact);
        let found = self.faults(&Answer::Contact(contact));
        assert!(found.iter().any(|f| f.contains(fault)), "{fault}: {found:?}");
    }

    #[track_caller]
    fn finds_at(&self, fault: &str, change: impl Fn(&mut Place)) {
        self.finds(fault, |c| change(c.place.as_mut().unwrap()));
    }
}

#[test]
fn the_right_answer_has_no_fault() {
    let trial = Trial::new();
    let right = trial.right();
    assert_eq!(trial.faults(&Answer::Contact(right.clone())), [""; 0]);
    let unproved = Contact {
        u: [U - 1e-9, 3.0],
        time_s: Some([3.0 - 4e-9, 7.0]),
        proved: false,
        certified: false,
        ..right.clone()
    };
    assert_eq!(trial.faults(&Answer::Contact(unproved)), [""; 0]);
    let wide = Contact { u: [0.5, 2.0], time_s: Some([1.5, 6.0]), certified: false, place: None, ..right };
    assert_eq!(trial.faults(&Answer::Contact(wide)), [""; 0]);
    assert_eq!(trial.faults(&Answer::Undecided { clear_until: 1.2 }), [""; 0]);
}

#[test]
fn wrong_verdicts_and_times() {
    let trial = Trial::new();
    assert_eq!(trial.faults(&Answer::Free), ["missed"]);
    assert_eq!(trial.faults(&Answer::Undecided { clear_until: 1.26 }), ["clear too long"]);
    trial.finds("late", |c| c.u = [U + 2e-9, U + 2.5e-9]);
    trial.finds("in contact before", |c| c.u = [U + 1e-4, U + 1e-4]);
    trial.finds("proved too early", |c| c.u = [U - 1e-5, U - 1e-5]);
    trial.finds("nothing touches", |c| c.u = [U - 1e-6, U - 1e-6]);
    trial.finds("wide", |c| c.u = [U - 1e-7, U + 1e-7]);
    trial.finds("certified but not proved", |c| c.proved = false);
    trial.finds("does not reach the end", |c| (c.proved, c.certified) = (false, false));
    trial.finds("not an interval", |c| c.u = [U, U - 1e-10]);
    trial.finds("not an interval", |c| c.u[1] = 3.5);
    trial.finds("nothing touches at the start", |c| (c.initial_overlap, c.u[0]) = (true, 0.0));
    trial.finds("an overlap at the start after time 0", |c| c.initial_overlap = true);
    trial.finds("other times in seconds", |c| c.time_s = Some([3.0, 3.0]));
    trial.finds("other times in seconds", |c| c.time_s = None);
    // The segment before, or the one after.
    trial.finds("nothing touches", |c| c.u = c.u.map(|u| u - 1.0));
    trial.finds("late", |c| c.u = c.u.map(|u| u + 1.0));
}

#[test]
fn wrong_bodies_points_and_normals() {
    let trial = Trial::new();
    trial.finds_at("no link", |p| p.a.name = "hand".into());
    trial.finds_at("no body", |p| p.b.name = "table".into());
    trial.finds_at("a pair that is not tested", |p| p.a.name = "cross".into());
    trial.finds_at("no such triangle", |p| p.b.triangle = 1);
    trial.finds_at("the triangles are apart", |p| p.a.triangle = 4);
    trial.finds_at("from the feature of a", |p| p.a.feature = ("vertex".into(), 0));
    trial.finds_at("from the feature of b", |p| p.point.x += 1e-6);
    trial.finds_at("the normal is not a unit vector", |p| p.normal *= 1.0 + 1e-9);
    trial.finds_at("the normal points from a to b", |p| p.normal = DVec3::X);
}

/// Lines as the contract writes them.
#[test]
fn segments_of_a_line_are_read() {
    let t = Trial::new().trajectory;
    let line = |more: Value| {
        let mut line = json!({"motion": 0, "verdict": "contact", "proved": true, "certified": false,
            "initial_overlap": false, "segment": 1, "toc": [0.25, 0.5], "time_s": [3.0, 4.0]});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Answer::read(&line, &t).contact().unwrap().u
    };
    assert_eq!(line(json!({})), [1.25, 1.5]);
    assert_eq!(line(json!({"segment_hi": 2})), [1.25, 2.5]);
    let undecided = json!({"verdict": "undecided", "segment": 2, "clear_until": 0.125, "clear_until_s": 6.125});
    assert_eq!(Answer::read(&undecided, &t), Answer::Undecided { clear_until: 2.125 });
    let two = path(&[[0.0, 0.0], [1.0, 0.0]]);
    let plain = json!({"verdict": "undecided", "clear_until": 0.125});
    assert_eq!(Answer::read(&plain, &two), Answer::Undecided { clear_until: 0.125 });
}

#[test]
fn answers_that_differ() {
    let right = Trial::new().right();
    let contact = |change: &dyn Fn(&mut Contact)| {
        let mut c = right.clone();
        change(&mut c);
        Answer::Contact(c)
    };
    let a = contact(&|_| {});
    let differs = |b: &Answer| difference(&a, b, &|u| u).is_some();
    assert!(!differs(&a) && !differs(&Answer::Undecided { clear_until: 0.0 }));
    assert!(differs(&Answer::Free) && difference(&Answer::Free, &Answer::Free, &|u| u).is_none());
    assert!(differs(&contact(&|c| c.u = [U + 2e-9, U + 3e-9])));
    assert!(differs(&contact(&|c| c.place.as_mut().unwrap().a.triangle = 1)));
    assert!(differs(&contact(&|c| (c.proved, c.certified) = (false, false))));
    assert!(difference(&a, &contact(&|c| c.u = [0.5, 0.5]), &|u| u + 0.75).is_none());
    let mut tally = Tally::default();
    tally.add(&[a, Answer::Free, Answer::Undecided { clear_until: 0.0 }]);
    assert_eq!(tally, Tally { free: 1, contact: 1, certified: 1, undecided: 1 });
}
