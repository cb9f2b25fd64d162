// VAMP: the motion validator of its planners, on planning problems.
//   vamp FOLDER METHOD STEP
// FOLDER has the file problems.txt (README.md describes it). METHOD:
//   motion       each motion among the obstacles of its problem
//   alone        each motion without obstacles: what is in contact then touches itself
// STEP is the number of samples per unit of the joints' Euclidean distance: 32 is that of VAMP's planners for these
// robots, 1 that of validate_motion in its Python package.
//
// VAMP replaces the robot's links by spheres, and tests these at samples of the motion, eight at a time: at k/n of it
// for k = 1 … n. The start is not a sample, because planners know that it is valid. It cannot leave out the tests of
// the robot against itself. Obstacles are converted as in VAMP's Python package (problem_dict_to_vamp): cylinders
// become capsules, or boxes in problems of the kind "box".
#include "answers.h"
#include <vamp/collision/factory.hh>
#include <vamp/planning/validate.hh>
#include <vamp/robots/panda.hh>
#include <vamp/robots/ur5.hh>

constexpr std::size_t RAKE = vamp::FloatVectorWidth;
using Scalars = vamp::collision::Environment<float>;
using Lanes = vamp::collision::Environment<vamp::FloatVector<RAKE>>;

// The cost of one call is less than that of reading the clock, so calls are repeated for this long.
constexpr double REPEAT_S = 2e-4;

struct Planning {
  Scalars obstacles;
  std::vector<float> start, goal;  // in VAMP's order of joints
};

template <class Shape>
static void add(std::vector<Shape>& aligned, std::vector<Shape>& others, bool is_aligned, const Shape& s) {
  (is_aligned ? aligned : others).push_back(s);
}

static void add_box(Scalars& all, const Pose& at, const Vec& half) {
  const Eigen::Matrix3f r = at.linear().cast<float>();
  const Eigen::Vector3f c = at.translation().cast<float>(), h = half.cast<float>();
  vamp::collision::Cuboid<float> box(c[0], c[1], c[2], r(0, 0), r(1, 0), r(2, 0), r(0, 1), r(1, 1), r(2, 1), r(0, 2),
                                     r(1, 2), r(2, 2), h[0], h[1], h[2]);
  add(all.z_aligned_cuboids, all.cuboids, box.axis_3_z == 1, box);
}

static void add_capsule(Scalars& all, const Pose& at, double length, double radius) {
  const Eigen::Vector3f a = (at * Vec(0, 0, length / 2)).cast<float>(), b = (at * Vec(0, 0, -length / 2)).cast<float>();
  const auto capsule = vamp::collision::factory::capsule::endpoints::flat(a[0], a[1], a[2], b[0], b[1], b[2], radius);
  add(all.z_aligned_capsules, all.capsules, capsule.xv == 0 && capsule.yv == 0, capsule);
}

static void add_shape(Scalars& all, const std::string& kind, const std::string& shape, const Vec& size,
                      const Pose& at) {
  const Eigen::Vector3f c = at.translation().cast<float>();
  if (shape == "box") add_box(all, at, size / 2);
  else if (shape == "sphere") all.spheres.emplace_back(c[0], c[1], c[2], float(size[0]));
  else if (shape != "cylinder") fail("problems.txt: no shape '" + shape + "'");
  else if (kind == "box") add_box(all, at, Vec(size[0], size[0], size[1] / 2));
  else add_capsule(all, at, size[1], size[0]);
}

// The problems, in a file of words; `read` takes the names of VAMP's joints in their order.
struct Problems {
  std::string robot;
  std::vector<std::string> joints;
  std::vector<Planning> all;
  std::ifstream in;

  explicit Problems(const std::string& folder) : in(folder + "/problems.txt") {
    size_t n;
    word("robot"); in >> robot;
    word("joints"); in >> n; joints.resize(n);
    for (auto& name : joints) in >> name;
    word("problems"); in >> n; all.resize(n);
  }
  void word(const std::string& wanted) {
    std::string w;
    if (!(in >> w) || w != wanted) fail("problems.txt: '" + w + "' where '" + wanted + "' should be");
  }
  template <class Names> void read(const Names& order) {
    std::vector<size_t> column;
    for (const auto& name : order) {
      const auto at = std::find(joints.begin(), joints.end(), std::string(name));
      if (at == joints.end()) fail("problems.txt: no joint '" + std::string(name) + "'");
      column.push_back(at - joints.begin());
    }
    for (auto& p : all) read(p, column);
    if (!in) fail("problems.txt: it ends too early");
  }

 private:
  void read(Planning& p, const std::vector<size_t>& column) {
    std::string kind, shape;
    size_t n;
    word("problem"); in >> kind >> n;
    for (; n > 0; n--) {
      Vec size; Pose at = Pose::Identity();
      in >> shape >> size[0] >> size[1] >> size[2];
      for (int r = 0; r < 3; r++) for (int c = 0; c < 4; c++) in >> at.matrix()(r, c);
      if (!in) fail("problems.txt: it ends too early");
      add_shape(p.obstacles, kind, shape, size, at);
    }
    p.obstacles.sort();
    for (auto* q : {&p.start, &p.goal}) {
      std::vector<double> values(joints.size());
      for (auto& x : values) in >> x;
      for (size_t c : column) q->push_back(float(values[c]));
    }
  }
};

// Calls until the time is over, and prints the mean.
template <class Call> static void answer(size_t i, Call call) {
  const bool valid = call();
  const double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_THREAD_CPUTIME_ID);
  double wall_s;
  size_t n = 0;
  bool same = true;
  do {
    for (int k = 0; k < 16; k++, n++) {
      asm volatile("" ::: "memory");  // without it, one call for all of them would do
      same &= call() == valid;
    }
    wall_s = clock_s(CLOCK_MONOTONIC) - wall;
  } while (wall_s < REPEAT_S);
  const double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID) - cpu;
  if (!same) fail("motion " + std::to_string(i) + ": two calls, two answers");
  printf("answer %zu %s - %.9g %.9g\n", i, valid ? "free" : "contact", cpu_s / n, wall_s / n);
  fflush(stdout);
}

template <class Robot, std::size_t PER_UNIT> static void answer_all(const Problems& problems, bool alone) {
  const auto environments = built([&] {
    std::vector<Lanes> all;
    for (auto& p : problems.all) all.emplace_back(alone ? Scalars() : p.obstacles);
    return all;
  });
  for (size_t i = 0; i < problems.all.size(); i++) {
    std::array<float, Robot::dimension> start, goal;
    std::copy(problems.all[i].start.begin(), problems.all[i].start.end(), start.begin());
    std::copy(problems.all[i].goal.begin(), problems.all[i].goal.end(), goal.begin());
    const typename Robot::Configuration from(start), to(goal);
    answer(i, [&] { return vamp::planning::validate_motion<Robot, RAKE, PER_UNIT>(from, to, environments[i]); });
  }
  puts("end");
}

template <class Robot> static void run(Problems& problems, bool alone, const std::string& step) {
  problems.read(Robot::joint_names);
  if (step == "1") answer_all<Robot, 1>(problems, alone);
  else if (step == "32") answer_all<Robot, 32>(problems, alone);
  else if (step == "1024") answer_all<Robot, 1024>(problems, alone);
  else fail("no step '" + step + "': 1, 32 or 1024");
}

int main(int argc, char** argv) {
  if (argc != 4) fail("usage: vamp FOLDER motion|alone 1|32|1024");
  Problems problems(argv[1]);
  const std::string method = argv[2];
  if (method != "motion" && method != "alone") fail("no method '" + method + "'");
  say_about("VAMP " VAMP_VERSION);
  if (problems.robot == "panda") run<vamp::robots::Panda>(problems, method == "alone", argv[3]);
  else if (problems.robot == "ur5") run<vamp::robots::UR5>(problems, method == "alone", argv[3]);
  else fail("no robot '" + problems.robot + "'");
}
