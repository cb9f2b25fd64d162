// Validators and roadmaps for OMPL: ompl FOLDER, where FOLDER has arm.urdf and table.obj.

#include <firstcontact_ompl.hpp>
#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/base/spaces/DubinsStateSpace.h>
#include <ompl/base/spaces/RealVectorStateProjections.h>
#include <ompl/base/spaces/SO3StateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/kpiece/LBKPIECE1.h>
#include <ompl/geometric/planners/pdst/PDST.h>
#include <ompl/geometric/planners/prm/PRM.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/geometric/planners/rrt/pRRT.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <cstring>

#include "require.hpp"

namespace fc = firstcontact;
namespace fp = firstcontact::planning;
namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

using Vector = ob::RealVectorStateSpace::StateType;
using EnginePtr = std::shared_ptr<const fc::Engine>;

// The arm, the table, and a post of 2 mm that samples of a motion easily miss.
EnginePtr with_post(const std::string &folder, FcMode mode) {
    fc::Scene scene = fc::Scene::from_file(folder + "/table.obj");
    scene.add_mesh("post", {{0.3, -0.5, 1.3}, {0.3, 0.5, 1.3}, {0.302, 0.0, 1.6}});
    fc::Options options;
    options.device = "cpu";
    options.mode = mode;
    return std::make_shared<const fc::Engine>(
        fc::Engine::make(fc::Robot::from_files(folder + "/arm.urdf"), std::move(scene), options));
}

ob::StateSpacePtr plane(unsigned int n) {
    auto space = std::make_shared<ob::RealVectorStateSpace>(n);
    space->setBounds(-3.0, 3.0);
    return space;
}

void set(ob::State *state, std::initializer_list<double> values) {
    std::copy(values.begin(), values.end(), state->as<Vector>()->values);
}

bool is_certified(const fc::Engine &engine, const og::PathGeometric &path) {
    std::vector<std::array<double, 2>> waypoints;
    for (const ob::State *state : const_cast<og::PathGeometric &>(path).getStates()) {
        waypoints.push_back({state->as<Vector>()->values[0], state->as<Vector>()->values[1]});
    }
    return waypoints.size() >= 2 && engine.check(fc::Trajectory::from_waypoints(waypoints)).all_free();
}

template <class Planner>
void plans(const EnginePtr &engine) {
    og::SimpleSetup setup(plane(2));
    fp::configure(setup, engine);
    // The default projection of a plane fails an assertion of OMPL 1.5.
    const std::vector<double> cells{0.1, 0.1};
    const std::vector<unsigned int> components{0, 1};
    const auto &space = setup.getStateSpace();
    space->registerDefaultProjection(
        std::make_shared<ob::RealVectorOrthogonalProjectionEvaluator>(space, cells, components));
    setup.setPlanner(std::make_shared<Planner>(setup.getSpaceInformation()));
    ob::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
    set(start.get(), {-1.5, 0.3});
    set(goal.get(), {1.2, -1.0});
    setup.setStartAndGoalStates(start, goal);
    REQUIRE(setup.solve(60.0) && setup.haveExactSolutionPath());
    REQUIRE(is_certified(*engine, setup.getSolutionPath()));
}

void validators(const EnginePtr &engine) {
    const auto si = std::make_shared<ob::SpaceInformation>(plane(2));
    const fp::StateValidityChecker states(si, engine);
    const auto validator = std::make_shared<fp::MotionValidator>(si, engine);
    const auto clears = std::make_shared<fp::StateValidityChecker>(si, engine);
    si->setStateValidityChecker(clears);
    si->setup();
    const ob::DiscreteMotionValidator sampled(si);
    ob::State *a = si->allocState(), *b = si->allocState(), *last = si->allocState();
    ompl::RNG random;
    unsigned int n_free = 0, n_missed = 0, n_partial = 0;
    for (int i = 0; i < 500; i++) {
        set(a, {random.uniformReal(-1.5, 1.5), random.uniformReal(-1.5, 1.5)});
        set(b, {random.uniformReal(-1.5, 1.5), random.uniformReal(-1.5, 1.5)});
        const double *from = a->as<Vector>()->values, *to = b->as<Vector>()->values;
        const bool is_free = engine->is_free(fc::Row(from, 2), fc::Row(to, 2));
        REQUIRE(validator->checkMotion(a, b) == is_free);
        REQUIRE(states.isValid(a) == engine->is_free(fc::Row(from, 2), fc::Row(from, 2)));
        std::pair<ob::State *, double> last_valid(last, -1.0);
        REQUIRE(validator->checkMotion(a, b, last_valid) == is_free);
        if (!is_free) {
            // The motion is free up to the last valid state, which is where it should be.
            const double t = last_valid.second, *at = last->as<Vector>()->values;
            REQUIRE(0.0 <= t && t < 1.0 && std::fabs(at[0] - (from[0] + t * (to[0] - from[0]))) < 1e-12);
            REQUIRE(t == 0.0 || engine->is_free(fc::Row(from, 2), fc::Row(at, 2)));
            n_partial += t > 0.0;
            std::pair<ob::State *, double> without(nullptr, -1.0);
            REQUIRE(!validator->checkMotion(a, b, without) && without.second == t);
        }
        const bool at_samples = sampled.checkMotion(a, b);
        REQUIRE(at_samples || !is_free || !states.isValid(a));
        n_missed += at_samples && !is_free;
        n_free += is_free;
    }
    REQUIRE(n_free > 50 && n_missed > 0 && n_partial > 10);
    REQUIRE(validator->getValidMotionCount() >= 2 * n_free);
    set(a, {4.0, 0.0});
    REQUIRE(!states.isValid(a));
    set(a, {-0.5, 0.5});
    const double clearance = states.clearance(a);
    REQUIRE(clearance > 0.01 && clearance < 1.0);
    set(a, {NAN, 0.0});
    REQUIRE_ERROR(FC_INPUT, "NaN", (void)validator->checkMotion(a, b));
    for (ob::State *state : {a, b, last}) {
        si->freeState(state);
    }
}

void spaces(const EnginePtr &engine) {
    // One joint, the other fixed; and both in another order.
    const auto line = plane(1);
    const fp::Checker elbow(engine, fp::Configurations(line, *engine, {"elbow"}, {{"shoulder", 0.4}}));
    ob::ScopedState<> a(line), b(line);
    set(a.get(), {0.0});
    set(b.get(), {0.5});
    REQUIRE(elbow.is_free(a.get(), b.get()) == engine->is_free({0.4, 0.0}, {0.4, 0.5}));
    double start[2], end[2];
    const auto square = plane(2);
    ob::ScopedState<> c(square);
    set(c.get(), {0.1, 0.2});
    fp::Configurations(square, *engine, {"elbow", "shoulder"})(c.get(), c.get(), start, end);
    REQUIRE(start[0] == 0.2 && end[1] == 0.1);

    // An angle goes the short way round, as OMPL interpolates it.
    const auto circle = std::make_shared<ob::SO2StateSpace>();
    const ob::StateSpacePtr both = circle + plane(1);
    ob::ScopedState<ob::CompoundStateSpace> from(both), to(both), middle(both);
    (*from)[0]->as<ob::SO2StateSpace::StateType>()->value = 3.0;
    (*to)[0]->as<ob::SO2StateSpace::StateType>()->value = -3.0;
    set((*from)[1], {0.1});
    set((*to)[1], {0.2});
    const fp::Configurations of_both(both, *engine, {"shoulder", "elbow"});
    of_both(from.get(), to.get(), start, end);
    both->interpolate(from.get(), to.get(), 0.25, middle.get());
    REQUIRE(start[0] == 3.0 && std::fabs(end[0] - (2.0 * std::acos(-1.0) - 3.0)) < 1e-12 && end[1] == 0.2);
    const double quarter = start[0] + 0.25 * (end[0] - start[0]);
    REQUIRE(std::fabs((*middle)[0]->as<ob::SO2StateSpace::StateType>()->value - quarter) < 1e-12);

    // A plane with an angle has three values.
    const auto car = std::make_shared<ob::SE2StateSpace>();
    REQUIRE_ERROR(FC_USAGE, "3 values", fp::Configurations(car, *engine));
    REQUIRE_ERROR(FC_USAGE, "SE2Compound", fp::Configurations(std::make_shared<ob::DubinsStateSpace>(), *engine));
    REQUIRE_ERROR(FC_USAGE, "SO3", fp::Configurations(std::make_shared<ob::SO3StateSpace>(), *engine));
    REQUIRE_ERROR(FC_USAGE, "neither in the space", fp::Configurations(line, *engine, {"elbow"}));
    REQUIRE_ERROR(FC_USAGE, "twice", fp::Configurations(square, *engine, {"elbow", "elbow"}));
    REQUIRE_ERROR(FC_USAGE, "twice", fp::Configurations(line, *engine, {"elbow"}, {{"elbow", 0.0}, {"shoulder", 0.0}}));
    REQUIRE_ERROR(FC_USAGE, "nose", fp::Configurations(line, *engine, {"nose"}, {{"shoulder", 0.0}}));
    REQUIRE_ERROR(FC_USAGE, "1 values", fp::Configurations(line, *engine));

    // Any other space, by a function.
    const auto dubins = std::make_shared<ob::DubinsStateSpace>();
    const fp::Configurations own(
        *engine, [](const ob::State *, const ob::State *, double *first, double *last) { first[0] = last[1] = 0.25; });
    ob::ScopedState<> at(dubins);
    own(at.get(), at.get(), start, end);
    REQUIRE(start[0] == 0.25 && end[0] == 0.0 && end[1] == 0.25);
}

// A free joint is a pose, which OMPL interpolates as the engine moves it.
void free_joints() {
    const std::string urdf =
        "<robot name='ball'><link name='ball'><collision><geometry><sphere radius='0.1'/>"
        "</geometry></collision></link></robot>";
    fc::LoadOptions reading;
    reading.floating_root = true;
    fc::Scene scene = fc::Scene::empty();
    scene.add_shape("wall", FC_SHAPE_BOX, {0.1, 4.0, 4.0}, fc::Pose::translation(1.0, 0.0, 0.0));
    fc::Options options;
    options.device = "cpu";
    const auto engine = std::make_shared<const fc::Engine>(
        fc::Engine::make(fc::Robot::from_texts(urdf, "", "", reading), scene, options));
    const auto space = std::make_shared<ob::SE3StateSpace>();
    ob::RealVectorBounds bounds(3);
    bounds.setLow(-5.0);
    bounds.setHigh(5.0);
    space->setBounds(bounds);
    const auto si = std::make_shared<ob::SpaceInformation>(space);
    const fp::MotionValidator validator(si, engine);
    ob::ScopedState<ob::SE3StateSpace> a(space), b(space);
    a->setXYZ(0.0, 0.0, 0.0);
    b->setXYZ(0.8, 0.0, 0.0);
    a->rotation().setIdentity();
    b->rotation().setAxisAngle(0.0, 0.0, 1.0, 2.0);
    REQUIRE(engine->n_columns() == 7 && validator.checkMotion(a.get(), b.get()));
    // Half a turn may go either way.
    b->rotation().setAxisAngle(0.0, 0.0, 1.0, 3.14159265358979323846);
    REQUIRE(!validator.checkMotion(a.get(), b.get()));
    b->rotation().setAxisAngle(0.0, 0.0, 1.0, 3.1415);
    REQUIRE(validator.checkMotion(a.get(), b.get()));
    b->setX(2.0);
    REQUIRE(!validator.checkMotion(a.get(), b.get()));
}

void roadmaps(const EnginePtr &engine) {
    const auto space = plane(2);
    const auto si = std::make_shared<ob::SpaceInformation>(space);
    const auto checker = std::make_shared<const fp::Checker>(engine, fp::Configurations(space, *engine));
    si->setMotionValidator(std::make_shared<fp::MotionValidator>(si, checker));
    si->setStateValidityChecker(std::make_shared<fp::StateValidityChecker>(si, checker));
    si->setup();
    const fp::Roadmap roadmap = fp::Roadmap::sample(si, *checker, 300, 8);
    const auto &states = roadmap.states();
    REQUIRE(states.size() > 50 && states.size() < 300 && !roadmap.edges().empty());
    REQUIRE(roadmap.edges().size() < roadmap.candidates().size());
    for (const ob::State *state : states) {
        REQUIRE(si->isValid(state));
    }
    std::size_t next = 0;
    for (const auto &edge : roadmap.candidates()) {
        const bool is_free = next < roadmap.edges().size() && roadmap.edges()[next] == edge;
        REQUIRE(edge[0] < edge[1] && checker->is_free(states[edge[0]], states[edge[1]]) == is_free);
        next += is_free;
    }
    REQUIRE(next == roadmap.edges().size());

    ob::PlannerData data(si);
    roadmap.add_to(data);
    REQUIRE(data.numVertices() == states.size() && data.numEdges() == 2 * roadmap.edges().size());
    // OMPL's planner answers from the roadmap.
    og::PRM planner(data);
    const auto problem = std::make_shared<ob::ProblemDefinition>(si);
    ob::ScopedState<> start(space), goal(space);
    set(start.get(), {-1.5, 0.3});
    set(goal.get(), {1.2, -1.0});
    problem->setStartAndGoalStates(start, goal);
    planner.setProblemDefinition(problem);
    planner.setup();
    REQUIRE(planner.solve(ob::timedPlannerTerminationCondition(60.0)) == ob::PlannerStatus::EXACT_SOLUTION);
    REQUIRE(is_certified(*engine, *problem->getSolutionPath()->as<og::PathGeometric>()));
    REQUIRE_ERROR(FC_INTERRUPTED, "interrupted",
                  (void)fp::Roadmap::sample(si, *checker, 10, 2, [](std::uint64_t, std::uint64_t) { return false; }));
    REQUIRE(fp::Roadmap::sample(si, *checker, 0, 2).edges().empty());
}

}  // namespace

int main(int argc, char **argv) {
    REQUIRE(argc == 2);
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(1);
    const EnginePtr engine = with_post(argv[1], FC_MODE_TOC), quick = with_post(argv[1], FC_MODE_VERDICT);
    validators(engine);
    validators(quick);
    spaces(engine);
    free_joints();
    roadmaps(quick);
    plans<og::RRTConnect>(quick);
    plans<og::LBKPIECE1>(quick);
    plans<og::PDST>(engine);
    plans<og::pRRT>(quick);
    std::puts("passed");
    return 0;
}
