"""Arrays that are accepted, and the errors for others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firstcontact as fc


class WithArray:
    """Like a tensor of PyTorch, a JAX array or a pandas frame."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.array


class WithDlpack:
    """An array that knows DLPack alone."""

    def __init__(self, array: np.ndarray, device: int = 1) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


def test_all_kinds_of_arrays_give_the_same_answers(engine: fc.Engine, motions: np.ndarray) -> None:
    some = np.round(motions[:20], 1)
    expected = engine.check(some).to_jsonl()
    writable = some.copy()
    kinds: list[Any] = [some.tolist(), np.asfortranarray(some), some[::1], WithArray(some), WithDlpack(writable)]
    kinds += [np.repeat(some, 2, axis=0)[::2], np.flip(np.flip(some, 0).copy(), 0)]
    for kind in kinds:
        assert engine.check(kind).to_jsonl() == expected
    whole = np.array([[[0, 0], [1, 1]]])
    assert engine.check(whole.astype(np.int32)).to_jsonl() == engine.check(whole.astype(np.float32)).to_jsonl()


def test_memory_of_a_device_is_refused(engine: fc.Engine, motions: np.ndarray) -> None:
    with pytest.raises(TypeError, match=r"starts is not in the memory of the CPU: copy it there first"):
        engine.check(WithDlpack(motions, device=2))


def test_masked_values_are_refused(engine: fc.Engine, motions: np.ndarray) -> None:
    some = np.ma.MaskedArray(motions[:3])
    assert engine.check(some).to_jsonl() == engine.check(motions[:3]).to_jsonl()
    some[1, 0, 0] = np.ma.masked
    with pytest.raises(ValueError, match="starts has masked values"):
        engine.check(some)


@pytest.mark.parametrize("wrong", [np.zeros((1, 2, 2), complex), np.array([[["a", "b"]] * 2]), [[[None, 1], [1, 2]]]])
def test_other_types_are_refused(engine: fc.Engine, wrong: Any) -> None:
    with pytest.raises(TypeError, match="starts has the type"):
        engine.check(wrong)


@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 2, 3), (3, 3, 2), (1, 3, 2, 2), ()])
def test_shapes_of_motions(engine: fc.Engine, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="motions have the shape"):
        engine.check(np.zeros(shape))


def test_shapes_of_starts_and_ends(engine: fc.Engine) -> None:
    for starts, ends in [((3, 2), (2, 2)), ((3, 3), (3, 3)), ((3,), (3,)), ((3, 2), (2,)), ((1, 2, 2), (1, 2, 2))]:
        with pytest.raises(ValueError, match="starts have the shape"):
            engine.check(np.zeros(starts), np.zeros(ends))
    with pytest.raises(ValueError, match="different lengths"):
        engine.check([[0.0, 1.0], [0.0]], [[0.0, 1.0], [0.0]])


def test_edges_must_name_vertices(engine: fc.Engine) -> None:
    vertices = np.zeros((3, 2))
    for edges in ([[0, 3]], [[-1, 0]]):
        with pytest.raises(ValueError, match="there are 3"):
            engine.check_edges(vertices, edges)
    with pytest.raises(ValueError, match=r"not \(E, 2\)"):
        engine.check_edges(vertices, [[0, 1, 2]])
    with pytest.raises(TypeError, match="whole numbers"):
        engine.check_edges(vertices, [[0.0, 1.0]])


def test_numbers_that_are_not_finite_have_a_place(engine: fc.Engine, motions: np.ndarray) -> None:
    for value in (np.nan, np.inf):
        wrong = motions.copy()
        wrong[42, 1, 1] = value
        with pytest.raises(fc.Error, match="column 1 is NaN or infinite") as caught:
            engine.check(wrong)
        assert (caught.value.place, caught.value.kind) == ("motion 42", "input")
        vertices, edges = wrong.reshape(-1, 2), np.arange(2 * len(wrong)).reshape(-1, 2)
        with pytest.raises(fc.Error) as caught:
            engine.check_edges(vertices, edges)
        assert caught.value.place == "motion 42"


def test_meshes(tmp_path: Any) -> None:
    scene = fc.Scene()
    with pytest.raises(ValueError, match="faces refer to vertices 0 to 3"):
        scene.add_mesh("m", np.zeros((3, 3)), [[0, 1, 3]])
    with pytest.raises(ValueError, match="vertices have|vertices has"):
        scene.add_mesh("m", np.zeros((3, 2)), [[0, 1, 2]])
    with pytest.raises(ValueError, match="pose"):
        scene.add_mesh("m", np.zeros((1, 3, 3)), pose=np.zeros((3, 3)))
    with pytest.raises(ValueError, match="last row"):
        scene.add_mesh("m", np.zeros((1, 3, 3)), pose=np.zeros((4, 4)))
    with pytest.raises(fc.Error, match="NaN"):
        scene.add_mesh("m", np.full((1, 3, 3), np.nan))
    assert scene.objects == [] and scene.n_triangles == 0, "what was refused is not there"


def test_poses_of_meshes() -> None:
    scene = fc.Scene()
    corner = [[[1.0, 2.0, 3.0], [2, 2, 3], [1, 3, 3]]]
    quarter = np.array([[0, -1, 0, 10], [1, 0, 0, 20], [0, 0, 1, 30], [0, 0, 0, 1]])
    assert [
        scene.add_mesh("m", corner, pose=quarter),
        scene.add_mesh("m", corner, pose=[10, 20, 30, 0, 0, np.pi / 2]),
    ] == [0, 1]
    np.testing.assert_array_equal(scene.triangles(0)[0, 0], [8, 21, 33])
    np.testing.assert_allclose(scene.triangles(1), scene.triangles(0), atol=1e-14)
    with pytest.raises(IndexError):
        scene.triangles(2)


def test_robots_without_joints_have_no_motions(wall: fc.Scene, tmp_path: Path) -> None:
    (tmp_path / "post.obj").write_text("v 0 0 0\nv 0 1 0\nv 0 1 0.1\nf 1 2 3\n")
    text = """<robot name="post"><link name="post">
      <collision><geometry><mesh filename="post.obj"/></geometry></collision></link></robot>"""
    engine = fc.Engine(fc.Robot.from_xml(text, folder=tmp_path), wall, device="cpu")
    for starts, ends in ((np.zeros(0), np.zeros(0)), (np.zeros((5, 0)), np.zeros((5, 0)))):
        with pytest.raises(fc.Error, match="no moving joint"):
            engine.check(starts, ends)
    with pytest.raises(fc.Error, match="no moving joint"):
        engine.is_free(np.zeros(0), np.zeros(0))
