#!/usr/bin/env python3
"""Bullet's cast, as Tesseract offers it to planners: the convex hull of a link, swept from pose to pose, against the
scene's mesh.

    tesseract.py PROBLEM cast STEP      (STEP is not used)

The cast manager casts convex shapes only, so each moving link is represented by its convex hull; the swept shape is the
hull of both ends, not the arc between them. The answer is whether anything touches, without a time."""
import glob
import importlib.metadata
import os
import sys
import time

import numpy as np
import tesseract_robotics
from scipy.spatial import ConvexHull
from tesseract_robotics import tesseract_collision as collision
from tesseract_robotics import tesseract_common as common
from tesseract_robotics import tesseract_geometry as geometry

from problem import Problem


def manager_factory():
    """Creates the factory of managers from the plugin in the package."""
    folder = os.path.join(os.path.dirname(os.path.dirname(tesseract_robotics.__file__)), "tesseract_robotics.libs")
    files = glob.glob(os.path.join(folder, "libtesseract_collision_bullet_factories*.so"))
    names = ", ".join(os.path.basename(file)[len("lib"):-len(".so")] for file in files)
    return collision.ContactManagersPluginFactory(f"""contact_manager_plugins:
  search_paths: [{folder}]
  search_libraries: [{names}]
  continuous_plugins:
    default: BulletCastBVHManager
    plugins:
      BulletCastBVHManager:
        class: BulletCastBVHManagerFactory
""", common.GeneralResourceLocator())


def shape(kind, vertices, triangles):
    points = common.VectorVector3d()
    for vertex in vertices:
        points.append(vertex)
    faces = np.column_stack([np.full(len(triangles), 3), triangles]).astype(np.int32).ravel()
    return kind(points, faces)


def hull(vertices):
    """Vertices and triangles of the convex hull."""
    found = ConvexHull(vertices)
    number = {old: new for new, old in enumerate(found.vertices)}
    return vertices[found.vertices], np.array([[number[v] for v in triangle] for triangle in found.simplices])


def add(manager, name, what):
    is_new = hasattr(collision, "CollisionShapesConst")
    shapes = collision.CollisionShapesConst() if is_new else geometry.GeometriesConst()
    shapes.append(what)
    places = common.VectorIsometry3d()
    places.append(common.Isometry3d(np.eye(4)))
    if not manager.addCollisionObject(name, 0, shapes, places):
        raise SystemExit(f"{name} was refused")


def managers(problem, factory):
    """One manager for each link, so that links do not meet each other."""
    scene, made = shape(geometry.Mesh, *problem.scene), []
    for k, (_, (vertices, _)) in enumerate(problem.links):
        manager = factory.createContinuousContactManager("BulletCastBVHManager")
        name = f"link{k}"
        add(manager, "scene", scene)
        add(manager, name, shape(geometry.ConvexMesh, *hull(vertices)))
        manager.setActiveCollisionObjects([name])
        made.append((name, manager))
    return made


def touches(links, start, end):
    request = collision.ContactRequest(collision.ContactTestType_FIRST)
    for (name, manager), a, b in zip(links, start, end):
        manager.setCollisionObjectsTransform(name, common.Isometry3d(a), common.Isometry3d(b))
        result = collision.ContactResultMap()
        manager.contactTest(result, request)
        if result.size():
            return True
    return False


def main():
    if len(sys.argv) != 4 or sys.argv[2] != "cast":
        raise SystemExit("usage: tesseract.py PROBLEM cast STEP")
    problem = Problem(sys.argv[1])
    print("about tesseract-robotics", importlib.metadata.version("tesseract-robotics"), flush=True)
    factory = manager_factory()
    begin = time.thread_time()
    links = managers(problem, factory)
    print(f"build {time.thread_time() - begin:.6g}", flush=True)
    for k, motion in enumerate(problem.motions):
        start, end = problem.poses(motion, 0), problem.poses(motion, 1)
        wall, cpu = time.perf_counter(), time.thread_time()
        contact = touches(links, start, end)
        cpu_s, wall_s = time.thread_time() - cpu, time.perf_counter() - wall
        print(f"answer {k} {'contact' if contact else 'free'} - {cpu_s:.9g} {wall_s:.9g}", flush=True)
    print("end", flush=True)


if __name__ == "__main__":
    main()
