// firstcontact for OMPL: planners whose paths are certified. Every edge is checked at every moment, not at samples.
// MIT or Apache-2.0. It needs OMPL 1.5 or later, and exceptions.
//
//     auto engine = std::make_shared<const firstcontact::Engine>(firstcontact::Engine::make(robot, scene, options));
//     firstcontact::planning::configure(setup, engine);   // an ompl::geometric::SimpleSetup
//
// Motions without an answer count as invalid. Engines with FC_MODE_VERDICT are faster; planners that continue from the
// last valid state of an invalid motion, such as PDST, get farther with FC_MODE_TOC. Validators may be used by any
// number of threads.

#ifndef FIRSTCONTACT_OMPL_HPP
#define FIRSTCONTACT_OMPL_HPP

#include <ompl/base/MotionValidator.h>
#include <ompl/base/PlannerData.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SE2StateSpace.h>
#include <ompl/base/spaces/SE3StateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>
#include <ompl/datastructures/NearestNeighborsGNAT.h>

#include <cmath>
#include <memory>
#include <typeinfo>

#include "firstcontact.hpp"

#ifdef FIRSTCONTACT_NO_EXCEPTIONS
#error "firstcontact_ompl.hpp needs exceptions, as OMPL does"
#endif

namespace firstcontact {
namespace planning {

namespace ob = ::ompl::base;

// Configurations of states. Motions between states must be those of the engine: every joint moves linearly.
class Configurations {
public:
    // Writes the configurations at both ends of the motion from one state to another, in the order of the engine's
    // columns. The end may depend on the start: a joint that goes the short way round ends beyond its range.
    using Ends = std::function<void(const ob::State *from, const ob::State *to, double *start, double *end)>;

    // For a RealVectorStateSpace, an SO2StateSpace, whose motions go the short way round, an SE2StateSpace, an
    // SE3StateSpace for a free joint, or a CompoundStateSpace of these. The names are the columns of the components, in
    // the order of the space; by default all of the engine in their order. Other columns are fixed at given values.
    Configurations(const ob::StateSpacePtr &space, const Engine &engine, std::vector<std::string> names = {},
                   const std::vector<std::pair<std::string, double>> &fixed = {})
        : space_(space), fixed_(engine.n_columns()) {
        names = names.empty() ? engine.columns() : std::move(names);
        add(space_.get(), {});
        std::vector<bool> is_set(fixed_.size());
        const auto column = [&](const std::string &name) {
            const std::size_t i = engine.find_column(name);
            if (is_set[i]) {
                throw Error(FC_USAGE, "the column " + name + " is given twice");
            }
            is_set[i] = true;
            return i;
        };
        for (const std::string &name : names) {
            columns_.push_back(column(name));
        }
        for (const auto &of : fixed) {
            fixed_[column(of.first)] = of.second;
        }
        for (std::size_t i = 0; i < is_set.size(); i++) {
            if (!is_set[i]) {
                throw Error(FC_USAGE, "the column " + engine.columns()[i] + " is neither in the space nor fixed");
            }
        }
        if (columns_.size() != n_values_) {
            throw Error(FC_USAGE, "the state space has " + std::to_string(n_values_) + " values, but there are " +
                                      std::to_string(columns_.size()) + " names of columns");
        }
    }

    // For other spaces, such as ModelBasedStateSpace of MoveIt.
    Configurations(const Engine &engine, Ends ends) : ends_(std::move(ends)), fixed_(engine.n_columns()) {}

    std::size_t n_columns() const noexcept { return fixed_.size(); }

    // The ends of a motion. Returns false if the motion between them is not certain to be that of the space: half a
    // turn of a pose may go either way.
    bool operator()(const ob::State *from, const ob::State *to, double *start, double *end) const {
        std::copy(fixed_.begin(), fixed_.end(), start);
        std::copy(fixed_.begin(), fixed_.end(), end);
        if (ends_) {
            ends_(from, to, start, end);
            return true;
        }
        std::size_t next = 0;
        bool is_certain = true;
        for (const Part &part : parts_) {
            is_certain &= part.read(part.find(from), part.find(to), [&](double first, double last) {
                start[columns_[next]] = first;
                end[columns_[next]] = last;
                next++;
            });
        }
        return is_certain;
    }

private:
    // A component of the space that is not a compound.
    struct Part {
        enum Kind { vector, angle, pose };

        Kind kind;
        std::size_t n_values;
        // The indices that lead from a state to the component.
        std::vector<unsigned int> path;

        const ob::State *find(const ob::State *state) const {
            for (const unsigned int i : path) {
                state = (*state->as<ob::CompoundState>())[i];
            }
            return state;
        }

        template <class Take>
        bool read(const ob::State *from, const ob::State *to, Take take) const {
            bool is_certain = true;
            switch (kind) {
            case vector: {
                const double *first = from->as<ob::RealVectorStateSpace::StateType>()->values;
                const double *last = to->as<ob::RealVectorStateSpace::StateType>()->values;
                for (std::size_t i = 0; i < n_values; i++) {
                    take(first[i], last[i]);
                }
                break;
            }
            case angle: {
                const double first = from->as<ob::SO2StateSpace::StateType>()->value;
                const double turn = to->as<ob::SO2StateSpace::StateType>()->value - first;
                const double pi = 3.14159265358979323846;
                take(first, first + (turn > pi ? turn - 2.0 * pi : turn < -pi ? turn + 2.0 * pi : turn));
                break;
            }
            case pose: {
                const auto *first = from->as<ob::SE3StateSpace::StateType>();
                const auto *last = to->as<ob::SE3StateSpace::StateType>();
                take(first->getX(), last->getX());
                take(first->getY(), last->getY());
                take(first->getZ(), last->getZ());
                take(first->rotation().x, last->rotation().x);
                take(first->rotation().y, last->rotation().y);
                take(first->rotation().z, last->rotation().z);
                take(first->rotation().w, last->rotation().w);
                // The cosine of half of the turn.
                const double cosine =
                    first->rotation().x * last->rotation().x + first->rotation().y * last->rotation().y +
                    first->rotation().z * last->rotation().z + first->rotation().w * last->rotation().w;
                is_certain = std::abs(cosine) > 1e-9;
                break;
            }
            }
            return is_certain;
        }
    };

    // Spaces that are derived from these may interpolate otherwise.
    void add(const ob::StateSpace *space, std::vector<unsigned int> path) {
        const std::type_info &type = typeid(*space);
        const auto part = [&](typename Part::Kind kind, std::size_t n_values) {
            parts_.push_back({kind, n_values, std::move(path)});
            n_values_ += n_values;
        };
        if (type == typeid(ob::RealVectorStateSpace)) {
            part(Part::vector, space->getDimension());
        } else if (type == typeid(ob::SO2StateSpace)) {
            part(Part::angle, 1);
        } else if (type == typeid(ob::SE3StateSpace)) {
            part(Part::pose, 7);
        } else if (type == typeid(ob::CompoundStateSpace) || type == typeid(ob::SE2StateSpace)) {
            const auto *compound = space->as<ob::CompoundStateSpace>();
            for (unsigned int i = 0; i < compound->getSubspaceCount(); i++) {
                path.push_back(i);
                add(compound->getSubspace(i).get(), path);
                path.pop_back();
            }
        } else {
            throw Error(FC_USAGE, "the state space " + space->getName() +
                                      " is not a RealVectorStateSpace, SO2StateSpace, SE2StateSpace, SE3StateSpace or "
                                      "CompoundStateSpace of these (give a function that writes the configurations)");
        }
    }

    ob::StateSpacePtr space_;
    Ends ends_;
    std::vector<Part> parts_;
    std::size_t n_values_ = 0;
    // The column of each value, and the values of the others.
    std::vector<std::size_t> columns_;
    std::vector<double> fixed_;
};

// An engine and its mapping of states, which validators share.
class Checker {
public:
    Checker(std::shared_ptr<const Engine> engine, Configurations configurations)
        : engine_(std::move(engine)), configurations_(std::move(configurations)) {}

    bool is_free(const ob::State *from, const ob::State *to) const {
        const Motion motion(configurations_, from, to);
        return motion.is_certain() && engine_->is_free(motion.start(), motion.end());
    }

    double clear_until(const ob::State *from, const ob::State *to) const {
        const Motion motion(configurations_, from, to);
        return motion.is_certain() ? engine_->clear_until(motion.start(), motion.end()) : 0.0;
    }

    const Engine &engine() const noexcept { return *engine_; }
    const Configurations &configurations() const noexcept { return configurations_; }

private:
    // The ends of a motion, without allocation for most robots.
    class Motion {
    public:
        Motion(const Configurations &configurations, const ob::State *from, const ob::State *to)
            : n_(configurations.n_columns()), many_(n_ > few_ ? 2 * n_ : 0) {
            double *all = n_ > few_ ? many_.data() : numbers_;
            is_certain_ = configurations(from, to, all, all + n_);
            all_ = all;
        }

        bool is_certain() const { return is_certain_; }

        Row start() const { return {all_, n_}; }
        Row end() const { return {all_ + n_, n_}; }

    private:
        static constexpr std::size_t few_ = 16;
        std::size_t n_;
        double numbers_[2 * few_];
        std::vector<double> many_;
        const double *all_;
        bool is_certain_;
    };

    std::shared_ptr<const Engine> engine_;
    Configurations configurations_;
};

// Accepts the motions that are certainly free at every moment.
class MotionValidator : public ob::MotionValidator {
public:
    // For a space whose states are configurations of the engine.
    MotionValidator(const ob::SpaceInformationPtr &si, std::shared_ptr<const Engine> engine)
        : MotionValidator(si, std::make_shared<Checker>(engine, Configurations(si->getStateSpace(), *engine))) {}
    MotionValidator(const ob::SpaceInformationPtr &si, std::shared_ptr<const Checker> checker)
        : ob::MotionValidator(si), checker_(std::move(checker)) {}

    bool checkMotion(const ob::State *from, const ob::State *to) const override {
        return counted(checker_->is_free(from, to));
    }

    // The last valid state is one to which the motion from the start is certainly free: the start itself if nothing is
    // known.
    bool checkMotion(const ob::State *from, const ob::State *to,
                     std::pair<ob::State *, double> &last_valid) const override {
        double t = checker_->clear_until(from, to);
        if (t >= 1.0) {
            return counted(true);
        }
        // The state is rounded, and contacts begin at the end of the clear part.
        ob::State *at = si_->allocState();
        for (int i = 0;; i++) {
            t = i < 8 ? t * (1.0 - 1e-3) : 0.0;
            si_->getStateSpace()->interpolate(from, to, t, at);
            if (t == 0.0 || checker_->is_free(from, at)) {
                break;
            }
        }
        if (last_valid.first != nullptr) {
            si_->copyState(last_valid.first, t == 0.0 ? from : at);
        }
        si_->freeState(at);
        last_valid.second = t;
        return counted(false);
    }

private:
    // OMPL counts without synchronization.
    bool counted(bool is_valid) const {
        unsigned int &count = is_valid ? valid_ : invalid_;
#if defined(__GNUC__)
        __atomic_fetch_add(&count, 1U, __ATOMIC_RELAXED);
#else
        count++;
#endif
        return is_valid;
    }

    std::shared_ptr<const Checker> checker_;
};

// Accepts the states that are certainly free and within the bounds of the space. The clearance, in metres, is a
// guaranteed lower bound on the distance, to within 0.1 mm.
class StateValidityChecker : public ob::StateValidityChecker {
public:
    StateValidityChecker(const ob::SpaceInformationPtr &si, std::shared_ptr<const Engine> engine)
        : StateValidityChecker(si, std::make_shared<Checker>(engine, Configurations(si->getStateSpace(), *engine))) {}
    StateValidityChecker(const ob::SpaceInformationPtr &si, std::shared_ptr<const Checker> checker)
        : ob::StateValidityChecker(si), checker_(std::move(checker)) {
        specs_.clearanceComputationType = ob::StateValidityCheckerSpecs::APPROXIMATE;
    }

    bool isValid(const ob::State *state) const override {
        return si_->satisfiesBounds(state) && checker_->is_free(state, state);
    }

    double clearance(const ob::State *state) const override {
        const std::size_t n = checker_->configurations().n_columns();
        std::vector<double> values(2 * n);
        checker_->configurations()(state, state, values.data(), values.data() + n);
        const Trajectory still = Trajectory::from_waypoints(Rows(values.data(), 1, n));
        return checker_->engine().clearance(still)[0].distance_m[0];
    }

private:
    std::shared_ptr<const Checker> checker_;
};

// Configures a setup, such as an ompl::geometric::SimpleSetup or ompl::tools::Lightning, to check states and motions
// with an engine. The checker may be omitted if the states are configurations of the engine.
template <class Setup>
void configure(Setup &setup, std::shared_ptr<const Engine> engine) {
    const auto &space = setup.getStateSpace();
    configure(setup, std::make_shared<const Checker>(engine, Configurations(space, *engine)));
}

template <class Setup>
void configure(Setup &setup, std::shared_ptr<const Checker> checker) {
    const ob::SpaceInformationPtr &si = setup.getSpaceInformation();
    si->setMotionValidator(std::make_shared<MotionValidator>(si, checker));
    setup.setStateValidityChecker(std::make_shared<StateValidityChecker>(si, checker));
}

// A probabilistic roadmap whose edges were validated in one batch.
class Roadmap {
public:
    // Samples n states, keeps the free ones, and connects each to its k nearest neighbours where the motion is
    // certainly free. The same seed of OMPL gives the same roadmap.
    static Roadmap sample(const ob::SpaceInformationPtr &si, const Checker &checker, std::size_t n, std::size_t k,
                          const Progress &progress = {}) {
        Roadmap roadmap(si);
        roadmap.add_free_states(checker, n, progress);
        roadmap.find_candidates(k);
        const std::vector<std::uint8_t> are_free =
            checked(checker, roadmap.candidates_.size(), progress, [&](std::size_t i) {
                const auto &edge = roadmap.candidates_[i];
                return std::make_pair(roadmap.states_[edge[0]], roadmap.states_[edge[1]]);
            });
        for (std::size_t i = 0; i < are_free.size(); i++) {
            if (are_free[i]) {
                roadmap.edges_.push_back(roadmap.candidates_[i]);
            }
        }
        return roadmap;
    }

    // Free states, which are valid as long as the roadmap.
    const std::vector<ob::State *> &states() const noexcept { return states_; }
    // The motions that were checked, and those that are free, each as the indices of two states.
    const std::vector<std::array<std::uint32_t, 2>> &candidates() const noexcept { return candidates_; }
    const std::vector<std::array<std::uint32_t, 2>> &edges() const noexcept { return edges_; }

    // Adds the roadmap with edges in both directions to data of OMPL, from which its PRM can continue. The roadmap must
    // live as long as the data, unless the data copies the states (decoupleFromPlanner).
    void add_to(ob::PlannerData &data) const {
        std::vector<unsigned int> vertices;
        for (const ob::State *state : states_) {
            vertices.push_back(data.addVertex(ob::PlannerDataVertex(state)));
        }
        for (const auto &edge : edges_) {
            const ob::Cost cost(si_->distance(states_[edge[0]], states_[edge[1]]));
            data.addEdge(vertices[edge[0]], vertices[edge[1]], ob::PlannerDataEdge(), cost);
            data.addEdge(vertices[edge[1]], vertices[edge[0]], ob::PlannerDataEdge(), cost);
        }
    }

    Roadmap(Roadmap &&other) noexcept = default;
    Roadmap &operator=(Roadmap &&other) noexcept {
        std::swap(si_, other.si_);
        std::swap(states_, other.states_);
        std::swap(candidates_, other.candidates_);
        std::swap(edges_, other.edges_);
        return *this;
    }
    ~Roadmap() { si_ ? si_->freeStates(states_) : void(); }

private:
    explicit Roadmap(ob::SpaceInformationPtr si) : si_(std::move(si)) {}

    // Returns whether each of n motions is certainly free.
    template <class Motion>
    static std::vector<std::uint8_t> checked(const Checker &checker, std::size_t n, const Progress &progress,
                                             Motion motion) {
        const std::size_t n_columns = checker.configurations().n_columns();
        std::vector<double> starts(n * n_columns), ends(n * n_columns);
        std::vector<std::size_t> uncertain;
        for (std::size_t i = 0; i < n; i++) {
            const auto of = motion(i);
            if (!checker.configurations()(of.first, of.second, starts.data() + i * n_columns,
                                          ends.data() + i * n_columns)) {
                uncertain.push_back(i);
            }
        }
        auto are_free =
            checker.engine().are_free(Rows(starts.data(), n, n_columns), Rows(ends.data(), n, n_columns), progress);
        for (const std::size_t i : uncertain) {
            are_free[i] = 0;
        }
        return are_free;
    }

    void add_free_states(const Checker &checker, std::size_t n, const Progress &progress) {
        const ob::StateSamplerPtr sampler = si_->allocStateSampler();
        std::vector<ob::State *> all(n);
        for (ob::State *&state : all) {
            state = si_->allocState();
            sampler->sampleUniform(state);
        }
        // The roadmap owns all of them, whatever happens.
        states_ = all;
        const std::vector<std::uint8_t> are_free =
            checked(checker, n, progress, [&](std::size_t i) { return std::make_pair(all[i], all[i]); });
        states_.clear();
        for (std::size_t i = 0; i < n; i++) {
            if (are_free[i]) {
                states_.push_back(all[i]);
            } else {
                si_->freeState(all[i]);
            }
        }
    }

    void find_candidates(std::size_t k) {
        ::ompl::NearestNeighborsGNAT<std::uint32_t> near;
        near.setDistanceFunction(
            [this](std::uint32_t a, std::uint32_t b) { return si_->distance(states_[a], states_[b]); });
        std::vector<std::uint32_t> all(states_.size());
        for (std::size_t i = 0; i < all.size(); i++) {
            all[i] = static_cast<std::uint32_t>(i);
        }
        near.add(all);
        for (const std::uint32_t a : all) {
            // The nearest one is the state itself.
            std::vector<std::uint32_t> neighbours;
            near.nearestK(a, k + 1, neighbours);
            for (const std::uint32_t b : neighbours) {
                if (a != b) {
                    candidates_.push_back({std::min(a, b), std::max(a, b)});
                }
            }
        }
        std::sort(candidates_.begin(), candidates_.end());
        candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    }

    ob::SpaceInformationPtr si_;
    std::vector<ob::State *> states_;
    std::vector<std::array<std::uint32_t, 2>> candidates_, edges_;
};

}  // namespace planning
}  // namespace firstcontact

#endif  // FIRSTCONTACT_OMPL_HPP
