// Plans for a UR5 in a bookstore with OMPL: ompl_bookstore DATA [PLANS], where DATA has robot-ur5 and env-bookstore.
//
// Each problem is planned twice: with OMPL's own validator, which checks states at samples of a motion, and with that
// of firstcontact, which checks the motion at every moment. The states are checked by the same engine, so the two
// differ between samples alone. Then the engine checks both paths as a whole.

#include <firstcontact_ompl.hpp>
#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <cstdio>

namespace fc = firstcontact;
namespace fp = firstcontact::planning;
namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

// The arm with its joints' limits as the bounds of a vector space.
ob::StateSpacePtr space_of(const fc::Robot &robot) {
    const auto columns = robot.columns();
    auto space = std::make_shared<ob::RealVectorStateSpace>(static_cast<unsigned int>(columns.size()));
    ob::RealVectorBounds bounds(static_cast<unsigned int>(columns.size()));
    for (unsigned int i = 0; i < columns.size(); i++) {
        bounds.setLow(i, columns[i].lower);
        bounds.setHigh(i, columns[i].upper);
    }
    space->setBounds(bounds);
    return space;
}

struct Tally {
    int solved = 0, collide = 0;
    double seconds = 0.0;
};

// Plans from a state to another, and checks the path as a whole.
void plan(const std::shared_ptr<const fc::Engine> &engine, const ob::StateSpacePtr &space, const ob::State *start,
          const ob::State *goal, bool at_samples, Tally &tally) {
    og::SimpleSetup setup(space);
    fp::configure(setup, engine);
    const auto &si = setup.getSpaceInformation();
    if (at_samples) {
        si->setMotionValidator(std::make_shared<ob::DiscreteMotionValidator>(si));
    }
    setup.setPlanner(std::make_shared<og::RRTConnect>(si));
    setup.setStartAndGoalStates(ob::ScopedState<>(space, start), ob::ScopedState<>(space, goal));
    setup.solve(5.0);
    if (!setup.haveExactSolutionPath()) {
        return;
    }
    const og::PathGeometric &path = setup.getSolutionPath();
    std::vector<double> waypoints, values;
    for (std::size_t i = 0; i < path.getStateCount(); i++) {
        space->copyToReals(values, path.getState(static_cast<unsigned int>(i)));
        waypoints.insert(waypoints.end(), values.begin(), values.end());
    }
    const auto trajectory =
        fc::Trajectory::from_waypoints(fc::Rows(waypoints.data(), path.getStateCount(), values.size()));
    tally.solved++;
    tally.collide += !engine->check(trajectory).all_free();
    tally.seconds += setup.getLastPlanComputationTime();
}

}  // namespace

int main(int argc, char **argv) try {
    if (argc < 2) {
        std::fprintf(stderr, "ompl_bookstore DATA [PLANS]\n");
        return 2;
    }
    const std::string data = argv[1];
    const int n_plans = argc > 2 ? std::atoi(argv[2]) : 50;
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(1);

    fc::LoadOptions reading;
    reading.base = {-4.46, 1.45, 0.38, 0.0, 0.0, 0.95};
    const fc::Robot robot = fc::Robot::from_files(data + "/robot-ur5/ur5_robot.urdf", "", reading);
    fc::Options options;
    options.device = "cpu";
    options.mode = FC_MODE_VERDICT;
    const auto engine = std::make_shared<const fc::Engine>(
        fc::Engine::make(robot, fc::Scene::from_file(data + "/env-bookstore/scene.json"), options));

    const ob::StateSpacePtr space = space_of(robot);
    const auto si = std::make_shared<ob::SpaceInformation>(space);
    const auto checker = std::make_shared<const fp::Checker>(engine, fp::Configurations(space, *engine));
    si->setStateValidityChecker(std::make_shared<fp::StateValidityChecker>(si, checker));
    si->setup();

    // A roadmap whose edges are checked in one batch gives free states.
    const fp::Roadmap roadmap = fp::Roadmap::sample(si, *checker, 1000, 8);
    std::printf("roadmap: %zu states, %zu of %zu edges are free\n", roadmap.states().size(), roadmap.edges().size(),
                roadmap.candidates().size());

    Tally sampled, certified;
    const auto &states = roadmap.states();
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_plans) && 2 * i + 1 < states.size(); i++) {
        plan(engine, space, states[2 * i], states[2 * i + 1], true, sampled);
        plan(engine, space, states[2 * i], states[2 * i + 1], false, certified);
    }
    std::printf("samples at 1 %%: %d paths, %d of them collide, %.2f ms each\n", sampled.solved, sampled.collide,
                1e3 * sampled.seconds / std::max(sampled.solved, 1));
    std::printf("certified: %d paths, %d of them collide, %.2f ms each\n", certified.solved, certified.collide,
                1e3 * certified.seconds / std::max(certified.solved, 1));
    return certified.collide == 0 ? 0 : 1;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
