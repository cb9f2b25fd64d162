// Engines.

#ifndef FIRSTCONTACT_ENGINE_HPP
#define FIRSTCONTACT_ENGINE_HPP

#include <cmath>
#include <cstdint>

#include "options.hpp"
#include "results.hpp"
#include "robot.hpp"
#include "scene.hpp"
#include "trajectory.hpp"

FIRSTCONTACT_BEGIN_NAMESPACE

// An object that a link carries, such as a box in a gripper.
struct Attached {
    // Its name, which must differ from the names of all links.
    std::string name;
    // The link that carries it.
    std::string link;
    // Vertices as rows of x y z, and the triangles; without indices, every three consecutive vertices form a triangle.
    Rows vertices;
    Indices triangles;
    // The pose of the vertices in the frame of the link.
    Pose pose;
    // Links, attached objects and objects of the scene that it may touch.
    std::vector<std::string> touch_links;
};

// Checks motions of one robot in one scene. An engine is immutable; any number of threads may use it.
class Engine {
public:
    // Prepares a robot and a scene for any number of checks. The engine keeps what it needs of both.
    static Result<Engine> make(const Robot &robot, const Scene &scene, const Options &options = {}) {
        return make_with(options, [&](const FcOptions *chosen, FcEngine **to) {
            return fc_engine_new(robot.get(), scene.get(), chosen, to);
        });
    }

    // The same, but takes the scene, so that a large scene is in memory only once.
    static Result<Engine> make(const Robot &robot, Scene &&scene, const Options &options = {}) {
        Scene taken = std::move(scene);
        return make_with(options, [&](const FcOptions *chosen, FcEngine **to) {
            const FcStatus status = fc_engine_new_taking(robot.get(), taken.get(), chosen, to);
            if (status == FC_OK) {
                taken.release();
            }
            return status;
        });
    }

    // Without a scene: links are tested against each other.
    static Result<Engine> make(const Robot &robot, const Options &options) {
        return make_with(options, [&](const FcOptions *chosen, FcEngine **to) {
            return fc_engine_new(robot.get(), nullptr, chosen, to);
        });
    }

    // The same robot, attached objects and options in another scene; pairs that are never tested are carried over by
    // name.
    Result<Engine> with_scene(const Scene &scene) const {
        return made([&](FcEngine **to) { return fc_engine_with_scene(get(), scene.get(), to); });
    }

    // The same robot, scene and tested pairs with other options; the new options for self-collision, allowed pairs and
    // the tree cache are ignored.
    Result<Engine> with_options(const Options &options) const {
        return make_with(
            options, [&](const FcOptions *chosen, FcEngine **to) { return fc_engine_with_options(get(), chosen, to); });
    }

    // The same with an attached object, which is tested against the scene, other attached objects, and links that move
    // relative to it, but not against what it may touch.
    Result<Engine> with_attached(const Attached &object) const {
        std::vector<const char *> touch_links;
        for (const std::string &link : object.touch_links) {
            touch_links.push_back(link.c_str());
        }
        const FcIndices *triangles = object.triangles.n_rows() == 0 ? nullptr : object.triangles.get();
        return made([&](FcEngine **to) {
            return fc_engine_with_attached(get(), object.name.c_str(), object.link.c_str(), object.vertices.get(),
                                           triangles, object.pose.data(), touch_links.data(), touch_links.size(), to);
        });
    }

    // Checks motions: in motion i, every joint moves linearly from its value in row i of the starts to its value in row
    // i of the ends.
    Result<Results> check(const Rows &starts, const Rows &ends, const Progress &progress = {}) const {
        detail::Control control(progress);
        return Results::made(control, [&](FcResults **to) {
            return fc_engine_check(get(), starts.get(), ends.get(), control.get(), to);
        });
    }

    // Checks the edges of a roadmap: rows of two indices of vertices, which are rows of configurations.
    Result<Results> check_edges(const Rows &vertices, const Indices &edges, const Progress &progress = {}) const {
        detail::Control control(progress);
        return Results::made(control, [&](FcResults **to) {
            return fc_engine_check_edges(get(), vertices.get(), edges.get(), control.get(), to);
        });
    }

    // Checks trajectories. With a tolerance for each column, radians or metres, answers hold for every execution that
    // stays within it at each time.
    Result<Results> check_trajectories(const std::vector<Trajectory> &trajectories, const Row &joint_tolerance = {},
                                       const Progress &progress = {}) const {
        return check_paths(handles(trajectories), joint_tolerance, progress);
    }

    // Checks one trajectory: a single answer.
    Result<Results> check(const Trajectory &trajectory, const Row &joint_tolerance = {}) const {
        return check_paths({trajectory.get()}, joint_tolerance, {});
    }

    // Returns whether a single motion is certainly free; false for a contact or if there is no answer. This is the
    // quickest call for planners, and quicker still with FC_MODE_VERDICT.
    Result<bool> is_free(const Row &start, const Row &end) const {
        bool is_free = false;
        const FcStatus status = one(
            start, end, [&](std::size_t n) { return fc_engine_is_free(get(), start.data(), end.data(), n, &is_free); });
        return detail::finish(status, is_free);
    }

    // The time up to which a single motion is certainly free: 1 for a free motion.
    Result<double> clear_until(const Row &start, const Row &end) const {
        double clear_until = 0.0;
        const FcStatus status = one(start, end, [&](std::size_t n) {
            return fc_engine_clear_until(get(), start.data(), end.data(), n, &clear_until);
        });
        return detail::finish(status, clear_until);
    }

    // Returns for each motion whether it is certainly free, as 1 or 0; no other answers are kept.
    Result<std::vector<std::uint8_t>> are_free(const Rows &starts, const Rows &ends,
                                               const Progress &progress = {}) const {
        static_assert(sizeof(bool) == 1, "answers are written as bytes");
        detail::Control control(progress);
        std::vector<std::uint8_t> are_free(starts.n_rows());
        const FcStatus status = fc_engine_are_free(get(), starts.get(), ends.get(), control.get(),
                                                   reinterpret_cast<bool *>(are_free.data()), 1);
        control.rethrow();
        return detail::finish(status, std::move(are_free));
    }

    // Checks any number of motions in bounded memory. The source sets the next starts and ends, which are copied, and
    // returns whether there were any; the sink takes the answer for each motion and returns whether to continue.
    using Source = std::function<bool(Rows &starts, Rows &ends)>;
    using Sink = std::function<bool(std::uint64_t motion, const Answer &answer)>;
    Result<FcStats> stream(const Source &source, const Sink &sink) const {
        if (!source || !sink) {
            return detail::fail<FcStats>(Error(FC_USAGE, "the source or the sink of the stream is missing"));
        }
        Stream stream(source, sink);
        FcStats stats{};
        const FcStatus status = fc_engine_stream(get(), Stream::next, Stream::take, &stream, &stats);
        stream.rethrow();
        return detail::finish(status, stats);
    }

    // The smallest distance between the robot and its obstacles along each trajectory: an enclosure at most
    // tolerance_m wide. Distances beyond limit_m are not measured.
    Result<Clearances> clearances(const std::vector<Trajectory> &trajectories, double tolerance_m = 1e-4,
                                  double limit_m = INFINITY, const Progress &progress = {}) const {
        return measure(handles(trajectories), tolerance_m, limit_m, progress);
    }

    // The clearance of one trajectory: a single answer.
    Result<Clearances> clearance(const Trajectory &trajectory, double tolerance_m = 1e-4,
                                 double limit_m = INFINITY) const {
        return measure({trajectory.get()}, tolerance_m, limit_m, {});
    }

    std::size_t n_columns() const noexcept { return count(fc_engine_n_columns); }
    // Names of the columns.
    std::vector<std::string> columns() const { return names(fc_engine_column_name); }
    // The index of the column with this name.
    Result<std::size_t> find_column(const std::string &name) const {
        std::size_t column = 0;
        const FcStatus status = fc_engine_find_column(get(), name.c_str(), &column);
        return detail::finish(status, column);
    }
    std::size_t n_links() const noexcept { return count(fc_engine_n_links); }
    std::size_t n_objects() const noexcept { return count(fc_engine_n_objects); }
    // Names of the links with triangles and of the attached objects; the attached objects come last.
    std::vector<std::string> links() const { return names(fc_engine_link_name); }
    // Names of the objects of the scene.
    std::vector<std::string> objects() const { return names(fc_engine_object_name); }
    // Pairs of links that are tested against each other, as indices of links().
    std::vector<std::array<std::size_t, 2>> link_pairs() const {
        std::vector<std::array<std::size_t, 2>> pairs(count(fc_engine_n_link_pairs));
        for (std::size_t i = 0; i < pairs.size(); i++) {
            std::size_t pair[2] = {0, 0};
            fc_engine_link_pair(get(), i, &pair);
            pairs[i] = {pair[0], pair[1]};
        }
        return pairs;
    }
    // Name of the graphics adapter, or empty on the CPU.
    std::string adapter() const {
        const char *name = nullptr;
        fc_engine_adapter(get(), &name);
        return name ? name : "";
    }
    // Number of threads on the CPU.
    std::size_t threads() const noexcept { return count(fc_engine_threads); }
    // Warnings from building the engine, and the reason why "auto" runs on the CPU, if it does.
    std::vector<std::string> warnings() const { return names(fc_engine_warning); }

    // The poses of all links at a configuration, from the frame of Robot::link_triangles to the world.
    Result<std::vector<Pose>> link_poses(const Row &configuration) const {
        std::vector<double> numbers(12 * n_links());
        const FcStatus status =
            fc_engine_link_poses(get(), configuration.data(), configuration.size(),
                                 reinterpret_cast<double(*)[12]>(numbers.data()), numbers.size() / 12);
        std::vector<Pose> poses;
        for (std::size_t i = 0; i < numbers.size(); i += 12) {
            poses.emplace_back(numbers.data() + i);
        }
        return detail::finish(status, std::move(poses));
    }

    const FcEngine *get() const noexcept { return handle_.get(); }

private:
    Engine() = default;

    template <class Make>
    static Result<Engine> made(Make make) {
        Engine engine;
        const FcStatus status = make(engine.handle_.out());
        return detail::finish(status, std::move(engine));
    }

    template <class Make>
    static Result<Engine> make_with(const Options &options, Make make) {
        const detail::EngineSetters setters(options);
        return made(
            [&](FcEngine **to) { return setters.status() == FC_OK ? make(setters.get(), to) : setters.status(); });
    }

    static std::vector<const FcTrajectory *> handles(const std::vector<Trajectory> &trajectories) {
        std::vector<const FcTrajectory *> handles;
        for (const Trajectory &trajectory : trajectories) {
            handles.push_back(trajectory.get());
        }
        return handles;
    }

    Result<Results> check_paths(const std::vector<const FcTrajectory *> &paths, const Row &joint_tolerance,
                                const Progress &progress) const {
        detail::Control control(progress);
        const double *tolerance = joint_tolerance.empty() ? nullptr : joint_tolerance.data();
        return Results::made(control, [&](FcResults **to) {
            return fc_engine_check_trajectories(get(), paths.data(), paths.size(), tolerance, joint_tolerance.size(),
                                                control.get(), to);
        });
    }

    Result<Clearances> measure(const std::vector<const FcTrajectory *> &paths, double tolerance_m, double limit_m,
                               const Progress &progress) const {
        detail::Control control(progress);
        Clearances all;
        FcStatus status = fc_engine_clearance(get(), paths.data(), paths.size(), tolerance_m, limit_m, control.get(),
                                              all.handle_.out());
        control.rethrow();
        FcClearances view{};
        if (status == FC_OK) {
            status = fc_clearance_results_get(all.handle_.get(), &view);
        }
        all.all_ = Sequence<FcClearance>(view.data, view.length, view.stride_bytes);
        return detail::finish(status, std::move(all));
    }

    // A call for a single motion. Ends of different sizes are an error, as is a start of a wrong size.
    template <class Call>
    static FcStatus one(const Row &start, const Row &end, Call call) {
        return call(start.size() == end.size() ? start.size() : SIZE_MAX);
    }

    template <class Ask>
    std::size_t count(Ask ask) const noexcept {
        std::size_t n = 0;
        ask(get(), &n);
        return n;
    }

    template <class Name>
    std::vector<std::string> names(Name name) const {
        return detail::all_texts([&](std::size_t i, const char **text) { return name(get(), i, text); });
    }

    // Callbacks of a stream.
    class Stream {
    public:
        Stream(const Source &source, const Sink &sink)
            : read_([this, &source](FcRows *starts, FcRows *ends) {
                  const bool is_there = source(starts_, ends_);
                  *starts = *starts_.get();
                  *ends = *ends_.get();
                  return is_there ? 0 : 1;
              }),
              pass_([&sink](std::uint64_t motion, const FcAnswer *answer) { return sink(motion, *answer) ? 0 : 1; }),
              reading_(read_),
              passing_(pass_) {}

        static std::int32_t next(void *self, FcRows *starts, FcRows *ends) noexcept {
            return static_cast<Stream *>(self)->reading_.call(2, starts, ends);
        }

        static std::int32_t take(void *self, std::uint64_t motion, const FcAnswer *answer) noexcept {
            return static_cast<Stream *>(self)->passing_.call(1, motion, answer);
        }

        void rethrow() const {
            reading_.rethrow();
            passing_.rethrow();
        }

    private:
        using Read = std::function<int(FcRows *, FcRows *)>;
        using Pass = std::function<int(std::uint64_t, const FcAnswer *)>;

        Rows starts_, ends_;
        Read read_;
        Pass pass_;
        detail::Callback<Read> reading_;
        detail::Callback<Pass> passing_;
    };

    detail::Handle<FcEngine, fc_engine_free> handle_;
};

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_ENGINE_HPP
