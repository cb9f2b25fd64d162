// coal (formerly hpp-fcl): collision and distance of meshes at one pose each, and planners' methods based on them.
//   coal PROBLEM METHOD STEP
// METHOD, with STEP in metres unless stated otherwise:
//   advance-bound     forward conservative advancement by the lower bound on the distance that `collide` returns
//   advance-distance  the same by the exact distance; with a step of 20 µm the bench uses it as a judge
//   halve-bound       interval covering from the middle outward, as in HPP's continuous validation; gives no time
//   halve-distance    the same by the exact distance
//   sample-deg        samples, STEP degrees apart;  sample-m  samples, STEP metres apart
#include "answers.h"
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/config.hh>
#include <coal/distance.h>
#include <memory>

using Tree = coal::BVHModel<coal::OBBRSS>;

static std::shared_ptr<Tree> tree_of(const Mesh& mesh) {
  auto tree = std::make_shared<Tree>();
  tree->beginModel(mesh.triangles.size(), mesh.vertices.size());
  std::vector<coal::Vec3s> vertices(mesh.vertices.begin(), mesh.vertices.end());
  std::vector<coal::Triangle> triangles;
  for (auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  tree->addSubModel(vertices, triangles);
  tree->endModel();
  return tree;
}

struct Coal {
  const Problem& problem;
  std::vector<std::shared_ptr<Tree>> links;
  std::shared_ptr<Tree> scene;

  explicit Coal(const Problem& p) : problem(p), scene(tree_of(p.scene)) {
    for (auto& l : p.links) links.push_back(tree_of(l.mesh));
  }

  static coal::Transform3s placed(const Pose& p) {
    return coal::Transform3s(coal::Matrix3s(p.linear()), coal::Vec3s(p.translation()));
  }
  bool hit(size_t link, const Pose& pose, double* bound = nullptr) const {
    coal::CollisionRequest request;
    coal::CollisionResult result;
    request.num_max_contacts = 1;
    request.enable_contact = false;
    request.enable_distance_lower_bound = bound != nullptr;
    const bool touches =
        coal::collide(links[link].get(), placed(pose), scene.get(), coal::Transform3s(), request, result) > 0;
    if (bound) *bound = result.distance_lower_bound;
    return touches;
  }
  double distance(size_t link, const Pose& pose) const {
    coal::DistanceRequest request(false, false);
    coal::DistanceResult result;
    return coal::distance(links[link].get(), placed(pose), scene.get(), coal::Transform3s(), request, result);
  }
  // Returns whether a link touches; if not, `room` is the distance that it can move, metres.
  bool touches(size_t link, const Pose& pose, double step, bool by_bound, double* room) const {
    if (by_bound) return hit(link, pose, room);
    *room = distance(link, pose);
    return *room < step && hit(link, pose);
  }

  // Advances the link that is clear for the shortest time, by the distance that it can travel, or at least by a step.
  Answer advance(const Motion& m, double step, bool by_bound) const {
    std::vector<double> until(links.size(), 0), travel;
    for (auto& l : problem.links) travel.push_back(problem.travel(m, l));
    for (;;) {
      const size_t k = std::min_element(until.begin(), until.end()) - until.begin();
      const double t = until[k];
      if (t > 1) return {false};
      double room;
      if (touches(k, problem.poses(m, t)[k], step, by_bound, &room)) return {true, t};
      until[k] = t < 1 && travel[k] > 0 ? std::min(1.0, t + std::max(room, step) / travel[k]) : 2;
    }
  }

  bool covered_hits(const Motion& m, size_t link, double from, double to, double travel, double step,
                    bool by_bound) const {
    const double middle = 0.5 * (from + to);
    double room;
    if (touches(link, problem.poses(m, middle)[link], step, by_bound, &room)) return true;
    const double radius = std::max(room, 0.5 * step) / travel;
    if (middle - radius > from && covered_hits(m, link, from, middle - radius, travel, step, by_bound)) return true;
    return middle + radius < to && covered_hits(m, link, middle + radius, to, travel, step, by_bound);
  }
  // The outermost link first: it collides most.
  Answer halve(const Motion& m, double step, bool by_bound) const {
    for (size_t i = links.size(); i-- > 0;) {
      const double travel = problem.travel(m, problem.links[i]);
      if (travel > 0 && covered_hits(m, i, 0, 1, travel, step, by_bound)) return {true};
    }
    return {false};
  }
};

int main(int argc, char** argv) {
  if (argc != 4) fail("usage: coal PROBLEM METHOD STEP");
  const Problem problem(argv[1]);
  const std::string method = argv[2];
  const double step = atof(argv[3]);
  if (!(step > 0)) fail("no step: " + std::string(argv[3]));
  say_about("coal " COAL_VERSION);
  const Coal coal = built([&] { return Coal(problem); });
  const auto hit = [&](size_t link, const Pose& pose) { return coal.hit(link, pose); };
  const auto with = [&](auto of) { answer_all(problem, of); };
  if (method == "advance-bound") with([&](const Motion& m) { return coal.advance(m, step, true); });
  else if (method == "advance-distance") with([&](const Motion& m) { return coal.advance(m, step, false); });
  else if (method == "halve-bound") with([&](const Motion& m) { return coal.halve(m, step, true); });
  else if (method == "halve-distance") with([&](const Motion& m) { return coal.halve(m, step, false); });
  else if (method == "sample-deg")
    with([&](const Motion& m) { return sampled(problem, m, steps(m.degrees(), step), hit); });
  else if (method == "sample-m")
    with([&](const Motion& m) { return sampled(problem, m, steps(problem.travel(m), step), hit); });
  else fail("no method '" + method + "'");
}
