// The output of a peer: a line for each motion, written immediately, with the time that it took (README.md describes
// the lines).
#pragma once
#include "problem.h"
#include <ctime>

inline double clock_s(clockid_t which) {
  timespec t;
  clock_gettime(which, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

struct Answer {
  bool contact;
  double time = std::numeric_limits<double>::quiet_NaN();  // NaN: the method computes no time
};

inline void say_about(const std::string& what) { printf("about %s\n", what.c_str()); fflush(stdout); }

// Builds the structures that a peer needs (trees and the like), and reports the time for it, which is not part of the
// times below.
template <class Make> auto built(Make make) {
  const double from = clock_s(CLOCK_THREAD_CPUTIME_ID);
  auto made = make();
  printf("build %.6g\n", clock_s(CLOCK_THREAD_CPUTIME_ID) - from);
  fflush(stdout);
  return made;
}

template <class Method> void answer_all(const Problem& problem, Method method) {
  for (size_t i = 0; i < problem.motions.size(); i++) {
    const double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_THREAD_CPUTIME_ID);
    const Answer a = method(problem.motions[i]);
    const double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID) - cpu, wall_s = clock_s(CLOCK_MONOTONIC) - wall;
    printf("answer %zu %s ", i, a.contact ? "contact" : "free");
    if (a.contact && !std::isnan(a.time)) printf("%.17g", a.time); else printf("-");
    printf(" %.9g %.9g\n", cpu_s, wall_s);
    fflush(stdout);
  }
  puts("end");
}

// Samples from 0 to 1, in `steps` equal steps; `hit` returns whether a link in a pose touches the scene.
template <class Hit> Answer sampled(const Problem& problem, const Motion& m, int steps, Hit hit) {
  for (int k = 0; k <= steps; k++) {
    const double t = double(k) / steps;
    const auto poses = problem.poses(m, t);
    for (size_t i = 0; i < poses.size(); i++) if (hit(i, poses[i])) return {true, t};
  }
  return {false};
}

inline int steps(double length, double step) { return std::max(1, int(std::ceil(length / step))); }
