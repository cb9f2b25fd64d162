// FCL: continuous collision of one link after the other, and samples.
//   fcl PROBLEM METHOD STEP
// METHOD:
//   naive        continuousCollide between the link's two poses in the world, STEP samples
//   naive-own    the same with the motion made here (see below), STEP samples
//   advance-rss, advance-obbrss   conservative advancement, STEP iterations, the motion made here; trees of
//                rectangle-swept spheres, alone or with oriented boxes
//   sample-deg   samples of the robot's own motion, STEP degrees apart
// FCL moves a link from one pose in the world to another, its origin on a straight line: a robot's link does not move
// like that. FCL 0.7.0 also never sets the reference point of InterpMotion(tf1, tf2), which
// continuousCollide(…, tf_beg, tf_end, …) constructs: the path depends on the previous contents of the memory
// (fcl_uninit.cpp). With "-own" the reference point is the link's origin.
#include "answers.h"
#include <fcl/fcl.h>
#include <memory>

template <class BV> static std::shared_ptr<fcl::BVHModel<BV>> tree_of(const Mesh& mesh) {
  auto tree = std::make_shared<fcl::BVHModel<BV>>();
  tree->beginModel(mesh.triangles.size(), mesh.vertices.size());
  std::vector<fcl::Triangle> triangles;
  for (auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  tree->addSubModel(mesh.vertices, triangles);
  tree->endModel();
  return tree;
}

template <class BV> struct Fcl {
  const Problem& problem;
  std::vector<std::shared_ptr<fcl::BVHModel<BV>>> links;
  std::shared_ptr<fcl::BVHModel<BV>> scene;

  explicit Fcl(const Problem& p) : problem(p), scene(tree_of<BV>(p.scene)) {
    for (auto& l : p.links) links.push_back(tree_of<BV>(l.mesh));
  }

  bool hit(size_t link, const Pose& pose) const {
    fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    return fcl::collide(links[link].get(), pose, scene.get(), fcl::Transform3d::Identity(), request, result) > 0;
  }

  Answer cast(const Motion& m, fcl::CCDSolverType solver, int iterations, bool own_motion) const {
    const fcl::Transform3d still = fcl::Transform3d::Identity();
    const fcl::ContinuousCollisionRequestd request(iterations, 1e-4, fcl::CCDM_LINEAR, fcl::GST_LIBCCD, solver);
    const auto from = problem.poses(m, 0), to = problem.poses(m, 1);
    double first = 2;
    for (size_t i = 0; i < links.size(); i++) {
      fcl::ContinuousCollisionResultd result;
      if (own_motion) {
        const fcl::Vector3d origin = fcl::Vector3d::Zero();
        const fcl::Matrix3d unturned = fcl::Matrix3d::Identity();
        const fcl::InterpMotion<double> moving(from[i].linear(), from[i].translation(), to[i].linear(),
                                               to[i].translation(), origin);
        const fcl::InterpMotion<double> standing(unturned, origin, unturned, origin, origin);
        fcl::continuousCollide<double>(links[i].get(), &moving, scene.get(), &standing, request, result);
      } else {
        fcl::continuousCollide(links[i].get(), from[i], to[i], scene.get(), still, still, request, result);
      }
      if (result.is_collide) first = std::min(first, double(result.time_of_contact));
    }
    return first <= 1 ? Answer{true, first} : Answer{false};
  }
};

template <class BV>
static void cast_all(const Problem& problem, fcl::CCDSolverType solver, double iterations, bool own_motion) {
  const auto fcl = built([&] { return Fcl<BV>(problem); });
  answer_all(problem, [&](const Motion& m) { return fcl.cast(m, solver, int(iterations), own_motion); });
}

int main(int argc, char** argv) {
  if (argc != 4) fail("usage: fcl PROBLEM METHOD STEP");
  const Problem problem(argv[1]);
  const std::string method = argv[2];
  const double step = atof(argv[3]);
  if (!(step > 0)) fail("no step: " + std::string(argv[3]));
  say_about("FCL " FCL_VERSION);
  if (method == "naive" || method == "naive-own") {
    cast_all<fcl::OBBRSSd>(problem, fcl::CCDC_NAIVE, step, method == "naive-own");
  } else if (method == "advance-rss") {
    cast_all<fcl::RSSd>(problem, fcl::CCDC_CONSERVATIVE_ADVANCEMENT, step, true);
  } else if (method == "advance-obbrss") {
    cast_all<fcl::OBBRSSd>(problem, fcl::CCDC_CONSERVATIVE_ADVANCEMENT, step, true);
  } else if (method == "sample-deg") {
    const auto fcl = built([&] { return Fcl<fcl::OBBRSSd>(problem); });
    answer_all(problem, [&](const Motion& m) {
      const auto hit = [&](size_t link, const Pose& pose) { return fcl.hit(link, pose); };
      return sampled(problem, m, steps(m.degrees(), step), hit);
    });
  } else {
    fail("no method '" + method + "'");
  }
}
