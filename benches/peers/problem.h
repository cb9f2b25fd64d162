// The problem: a robot, a scene and motions, as `firstcontact bench peers` writes them (README.md describes the file).
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using Vec = Eigen::Vector3d;
using Pose = Eigen::Isometry3d;

[[noreturn]] inline void fail(const std::string& what) {
  fprintf(stderr, "%s\n", what.c_str());
  exit(2);
}

struct Mesh {
  std::vector<Vec> vertices;
  std::vector<std::array<int, 3>> triangles;
};

struct Body {
  int parent;  // -1 for the world
  char kind;   // 'f'ixed, 'r'evolute, 'p'rismatic
  int column;
  double multiplier, offset;  // joint value = multiplier * column + offset
  Vec axis;
  Pose placement;  // of the joint in the parent's frame
  double value(const std::vector<double>& q) const { return multiplier * q[column] + offset; }
};

struct Link {
  int body;
  Mesh mesh;
};

struct Motion {
  std::vector<double> start, end;
  std::vector<double> at(double t) const {
    std::vector<double> q(start);
    for (size_t i = 0; i < q.size(); i++) q[i] += t * (end[i] - start[i]);
    return q;
  }
  // Largest change of a column, degrees.
  double degrees() const {
    double most = 0;
    for (size_t i = 0; i < start.size(); i++) most = std::max(most, std::abs(end[i] - start[i]));
    return most * 180 / M_PI;
  }
};

struct Problem {
  std::vector<Body> bodies;
  std::vector<Link> links;  // only those that some column moves: the others are free if the start is free
  Mesh scene;
  std::vector<Motion> motions;

  explicit Problem(const std::string& folder) {
    std::ifstream in(folder + "/problem.txt");
    auto word = [&](const char* wanted) {
      std::string w;
      if (!(in >> w) || w != wanted) fail(folder + "/problem.txt: '" + w + "' where '" + wanted + "' should be");
    };
    size_t n, columns;
    word("bodies"); in >> n; bodies.resize(n);
    for (auto& b : bodies) {
      in >> b.parent >> b.kind >> b.column >> b.multiplier >> b.offset >> b.axis[0] >> b.axis[1] >> b.axis[2];
      b.placement = Pose::Identity();
      for (int r = 0; r < 3; r++) for (int c = 0; c < 4; c++) in >> b.placement.matrix()(r, c);
    }
    word("links"); in >> n;
    for (size_t i = 0; i < n; i++) {
      Link link; std::string file;
      in >> link.body >> file;
      if (!moves(link.body)) continue;
      link.mesh = read_mesh(folder + "/" + file);
      links.push_back(std::move(link));
    }
    std::string file;
    word("scene"); in >> file; scene = read_mesh(folder + "/" + file);
    word("motions"); in >> n >> columns; motions.resize(n);
    for (auto& m : motions)
      for (auto* q : {&m.start, &m.end}) { q->resize(columns); for (auto& x : *q) in >> x; }
    if (!in) fail(folder + "/problem.txt: it ends too early");
  }

  // Poses of all links at time t of a motion.
  std::vector<Pose> poses(const Motion& m, double t) const {
    const auto q = m.at(t);
    std::vector<Pose> of_body(bodies.size()), of_link;
    for (size_t i = 0; i < bodies.size(); i++) {
      const Body& b = bodies[i];
      Pose p = b.placement;
      if (b.kind == 'r') p.rotate(Eigen::AngleAxisd(b.value(q), b.axis));
      if (b.kind == 'p') p.translate(b.axis * b.value(q));
      of_body[i] = b.parent < 0 ? p : of_body[b.parent] * p;
    }
    for (const Link& l : links) of_link.push_back(of_body[l.body]);
    return of_link;
  }

  // Upper bound of the length of any point's path on a link during a motion, metres: the bound that planners use.
  double travel(const Motion& m, const Link& link) const {
    double sum = 0, reach = 0;
    for (auto& v : link.mesh.vertices) reach = std::max(reach, v.norm());
    for (int i = link.body; i >= 0; i = bodies[i].parent) {
      const Body& b = bodies[i];
      if (b.kind != 'f') {
        const double from = b.value(m.start), to = b.value(m.end);
        sum += std::abs(to - from) * (b.kind == 'r' ? reach : 1);
        if (b.kind == 'p') reach += std::max(std::abs(from), std::abs(to));
      }
      reach += b.placement.translation().norm();
    }
    return sum;
  }
  double travel(const Motion& m) const {
    double most = 0;
    for (auto& l : links) most = std::max(most, travel(m, l));
    return most;
  }

 private:
  bool moves(int body) const {
    for (int i = body; i >= 0; i = bodies[i].parent) if (bodies[i].kind != 'f') return true;
    return false;
  }
  static Mesh read_mesh(const std::string& path) {
    std::ifstream in(path);
    if (!in) fail(path + ": it cannot be read");
    Mesh m; std::string line;
    while (std::getline(in, line)) {
      double x, y, z; int a, b, c;
      if (sscanf(line.c_str(), "v %lf %lf %lf", &x, &y, &z) == 3) m.vertices.emplace_back(x, y, z);
      else if (sscanf(line.c_str(), "f %d %d %d", &a, &b, &c) == 3) m.triangles.push_back({a - 1, b - 1, c - 1});
    }
    return m;
  }
};
