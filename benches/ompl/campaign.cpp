// Paths of OMPL's RRTConnect for the Panda, validated at samples and at every moment, and the time of an edge:
//
//     campaign ROBOT.urdf PROBLEMS [N [LIMIT_S]]
//
// PROBLEMS is the folder of MotionBenchMaker's problems for the Panda. Each of the first N problems (200) whose start
// and goal are free is planned twice: `sampled` by OMPL's own validator at 1 %, whose states the engine checks, and
// `certified` by the engine. Returned paths, and the same simplified by OMPL, are then checked by the engine as a
// whole. 60 of the edges that the planners ask about are measured by the engine, and by OMPL's validator at 1 % and 0.1
// % with states that FCL checks. The engine, with all contacts, judges which of them are free.

#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <cstdio>
#include <ctime>
#include <map>
#include <random>

#include "fcl_states.hpp"

namespace fc = firstcontact;
namespace fp = firstcontact::planning;
namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

// Processor time of this thread, seconds: others use this machine, too.
double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

using Values = std::vector<double>;
using Edge = std::pair<Values, Values>;

// A validator that remembers the edges that it is asked about.
class Asked : public ob::MotionValidator {
public:
    Asked(const ob::SpaceInformationPtr &si, ob::MotionValidatorPtr validator, std::vector<Edge> &edges)
        : ob::MotionValidator(si), validator_(std::move(validator)), edges_(edges) {}

    bool checkMotion(const ob::State *from, const ob::State *to) const override {
        Edge edge;
        si_->getStateSpace()->copyToReals(edge.first, from);
        si_->getStateSpace()->copyToReals(edge.second, to);
        edges_.push_back(std::move(edge));
        return validator_->checkMotion(from, to);
    }

    bool checkMotion(const ob::State *from, const ob::State *to, std::pair<ob::State *, double> &last) const override {
        return validator_->checkMotion(from, to, last);
    }

private:
    ob::MotionValidatorPtr validator_;
    std::vector<Edge> &edges_;
};

struct Paths {
    int solved = 0;
    std::map<std::string, int> raw, simplified;
    std::vector<double> planning_s;
};

struct Validator {
    std::vector<double> seconds;
    int n_accepted = 0, n_wrong = 0, n_rejected_free = 0;
};

double median(std::vector<double> values) {
    if (values.empty()) {
        return NAN;
    }
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

double mean(const std::vector<double> &values) {
    double sum = 0.0;
    for (const double x : values) {
        sum += x;
    }
    return sum / static_cast<double>(values.size());
}

// One problem, with what validators need.
class Case {
public:
    Case(const problems::Problem &problem, const fc::Robot &robot)
        : problem_(problem),
          robot_(robot),
          exact_(std::make_shared<const fc::Engine>(problem.engine(robot, FC_MODE_TOC))),
          quick_(std::make_shared<const fc::Engine>(problem.engine(robot, FC_MODE_VERDICT))),
          space_(std::make_shared<ob::RealVectorStateSpace>(7)) {
        ob::RealVectorBounds bounds(7);
        const auto columns = robot.columns();
        for (unsigned int i = 0; i < 7; i++) {
            const fc::Column &column = columns[robot.find_column(problems::joints[i])];
            // Some ends are beyond the limits of this model of the robot.
            bounds.setLow(i, std::min({column.lower, problem.start[i], problem.goal[i]}) - 1e-4);
            bounds.setHigh(i, std::max({column.upper, problem.start[i], problem.goal[i]}) + 1e-4);
        }
        std::static_pointer_cast<ob::RealVectorStateSpace>(space_)->setBounds(bounds);
        checker_ = std::make_shared<const fp::Checker>(quick_, configurations(*quick_));
    }

    // Plans with one method, and checks the paths as a whole.
    void plan(bool at_samples, double limit_s, Paths &paths, std::vector<Edge> &edges) const {
        og::SimpleSetup setup(space_);
        const auto &si = setup.getSpaceInformation();
        si->setStateValidityCheckingResolution(0.01);
        setup.setStateValidityChecker(std::make_shared<fp::StateValidityChecker>(si, checker_));
        si->setup();
        ob::MotionValidatorPtr validator = si->getMotionValidator();
        if (!at_samples) {
            validator = std::make_shared<fp::MotionValidator>(si, checker_);
        }
        si->setMotionValidator(std::make_shared<Asked>(si, validator, edges));
        setup.setPlanner(std::make_shared<og::RRTConnect>(si));
        setup.setStartAndGoalStates(state(problem_.start), state(problem_.goal));
        const double since = now();
        setup.solve(limit_s);
        if (!setup.haveExactSolutionPath()) {
            return;
        }
        paths.solved++;
        paths.planning_s.push_back(now() - since);
        paths.raw[answer(setup.getSolutionPath())]++;
        setup.simplifySolution(1.0);
        paths.simplified[answer(setup.getSolutionPath())]++;
    }

    // Measures some edges with all validators, and judges their answers.
    void measure(const std::vector<Edge> &edges, unsigned int seed, std::map<std::string, Validator> &all) const {
        std::vector<std::size_t> order(edges.size());
        for (std::size_t i = 0; i < order.size(); i++) {
            order[i] = i;
        }
        std::shuffle(order.begin(), order.end(), std::mt19937(seed));
        order.resize(std::min<std::size_t>(order.size(), 60));
        std::vector<FcAnswer> truth;
        for (const std::size_t i : order) {
            const fc::Results results = exact_->check(rows(edges[i].first), rows(edges[i].second));
            truth.push_back(results[0]);
        }
        const auto engine_si = std::make_shared<ob::SpaceInformation>(space_);
        const fp::MotionValidator certified(engine_si, checker_);
        run("engine", certified, engine_si, edges, order, truth, all);
        for (const double resolution : {0.01, 0.001}) {
            const auto si = std::make_shared<ob::SpaceInformation>(space_);
            si->setStateValidityChecker(
                std::make_shared<fcl_states::Checker>(si, problem_, robot_, exact_, configurations(*exact_)));
            si->setStateValidityCheckingResolution(resolution);
            si->setup();
            char name[32];
            std::snprintf(name, sizeof name, "FCL, %g %%", 100.0 * resolution);
            run(name, ob::DiscreteMotionValidator(si), si, edges, order, truth, all);
        }
        // The share of kinematics, which are the engine's for both.
        const auto si = std::make_shared<ob::SpaceInformation>(space_);
        const fcl_states::Checker states(si, problem_, robot_, exact_, configurations(*exact_));
        for (const std::size_t i : order) {
            const auto at = state(edges[i].first);
            const double since = now();
            states.place(at.get());
            all["(placing the links once)"].seconds.push_back(now() - since);
        }
    }

private:
    fp::Configurations configurations(const fc::Engine &engine) const {
        return {space_, engine, problems::joints, problems::fixed};
    }

    ob::ScopedState<> state(const Values &values) const {
        ob::ScopedState<> state(space_);
        space_->copyFromReals(state.get(), values);
        return state;
    }

    fc::Rows rows(const Values &values) const {
        return fc::Rows(std::vector<Values>{problems::Problem::configuration(*exact_, values)});
    }

    std::string answer(og::PathGeometric path) const {
        std::vector<Values> waypoints;
        Values values;
        for (const ob::State *of : path.getStates()) {
            space_->copyToReals(values, of);
            waypoints.push_back(problems::Problem::configuration(*exact_, values));
        }
        const fc::Results results = exact_->check(fc::Trajectory::from_waypoints(waypoints));
        return results[0].verdict == FC_FREE ? "free" : results[0].proved ? "contact" : "unproved";
    }

    void run(const std::string &name, const ob::MotionValidator &validator, const ob::SpaceInformationPtr &si,
             const std::vector<Edge> &edges, const std::vector<std::size_t> &order, const std::vector<FcAnswer> &truth,
             std::map<std::string, Validator> &all) const {
        Validator &of = all[name];
        static_cast<void>(si);
        for (std::size_t k = 0; k < order.size(); k++) {
            const auto from = state(edges[order[k]].first), to = state(edges[order[k]].second);
            const double since = now();
            const bool is_accepted = validator.checkMotion(from.get(), to.get());
            of.seconds.push_back(now() - since);
            of.n_accepted += is_accepted;
            of.n_wrong += is_accepted && truth[k].verdict == FC_CONTACT && truth[k].proved;
            of.n_rejected_free += !is_accepted && truth[k].verdict == FC_FREE;
        }
    }

    const problems::Problem &problem_;
    const fc::Robot &robot_;
    std::shared_ptr<const fc::Engine> exact_, quick_;
    ob::StateSpacePtr space_;
    std::shared_ptr<const fp::Checker> checker_;
};

void print(const char *name, const std::map<std::string, int> &answers) {
    std::printf("  %s:", name);
    for (const char *kind : {"free", "contact", "unproved"}) {
        const auto found = answers.find(kind);
        std::printf(" %d %s", found == answers.end() ? 0 : found->second, kind);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char **argv) try {
    if (argc < 3) {
        std::fprintf(stderr, "campaign ROBOT.urdf PROBLEMS [N [LIMIT_S]]\n");
        return 2;
    }
    const int n = argc > 3 ? std::atoi(argv[3]) : 200;
    const double limit_s = argc > 4 ? std::atof(argv[4]) : 20.0;
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(1);
    const fc::Robot robot = fc::Robot::from_files(argv[1]);
    Paths sampled, certified;
    std::map<std::string, Validator> validators;
    unsigned int number = 0;
    std::size_t n_asked = 0;
    problems::usable(argv[2], robot, n, [&](const problems::Problem &problem) {
        const Case one(problem, robot);
        std::vector<Edge> edges;
        one.plan(true, limit_s, sampled, edges);
        one.plan(false, limit_s, certified, edges);
        n_asked += edges.size();
        one.measure(edges, number, validators);
        number++;
        if (number % 10 == 0) {
            std::fprintf(stderr, "%u problems\n", number);
        }
    });
    std::printf("%u problems, %zu edges asked\n", number, n_asked);
    for (const auto &method : {std::make_pair("sampled", &sampled), std::make_pair("certified", &certified)}) {
        std::printf("%s: %d solved, %.1f ms in the median\n", method.first, method.second->solved,
                    1e3 * median(method.second->planning_s));
        print("raw", method.second->raw);
        print("simplified", method.second->simplified);
    }
    for (const auto &of : validators) {
        std::printf(
            "%s: %zu edges, %.1f us mean, %.1f us median; %d accepted, %d of them wrongly; %d free ones rejected\n",
            of.first.c_str(), of.second.seconds.size(), 1e6 * mean(of.second.seconds), 1e6 * median(of.second.seconds),
            of.second.n_accepted, of.second.n_wrong, of.second.n_rejected_free);
    }
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
