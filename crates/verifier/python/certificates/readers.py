"""`python3 -m certificates.readers FOLDER ROBOT.urdf SCENE.obj MOTIONS.npy`: compares an exported model with the files.

Robot and scene are read with yourdfpy and trimesh, motions with numpy; without these packages the exit code is 3. At
random configurations each vertex of each mesh must be within 1e-9 m of its place, and each motion must be the same.
"""

import math
import random
import sys
from pathlib import Path

from . import model

# Largest distance of a vertex from its place, metres.
TOLERANCE_M = 1e-9
CONFIGURATIONS = 5


def main(folder: str, urdf: str, mesh: str, motions: str) -> int:
    try:
        import numpy
        import trimesh
        import yourdfpy
    except ImportError as error:
        print(f"{error.name} is not installed")
        return 3
    robot, scene = model.robot(Path(folder) / "robot.bin"), model.scene(Path(folder) / "scene.bin")
    given = yourdfpy.URDF.load(urdf, load_meshes=False, load_collision_meshes=True, build_collision_scene_graph=True)
    farthest, vertices = 0.0, 0
    names = given.actuated_joint_names
    draw = random.Random(20)
    for _ in range(CONFIGURATIONS):
        values = [draw.uniform(-1.0, 1.0) for _ in names]
        given.update_cfg(dict(zip(names, values)))
        poses = _poses(robot, values)
        for link in robot.links:
            found = _triangles(given, link.name, numpy)
            own = numpy.array(link.triangles, dtype=float)
            if found.shape != own.shape:
                print(f"link {link.name}: {len(found)} triangles in the file, {len(own)} in the model")
                return 1
            turn, at = poses[link.body]
            moved = own @ numpy.array(turn).T + numpy.array(at)
            farthest = max(farthest, float(numpy.abs(moved - found).max()))
            vertices += 3 * len(own)
    whole = trimesh.load(mesh, process=False, force="mesh", maintain_order=True).triangles
    own = numpy.array([triangle for triangles in scene.objects for triangle in triangles], dtype=float)
    if whole.shape != own.shape:
        print(f"the scene has {len(whole)} triangles in the file, {len(own)} in the model")
        return 1
    # Objects may be in another order in the file.
    farthest = max(farthest, float(numpy.abs(_sorted(whole, numpy) - _sorted(own, numpy)).max()))
    rows = numpy.load(motions)
    for row, motion in zip(rows, model.motions(Path(folder) / "motions.bin"), strict=True):
        if [list(column) for column in row.T] != motion.segments[0]:
            print("a motion differs")
            return 1
    if not farthest <= TOLERANCE_M:
        print(f"a vertex is {farthest} m from its place")
        return 1
    print(f"the same: {vertices} vertices and {len(whole)} triangles within {farthest:.1e} m, {len(rows)} motions")
    return 0


def _sorted(triangles, numpy):
    flat = triangles.reshape(len(triangles), 9)
    return flat[numpy.lexsort(numpy.round(flat, 6).T[::-1])]


def _triangles(given, name: str, numpy):
    """The triangles of a link in the world, in the order of its shapes."""
    graph, parts = given.collision_scene.graph, []
    for shape in given.link_map[name].collisions:
        mesh = shape.geometry.mesh
        if mesh is None:
            raise SystemExit(f"link {name} has a shape that is not a mesh")
        node = _node_of(graph, name, mesh.filename, len(parts))
        transform, geometry = graph[node]
        corners = given.collision_scene.geometry[geometry].triangles
        parts.append(corners @ transform[:3, :3].T + transform[:3, 3])
    return numpy.concatenate(parts) if parts else numpy.zeros((0, 3, 3))


def _node_of(graph, name: str, filename: str, number: int) -> str:
    """The node of a shape: its parent in the graph is the link."""
    nodes = [node for node in graph.nodes_geometry if graph.transforms.parents.get(node) == name]
    stem = Path(filename).name
    fitting = [node for node in nodes if node.startswith(stem)] or nodes
    return fitting[min(number, len(fitting) - 1)]


def _poses(robot, values):
    """Rotations (rows) and positions of all bodies, in plain arithmetic."""
    poses = []
    for body in robot.bodies:
        columns = body.columns_of_orientation
        before = [[columns[j][i] for j in range(3)] for i in range(3)]
        q = body.multiplier * values[body.column] + body.offset if body.kind in ("revolute", "prismatic") else 0.0
        turn, slide = _identity(), [0.0] * 3
        if body.kind == "revolute":
            turn = _turn(body.axis, q)
        elif body.kind == "prismatic":
            slide = [q * x for x in body.axis]
        own = _times(before, turn), [o + d for o, d in zip(body.origin, _apply(before, slide))]
        if body.parent >= 0:
            matrix, at = poses[body.parent]
            own = _times(matrix, own[0]), [a + d for a, d in zip(at, _apply(matrix, own[1]))]
        poses.append(own)
    return poses


def _identity():
    return [[float(i == j) for j in range(3)] for i in range(3)]


def _apply(m, v):
    return [sum(m[i][j] * v[j] for j in range(3)) for i in range(3)]


def _times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def _turn(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    s, c = math.sin(angle), math.cos(angle)
    cross = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    return [[c * (i == j) + s * cross[i][j] + (1.0 - c) * axis[i] * axis[j] for j in range(3)] for i in range(3)]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
