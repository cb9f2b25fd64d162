"""Trajectories against answers that follow from geometry."""

from __future__ import annotations

import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import firstcontact as fc

TOUCH_RAD = math.pi / 6


@pytest.fixture()
def turning(pointer: fc.Robot, wall: fc.Scene) -> fc.Engine:
    """The pointer touches the wall at an angle of TOUCH_RAD."""
    return fc.Engine(pointer, wall, device="cpu")


def test_waypoints(turning: fc.Engine) -> None:
    free = fc.Trajectory.from_waypoints([[0.0], [0.5], [-1.0]])
    touching = fc.Trajectory.from_waypoints([[0.0], [0.5], [1.0]], times=[1.0, 2.0, 4.0])
    results = turning.check_trajectories([free, touching])
    assert results.verdict.tolist() == [fc.FREE, fc.CONTACT] and results.segment.tolist() == [0, 1]
    lo, hi = results.toc[1]
    assert lo <= (TOUCH_RAD - 0.5) / 0.5 <= hi and results.segment_hi[1] == 1
    np.testing.assert_allclose(results.time_s[1], 2.0 + 2.0 * results.toc[1], atol=1e-12)
    assert np.isnan(results.time_s[0]).all()
    assert "of segment 1" in repr(results[1]) and results[1].time_s is not None


def test_a_cubic_of_scipys_form(turning: fc.Engine) -> None:
    # q(x) = 3 (x - 1)^2 - 2 (x - 1)^3 rad from x = 1 s to 2 s: from rest to rest over 1 rad.
    ppoly = SimpleNamespace(x=np.array([1.0, 2.0]), c=np.array([-2.0, 3.0, 0.0, 0.0]).reshape(4, 1, 1))
    trajectory = fc.Trajectory.from_ppoly(ppoly)
    assert repr(trajectory) == "<Trajectory: 1 column, 1 segment, 1 s to 2 s>"
    results = turning.check_trajectories([trajectory])
    t = results.toc[0]
    assert results.certified[0] and 3 * t[0] ** 2 - 2 * t[0] ** 3 <= TOUCH_RAD <= 3 * t[1] ** 2 - 2 * t[1] ** 3
    # The same as points with velocities, and with accelerations of rest it is another curve.
    points = fc.Trajectory.from_jtc([1.0, 2.0], [[0.0], [1.0]], [[0.0], [0.0]])
    np.testing.assert_allclose(turning.check_trajectories([points]).toc, results.toc, atol=1e-9)
    quintic = fc.Trajectory.from_jtc([1, 2], [[0.0], [1.0]], [[0.0], [0.0]], [[0.0], [0.0]])
    s = float(turning.check_trajectories([quintic]).toc[0, 0])
    assert abs(10 * s**3 - 15 * s**4 + 6 * s**5 - TOUCH_RAD) < 1e-8
    np.testing.assert_allclose(quintic.at(0, 0.5), [0.5], atol=1e-15)


def test_joints_with_breakpoints_of_their_own() -> None:
    # q0 = x^2 up to 1 s, then 1 + 2 (x - 1); q1 = 1 - x up to 0.5 s, then 0.5 + (x - 0.5)^3.
    first = SimpleNamespace(x=np.array([0.0, 1.0, 2.0]), c=np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]]))
    second = SimpleNamespace(x=np.array([0.0, 0.5, 2.0]), c=np.array([[0.0, 1.0], [0.0, 0.0], [-1.0, 0.0], [1.0, 0.5]]))
    both = fc.Trajectory.from_ppolys([first, second])
    assert both.times is not None and both.times.tolist() == [0.0, 0.5, 1.0, 2.0] and both.n_columns == 2
    for segment, t in ((0, 0.5), (1, 0.0), (1, 0.25), (2, 0.9), (2, 1.0)):
        x = both.times[segment] + t * (both.times[segment + 1] - both.times[segment])
        q0 = x * x if x <= 1 else 1 + 2 * (x - 1)
        q1 = 1 - x if x <= 0.5 else 0.5 + (x - 0.5) ** 3
        np.testing.assert_allclose(both.at(segment, t), [q0, q1], atol=1e-14)
    late = SimpleNamespace(x=second.x + 0.1, c=second.c)
    with pytest.raises(ValueError, match="different times"):
        fc.Trajectory.from_ppolys([first, late])
    with pytest.raises(ValueError, match="no polynomials"):
        fc.Trajectory.from_ppolys([])
    with pytest.raises(ValueError, match="c has the shape"):
        fc.Trajectory.from_ppolys([SimpleNamespace(x=first.x, c=first.c[:, :1])])


def test_bernstein_polynomials_of_scipy_are_the_curve_that_they_describe() -> None:
    interpolate = pytest.importorskip("scipy.interpolate")
    ends = [[[0.0, 1.0], [0.5, 0.0]], [[1.0, -1.0], [0.0, 2.0]], [[0.5, 0.0], [0.0, 0.0]]]
    bernstein = interpolate.BPoly.from_derivatives([0.0, 1.0, 3.0], np.array(ends))
    trajectory = fc.Trajectory.from_ppoly(bernstein)
    columns = [interpolate.BPoly(bernstein.c[:, :, k], bernstein.x) for k in range(2)]
    by_column = fc.Trajectory.from_ppolys(columns)
    for segment, t in ((0, 0.0), (0, 0.3), (1, 0.25), (1, 1.0)):
        x = bernstein.x[segment] + t * (bernstein.x[segment + 1] - bernstein.x[segment])
        np.testing.assert_allclose(trajectory.at(segment, t), bernstein(x), atol=1e-14)
        np.testing.assert_allclose(by_column.at(segment, t), bernstein(x), atol=1e-14)
    with pytest.raises(TypeError, match="no x and c"):
        fc.Trajectory.from_ppolys([[0.0, 1.0]])


def test_points_without_velocities_are_joined_by_lines() -> None:
    line = fc.Trajectory.from_jtc([0.0, 1.0, 3.0], [[0.0], [1.0], [2.0]])
    assert line.n_segments == 2 and line.at(1, 0.5).tolist() == [1.5]
    assert line.times is not None and line.times.tolist() == [0.0, 1.0, 3.0]
    still = fc.Trajectory.from_jtc([2.0], [[0.5]])
    assert still.n_segments == 1 and still.at(0, 1.0).tolist() == [0.5]


def test_joint_tolerances_have_one_number_for_each_column(turning: fc.Engine) -> None:
    path = fc.Trajectory.from_waypoints([[0.0], [0.1]])
    for wrong in ([], [0.1, 0.1], [[0.1]]):
        with pytest.raises(ValueError, match="joint_tolerance has the shape"):
            turning.check_trajectories([path], joint_tolerance=wrong)
    for wrong, error in ((np.ma.array([0.1], mask=[True]), ValueError), (True, TypeError), ("0.1", TypeError)):
        with pytest.raises(error):
            turning.check_trajectories([path], joint_tolerance=wrong)


def test_a_single_motion_has_one_row_for_each_end(turning: fc.Engine) -> None:
    assert turning.is_free([0.0], [0.1])
    for wrong in (np.zeros((0, 1)), np.zeros((2, 1)), 0.0):
        with pytest.raises(ValueError, match="start has the shape"):
            turning.is_free(wrong, wrong)


def test_joint_tolerances_bring_the_contact_forward(turning: fc.Engine) -> None:
    path = fc.Trajectory.from_waypoints([[0.0], [TOUCH_RAD - 0.01]])
    assert turning.check_trajectories([path]).all_free
    assert turning.check_trajectories([path], joint_tolerance=0.005).all_free
    for tolerance in (0.02, [0.02]):
        results = turning.check_trajectories([path], joint_tolerance=tolerance)
        assert not results.all_free and results.toc[0, 0] <= (TOUCH_RAD - 0.02) / (TOUCH_RAD - 0.01)


def test_wrong_trajectories(turning: fc.Engine) -> None:
    with pytest.raises(ValueError, match="waypoints"):
        fc.Trajectory.from_waypoints([0.0, 1.0])
    with pytest.raises(fc.Error, match="waypoint"):
        fc.Trajectory.from_waypoints(np.zeros((0, 1)))
    with pytest.raises(fc.Error, match="times must increase"):
        fc.Trajectory.from_jtc([1.0, 1.0], [[0.0], [1.0]], [[0.0], [0.0]])
    with pytest.raises(ValueError, match="times has the shape"):
        fc.Trajectory.from_jtc([1.0], [[0.0], [1.0]])
    with pytest.raises(ValueError, match="need velocities"):
        fc.Trajectory.from_jtc([0.0, 1.0], [[0.0], [1.0]], None, [[0.0], [0.0]])
    with pytest.raises(ValueError, match="no row"):
        fc.Trajectory.from_jtc([], np.zeros((0, 1)))
    with pytest.raises(TypeError, match="no x and c"):
        fc.Trajectory.from_ppoly(1.0)
    jump = SimpleNamespace(x=np.array([0.0, 1.0, 2.0]), c=np.array([[[0.0], [1.0]]]))
    with pytest.raises(fc.Error, match="jumps"):
        fc.Trajectory.from_ppoly(jump)
    with pytest.raises(fc.Error) as caught:
        turning.check_trajectories([fc.Trajectory.from_waypoints([[0.0, 0.0], [1.0, 1.0]])])
    assert caught.value.place == "trajectory 0"
    with pytest.raises(IndexError):
        fc.Trajectory.from_waypoints([[0.0], [1.0]]).at(1, 0.5)


def test_an_empty_list_of_trajectories(turning: fc.Engine) -> None:
    results = turning.check_trajectories([])
    assert len(results) == 0 and results.segment.shape == (0,) and results.time_s.shape == (0, 2)


def test_trajectories_pickle(turning: fc.Engine) -> None:
    ppoly = SimpleNamespace(x=np.array([1.0, 2.0]), c=np.array([-2.0, 3.0, 0.0, 0.0]).reshape(4, 1, 1))
    points = fc.Trajectory.from_jtc([1.0, 2.0], [[0.0], [1.0]], [[0.0], [0.0]], [[0.0], [0.0]])
    paths = [fc.Trajectory.from_waypoints([[0.0], [1.0]]), fc.Trajectory.from_ppoly(ppoly), points]
    again = pickle.loads(pickle.dumps(paths))
    assert turning.check_trajectories(again).to_jsonl() == turning.check_trajectories(paths).to_jsonl()
