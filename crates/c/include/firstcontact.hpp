// firstcontact for C++17: certified continuous collision detection of articulated models. MIT or Apache-2.0.
//
//     auto robot = firstcontact::Robot::from_files("arm.urdf");
//     auto scene = firstcontact::Scene::from_file("table.obj");
//     auto engine = firstcontact::Engine::make(robot, scene);
//     if (engine.is_free(start, end)) …            // certainly free at every moment
//     auto results = engine.check(starts, ends);   // rows of configurations
//
// Lengths are in metres, angles in radians, times are fractions of a motion, from 0 to 1. The rules of firstcontact.h
// for threads, callbacks and memory apply; objects free what they hold, and any number of threads may use them.
//
// Errors are exceptions of the class firstcontact::Error. With FIRSTCONTACT_NO_EXCEPTIONS, or if the compiler has
// exceptions disabled, functions return firstcontact::Expected<T> instead, a value or an Error. In these headers,
// Result<T> stands for T or Expected<T>.
//
// Arrays are views of the caller's memory, with strides: see firstcontact/views.hpp. Matrices, vectors and transforms
// of Eigen are accepted directly.

#ifndef FIRSTCONTACT_HPP
#define FIRSTCONTACT_HPP

#include "firstcontact/elementary.hpp"
#include "firstcontact/engine.hpp"
#include "firstcontact/error.hpp"
#include "firstcontact/options.hpp"
#include "firstcontact/results.hpp"
#include "firstcontact/robot.hpp"
#include "firstcontact/scene.hpp"
#include "firstcontact/trajectory.hpp"
#include "firstcontact/views.hpp"

#endif  // FIRSTCONTACT_HPP
