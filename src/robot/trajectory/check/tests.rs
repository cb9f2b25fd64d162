use super::*;
use crate::formats::test_files::{STILL, robot, slides};

/// The robot's columns at rest but for one.
fn at(column: usize, value: f64) -> Vec<f64> {
    let mut row = STILL.to_vec();
    row[column] = value;
    row
}

#[track_caller]
fn refused(path: &Trajectory, words: &str) {
    let error = path.check(&robot()).unwrap_err().to_string();
    assert!(error.contains(words), "{words}: {error}");
}

#[test]
fn trajectories_that_suit_the_robot() {
    let rows = [STILL.to_vec(), at(0, 1000.0), at(1, -1e6), at(2, 1e6)];
    assert!(Trajectory::linear(&rows).unwrap().check(&robot()).is_ok());
    let mut path = Trajectory::new(&[0.0, 0.0]).unwrap();
    path.cubic_to(1.0, &[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]).unwrap();
    assert!(path.check(&slides()).is_ok());
}

#[test]
fn values_that_do_not_suit_the_robot_are_refused() {
    let to = |column, value| Trajectory::linear([STILL.to_vec(), STILL.to_vec(), at(column, value)]).unwrap();
    refused(&Trajectory::linear([[0.0]]).unwrap(), "1 columns where the robot has 9 (firstcontact info");
    refused(&Trajectory::new(&STILL).unwrap(), "a trajectory needs a segment");
    refused(&to(0, 1e7), "segment 1: joint 'turn' turns between 0.0 and 10000000.0 rad, beyond 1048576 (2^20)");
    // The follower turns a thousand times as far, from 0.5 on.
    refused(&to(0, 1100.0), "segment 1: joint 'follower' turns between 0.5 and 1100000.5 rad");
    refused(&to(1, -1.1e6), "segment 1: joint 'slide' moves to -1100000.0 m, beyond 1000000 m");
    refused(&to(2, 1.1e6), "segment 1: joint 'free' moves to 1100000.0 m");
    refused(&to(8, 0.99), "segment 1: the quaternion of joint 'free' has the norm 0.99, not 1");
    assert!(to(8, 1.0 + 9e-7).check(&robot()).is_ok());
    // Each end is within the bound, but not their range, although no single segment has all of it.
    let wide = Trajectory::linear([at(0, -600.0), at(0, 0.0), at(0, 600.0)]).unwrap();
    refused(&wide, "segment 1: joint 'follower' turns between -599999.5 and 600000.5 rad");
}

#[test]
fn curves_are_bounded_between_their_points() {
    let robot = slides();
    let curve = |v: f64| {
        let mut path = Trajectory::new(&[0.0, 0.0]).unwrap();
        path.cubic_to(1.0, &[v, 0.0], &[-v, 0.0], &[0.0, 0.0]).unwrap();
        path.check(&robot)
    };
    // Both inner coefficients are v / 3, the largest value is v / 4.
    assert!(curve(2.9e6).is_ok());
    let error = curve(4.1e6).unwrap_err().to_string();
    assert!(error.contains("segment 0: joint 'a' moves to 1366666.6"), "{error}");
}

#[test]
fn free_joints_move_straight() {
    let mut path = Trajectory::new(&STILL).unwrap();
    path.line_to(&STILL).unwrap();
    path.cubic_to(1.0, &[0.0; 9], &[0.0; 9], &STILL).unwrap();
    refused(
        &path,
        "segment 1: joint 'free' is free and must move straight between points, not along a curve of degree 3",
    );
}

#[test]
fn points_beyond_limits_are_counted() {
    let path = Trajectory::linear([at(0, 0.0), at(0, 2.5), at(0, -3.0)]).unwrap();
    let mut beyond = BeyondLimits::default();
    beyond.add_trajectory(&path, 7, &robot());
    let expected = "values beyond joint limits: 2, of 3, up to 1.50 times the limit; \
                    the first: trajectory 7 at point 1 with joint 'turn' at 2.5, limits -1.0 to 2.0";
    assert_eq!(beyond.line().unwrap(), expected);
}
