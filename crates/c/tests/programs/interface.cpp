// The interface for C++ with exceptions: interface FOLDER, where FOLDER has arm.urdf and table.obj.

#include <firstcontact.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "require.hpp"

namespace fc = firstcontact;

namespace {

std::string folder;

fc::Robot arm() {
    return fc::Robot::from_files(folder + "/arm.urdf");
}
fc::Scene table() {
    return fc::Scene::from_file(folder + "/table.obj");
}

fc::Options on_cpu() {
    fc::Options options;
    options.device = "cpu";
    return options;
}

using Motions = std::vector<std::array<double, 2>>;

Motions random_configurations(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> angle(-1.0, 1.0);
    Motions all(n);
    for (auto &row : all) {
        row = {angle(random), angle(random)};
    }
    return all;
}

std::size_t n_living() {
    std::size_t n = 0;
    REQUIRE(fc_n_living(&n) == FC_OK);
    return n;
}

std::string text_of(const std::string &file) {
    std::ifstream from(file);
    return {std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
}

void semantic_descriptions() {
    const std::string srdf =
        "<robot name='arm'><group name='all'><joint name='shoulder'/><joint name='elbow'/></group>"
        "<group_state name='home' group='all'><joint name='elbow' value='0.5'/></group_state>"
        "<disable_collisions link1='column' link2='upper_arm'/><disable_collisions link1='upper_arm' link2='forearm'/>"
        "</robot>";
    const fc::Robot robot = fc::Robot::from_texts(text_of(folder + "/arm.urdf"), srdf, folder);
    REQUIRE((robot.state("home") == std::vector<double>{0.0, 0.5}));
    REQUIRE_ERROR(FC_INPUT, "away", (void)robot.state("away"));
    // The pair that is left is tested, with an SRDF by default.
    const fc::Engine engine = fc::Engine::make(robot, on_cpu());
    REQUIRE(engine.link_pairs().size() == 1 && engine.links()[engine.link_pairs()[0][1]] == "forearm");
    const fc::Results folded = engine.check({{0.0, 0.0}}, {{0.0, 2.9}});
    REQUIRE(folded[0].verdict == FC_CONTACT && folded[0].contact.object == -1 && folded[0].contact.other_link == 2);
    fc::Options off = on_cpu();
    off.self_collision = FC_SELF_COLLISION_OFF;
    REQUIRE_ERROR(FC_USAGE, "nothing to collide", (void)fc::Engine::make(robot, off));
    const fc::Robot two = fc::Robot::join({{"left", &robot}, {"right", &robot}});
    REQUIRE((two.state("right/home") == std::vector<double>{0.0, 0.0, 0.0, 0.5}));
    // Within each robot its own pair; of different robots all that move against each other.
    REQUIRE(fc::Engine::make(two, on_cpu()).link_pairs().size() == 2 + 8);
    fc::LoadOptions wrong;
    wrong.chord_error_m = -1.0;
    REQUIRE_ERROR(FC_USAGE, "chord error", (void)fc::Robot::from_texts("<robot/>", "", "", wrong));
}

void robots_and_scenes() {
    fc::Robot robot = arm();
    REQUIRE(robot.n_columns() == 2 && robot.columns()[1].name == "elbow" && robot.columns()[0].upper == 3.2);
    REQUIRE(robot.find_column("elbow") == 1 && robot.links().size() == 3 && robot.warnings().empty());
    REQUIRE(robot.link_triangles(0).n_rows() == 36 && robot.link_triangles(0).n_columns() == 3);
    REQUIRE_ERROR(FC_USAGE, "nose", (void)robot.find_column("nose"));
    REQUIRE_ERROR(FC_USAGE, "no SRDF", (void)robot.state("home"));

    const fc::Robot two = fc::Robot::join({{"left", &robot}, {"right", &robot}});
    REQUIRE(robot.n_links() == robot.links().size() && two.n_links() == 2 * robot.n_links());
    REQUIRE(two.n_columns() == 4 && two.columns()[3].name == "right/elbow");
    REQUIRE_ERROR(FC_USAGE, "the robot is null", (void)fc::Robot::join({{"left", nullptr}}));

    // Both arms at the same place touch at the start.
    fc::Options options = on_cpu();
    options.self_collision = FC_SELF_COLLISION_OFF;
    const fc::Engine both = fc::Engine::make(two, options);
    REQUIRE(!both.link_pairs().empty() && !both.is_free({0, 0, 0, 0}, {0, 0, 0, 0}));
    fc::LoadOptions aside;
    aside.base = {0.0, 5.0, 0.0, 0.0, 0.0, 0.0};
    const fc::Robot other = fc::Robot::from_files(folder + "/arm.urdf", "", aside);
    const fc::Engine apart = fc::Engine::make(fc::Robot::join({{"left", &robot}, {"right", &other}}), options);
    REQUIRE(apart.is_free({0, 0, 0, 0}, {0.1, 0, 0.1, 0}));

    fc::Scene scene = fc::Scene::empty();
    const std::vector<std::array<double, 3>> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::vector<std::array<std::uint32_t, 3>> faces{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    REQUIRE(scene.add_mesh("corner", corners, faces, fc::Pose::translation(2.0, 0.0, 0.0)) == 0);
    REQUIRE(scene.add_mesh("face", {{0, 0, 9}, {1, 0, 9}, {0, 1, 9}}) == 1);
    REQUIRE(scene.add_shape("ball", FC_SHAPE_SPHERE, {0.1}) == 2);
    REQUIRE(scene.n_objects() == 3 && scene.objects()[2] == "ball" && scene.is_closed(0) && !scene.is_closed(1));
    const fc::Rows placed = scene.triangles(0);
    REQUIRE(placed.n_rows() == 12 && placed(0, 0) == 2.0);
    REQUIRE_ERROR(FC_USAGE, "three for each", (void)scene.add_mesh("bad", {{0, 0, 9}}));
    REQUIRE_ERROR(FC_USAGE, "null", (void)scene.add_mesh("bad", {{0, 0, 9}, {0, 1}, {0, 0, 0}}));

    // A moved-from object is an error, not a crash.
    fc::Robot moved = std::move(robot);
    REQUIRE(moved.n_columns() == 2 && robot.n_columns() == 0);
    REQUIRE_ERROR(FC_USAGE, "the robot is null", (void)fc::Engine::make(robot, scene, on_cpu()));
    robot = std::move(moved);
    REQUIRE(robot.n_columns() == 2);
}

void checks() {
    fc::Options options = on_cpu();
    options.margin_m = 0.005;
    const fc::Engine engine = fc::Engine::make(arm(), table(), options);
    REQUIRE(engine.n_columns() == 2 && engine.columns()[0] == "shoulder" && engine.objects().size() == 1);
    REQUIRE(engine.n_objects() == 1 && engine.n_links() == engine.links().size());
    REQUIRE(engine.links().size() == 3 && engine.adapter().empty() && engine.threads() > 0);

    const Motions starts = random_configurations(500, 1), ends = random_configurations(500, 2);
    const fc::Results results = engine.check(starts, ends);
    REQUIRE(results.size() == 500 && results.stats().motions == 500 && !results.all_free());
    const auto free = engine.are_free(starts, ends);
    std::size_t i = 0, n_contacts = 0;
    for (const fc::Answer &answer : results) {
        REQUIRE(&answer == &results[i] && (answer.verdict == FC_FREE) == (free[i] == 1));
        REQUIRE((answer.verdict == FC_FREE) == engine.is_free(starts[i], ends[i]));
        REQUIRE(answer.clear_until == engine.clear_until(starts[i], ends[i]));
        if (answer.verdict == FC_CONTACT) {
            n_contacts++;
            REQUIRE(answer.toc[0] <= answer.toc[1] && answer.contact.object == 0 && answer.contact.link >= 0);
            const auto contacts = results.contacts(i);
            REQUIRE(contacts.size() == 1 && contacts[0].link == answer.contact.link);
        }
        i++;
    }
    REQUIRE(i == 500 && n_contacts > 50 && n_contacts < 450);
    REQUIRE(results.line(3, 7).find("{\"motion\":7,") == 0);
    REQUIRE_ERROR(FC_USAGE, "no answer 500", (void)results.line(500, 0));

    // Edges of a roadmap, other layouts, and one configuration for all.
    std::vector<std::array<std::uint32_t, 2>> edges;
    for (std::uint32_t k = 0; k < 499; k++) {
        edges.push_back({k, k + 1});
    }
    const fc::Results of_edges = engine.check_edges(starts, edges);
    std::vector<double> columns(1000);
    for (std::size_t k = 0; k < 500; k++) {
        columns[k] = starts[k][0];
        columns[500 + k] = starts[k][1];
    }
    const fc::Results of_columns =
        engine.check(fc::Rows(columns.data(), 499, 2, 1, 500), fc::Rows(columns.data() + 1, 499, 2, 1, 500));
    const fc::Results of_one = engine.check(fc::Rows::repeated(starts[5].data(), 2, 500), ends);
    for (std::size_t k = 0; k < 499; k++) {
        REQUIRE(of_edges.line(k, k) == of_columns.line(k, k));
    }
    REQUIRE(of_one.size() == 500 && of_one.line(5, 0) == results.line(5, 0));
    const fc::Results of_lists = engine.check({{0.0, 0.0}, {0.1, 0.2}}, {{0.0, 0.1}, {0.1, 0.3}});
    REQUIRE(of_lists.size() == 2);

    REQUIRE_ERROR(FC_USAGE, "1 starts but 2 ends", (void)engine.check({{0.0, 0.0}}, {{0.0, 0.1}, {0.1, 0.3}}));
    REQUIRE_ERROR(FC_USAGE, "3 columns", (void)engine.is_free({0, 0, 0}, {0, 0, 0}));
    REQUIRE_ERROR(FC_USAGE, "columns", (void)engine.is_free({0, 0}, {0, 0, 0}));
    REQUIRE_ERROR(FC_INPUT, "NaN", (void)engine.is_free({0, 0}, {0, NAN}));
    REQUIRE(engine.check(fc::Rows(), fc::Rows()).size() == 0);
}

void engines_from_engines() {
    fc::Options options = on_cpu();
    options.allow = {{"column", "floor"}, {"forearm", "post"}};
    fc::Scene scene = table();
    scene.add_shape("floor", FC_SHAPE_BOX, {9.0, 9.0, 0.02}, fc::Pose::translation(0.0, 0.0, -0.005));
    scene.add_shape("post", FC_SHAPE_CYLINDER, {0.02, 0.4}, fc::Pose::translation(0.8, 0.0, 0.75));
    const fc::Engine engine = fc::Engine::make(arm(), scene, options);
    REQUIRE(engine.objects().size() == 3 && engine.is_free({-0.5, 0.5}, {-0.4, 0.4}));

    // In another scene the allowed pairs of names that are there stay.
    fc::Scene bare = fc::Scene::empty();
    bare.add_shape("floor", FC_SHAPE_BOX, {9.0, 9.0, 0.02}, fc::Pose::translation(0.0, 0.0, -0.005));
    const fc::Engine elsewhere = engine.with_scene(bare);
    REQUIRE(elsewhere.objects().size() == 1 && elsewhere.is_free({-0.5, 0.5}, {-0.4, 0.4}));
    bare.add_shape("post", FC_SHAPE_CYLINDER, {0.02, 0.4}, fc::Pose::translation(0.8, 0.0, 0.55));
    bare.add_shape("pole", FC_SHAPE_CYLINDER, {0.02, 0.4}, fc::Pose::translation(0.8, 0.0, 0.55));
    const fc::Results at_pole = engine.with_scene(bare).check({{0.0, 0.0}}, {{0.0, 0.0}});
    REQUIRE(at_pole[0].verdict == FC_CONTACT && at_pole[0].contact.object == 2);

    // A box in the gripper may touch what it is told to: without it, the box is in the way.
    fc::Attached box;
    fc::Scene shapes = fc::Scene::empty();
    shapes.add_shape("box", FC_SHAPE_BOX, {0.1, 0.1, 0.1}, fc::Pose::translation(0.5, 0.0, 0.0));
    box.name = "box";
    box.link = "forearm";
    box.vertices = shapes.triangles(0);
    fc::Scene shelf = fc::Scene::empty();
    shelf.add_shape("shelf", FC_SHAPE_BOX, {0.2, 0.2, 0.02}, fc::Pose::translation(1.0, 0.0, 0.5));
    const fc::Engine over_shelf = fc::Engine::make(arm(), shelf, on_cpu());
    REQUIRE(over_shelf.is_free({0.0, 0.0}, {-0.1, 0.0}));
    const fc::Engine blocked = over_shelf.with_attached(box);
    REQUIRE(blocked.links().back() == "box" && !blocked.is_free({0.0, 0.0}, {-0.1, 0.0}));
    const fc::Results first = blocked.check({{-0.5, 0.0}}, {{0.0, 0.0}});
    REQUIRE(first[0].verdict == FC_CONTACT && first[0].contact.link == 3 && first[0].contact.object == 0);
    box.touch_links = {"shelf"};
    const fc::Engine resting = over_shelf.with_attached(box);
    REQUIRE(resting.is_free({0.0, 0.0}, {-0.1, 0.0}));
    // The permission is for this pair alone, and stays by name.
    shelf.add_shape("other", FC_SHAPE_BOX, {0.2, 0.2, 0.02}, fc::Pose::translation(1.0, 0.0, 0.5));
    const fc::Results of_other = resting.with_scene(shelf).check({{0.0, 0.0}}, {{-0.1, 0.0}});
    REQUIRE(of_other[0].verdict == FC_CONTACT && of_other[0].contact.object == 1 && of_other[0].contact.link == 3);
    REQUIRE_ERROR(FC_INPUT, "box", (void)resting.with_attached(box));

    // All links are those of the robot, not the box, and a permission between links is not one for an object.
    box.touch_links = {};
    fc::Scene low = fc::Scene::empty();
    low.add_shape("shelf", FC_SHAPE_BOX, {0.2, 0.2, 0.02}, fc::Pose::translation(1.0, 0.0, 0.5));
    fc::Options permitted = on_cpu();
    permitted.allow = {{"*", "shelf"}, {"upper_arm", "forearm"}};
    const fc::Engine allowing = fc::Engine::make(arm(), low, permitted).with_attached(box);
    REQUIRE(!allowing.is_free({0.0, 0.0}, {-0.1, 0.0}) && !allowing.with_scene(low).is_free({0.0, 0.0}, {-0.1, 0.0}));
    fc::Scene named = fc::Scene::empty();
    named.add_shape("forearm", FC_SHAPE_BOX, {0.1, 0.1, 0.1}, fc::Pose::translation(0.25, 0.0, 0.55));
    const fc::Engine over_shelf_allowing = fc::Engine::make(arm(), low, permitted);
    REQUIRE(!over_shelf_allowing.with_scene(named).is_free({0.0, 0.0}, {0.0, 0.0}));

    fc::Options wide = on_cpu();
    wide.margin_m = 0.3;
    REQUIRE(!over_shelf.with_options(wide).is_free({0.0, 0.0}, {-0.1, 0.0}));
    const std::vector<fc::Pose> poses = over_shelf.link_poses({0.0, 0.0});
    REQUIRE(poses.size() == 3 && poses[2](0, 3) == 0.5 && std::fabs(poses[2](2, 3) - 0.55) < 1e-12);
}

void trajectories() {
    const fc::Engine engine = fc::Engine::make(arm(), table(), on_cpu());
    const fc::Trajectory line = fc::Trajectory::from_waypoints({{-1.0, 0.5}, {-0.5, 0.2}, {0.6, 0.0}}, {0.0, 1.0, 3.0});
    const fc::Trajectory cubic =
        fc::Trajectory::from_points({0.0, 2.0}, {{-1.0, 0.5}, {-0.5, 0.2}}, {{0.0, 0.0}, {0.0, 0.0}});
    // A straight line from -1 to -0.5 in one second, and one that stands still.
    const fc::Trajectory power = fc::Trajectory::from_polynomials({0.0, 1.0}, {{0.5, 0.0}, {-1.0, 0.5}});
    REQUIRE(line.n_segments() == 2 && cubic.n_segments() == 1 && power.n_columns() == 2);
    REQUIRE(std::fabs(cubic.at(0, 0.5)[0] + 0.75) < 1e-15 && power.at(0, 1.0)[0] == -0.5);
    std::vector<fc::Trajectory> all;
    const fc::Results one = engine.check(line);
    REQUIRE(one.size() == 1 && one[0].verdict == FC_CONTACT && one[0].segment == 1 && one[0].time_s[0] > 1.0);
    all.push_back(fc::Trajectory::from_waypoints({{-1.0, 0.5}}));
    all.push_back(fc::Trajectory::from_waypoints({{-1.0, 0.5}, {-0.5, 0.2}}));
    const fc::Results both = engine.check_trajectories(all, {0.001, 0.001});
    REQUIRE(both.all_free() && std::isnan(both[0].time_s[0]));
    REQUIRE(engine.check(cubic).all_free() && engine.check(power).all_free());
    const fc::Clearances clearances = engine.clearances(all, 1e-3);
    REQUIRE(clearances.size() == 2 && clearances[0].distance_m[0] > 0.0);
    REQUIRE(clearances[1].distance_m[1] - clearances[1].distance_m[0] <= 1e-3 && clearances[1].nearest.link >= 0);
    REQUIRE(engine.clearance(all[0], 1e-3, 0.01)[0].distance_m[1] == INFINITY);
    REQUIRE_ERROR(FC_USAGE, "3 times for 2 waypoints",
                  (void)fc::Trajectory::from_waypoints({{0.0, 0.0}, {0.1, 0.1}}, {0.0, 1.0, 2.0}));
    REQUIRE_ERROR(FC_USAGE, "tolerance", (void)engine.check_trajectories(all, {NAN, 0.0}));
}

void elementary() {
    // A vertex falls through a face, and one beside it.
    const double points[2][12] = {{0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}, {2, 2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}};
    double later[2][12];
    std::memcpy(later, points, sizeof points);
    later[0][2] = later[1][2] = -1.0;
    const auto answers = fc::elementary(FC_VERTEX_FACE, fc::Rows(points[0], 2, 12), fc::Rows(later[0], 2, 12));
    REQUIRE(answers[0].verdict == FC_CONTACT && answers[0].certified && answers[1].verdict == FC_FREE);
    REQUIRE(answers[0].toc[0] <= 0.5 && 0.5 <= answers[0].toc[1] && answers[1].clear_until == 1.0);
    REQUIRE_ERROR(FC_USAGE, "2 starts but 1 ends",
                  (void)fc::elementary(FC_EDGE_EDGE, fc::Rows(points[0], 2, 12), fc::Rows(later[0], 1, 12)));
}

void callbacks() {
    const fc::Engine engine = fc::Engine::make(arm(), table(), on_cpu());
    const Motions starts = random_configurations(5000, 3), ends = random_configurations(5000, 4);
    std::uint64_t n_calls = 0, last = 0;
    const auto count = [&](std::uint64_t done, std::uint64_t total) {
        REQUIRE(done >= last && done <= total && total == 5000);
        last = done;
        n_calls++;
        return true;
    };
    REQUIRE(engine.check(starts, ends, count).size() == 5000 && n_calls >= 1);
    REQUIRE_ERROR(FC_INTERRUPTED, "interrupted",
                  (void)engine.check(starts, ends, [](std::uint64_t, std::uint64_t) { return false; }));
    // An exception passes through the library.
    struct Own {};
    bool is_caught = false;
    try {
        (void)engine.are_free(starts, ends, [](std::uint64_t, std::uint64_t) -> bool { throw Own(); });
    } catch (const Own &) {
        is_caught = true;
    }
    REQUIRE(is_caught);

    // A stream gives the same answers as a batch, and ends when the sink wants no more.
    const fc::Results results = engine.check(starts, ends);
    std::size_t at = 0, n_taken = 0;
    const auto source = [&](fc::Rows &from, fc::Rows &to) {
        const std::size_t some = std::min<std::size_t>(333, starts.size() - at);
        from = fc::Rows(starts[at].data(), some, 2);
        to = fc::Rows(ends[at].data(), some, 2);
        at += some;
        return some > 0;
    };
    const FcStats stats = engine.stream(source, [&](std::uint64_t motion, const fc::Answer &answer) {
        REQUIRE(motion == n_taken && answer.verdict == results[motion].verdict);
        n_taken++;
        return true;
    });
    REQUIRE(stats.motions == 5000 && n_taken == 5000 && stats.free == results.stats().free);
    at = 0;
    REQUIRE_ERROR(FC_INTERRUPTED, "interrupted",
                  (void)engine.stream(source, [](std::uint64_t motion, const fc::Answer &) { return motion < 10; }));
    is_caught = false;
    try {
        (void)engine.stream([](fc::Rows &, fc::Rows &) -> bool { throw Own(); },
                            [](std::uint64_t, const fc::Answer &) { return true; });
    } catch (const Own &) {
        is_caught = true;
    }
    REQUIRE(is_caught);
    REQUIRE_ERROR(FC_USAGE, "source", (void)engine.stream(nullptr, nullptr));
}

// Many threads on one engine give the answers of one thread; others make and free engines, and cause errors.
void threads() {
    const fc::Engine engine = fc::Engine::make(arm(), table(), on_cpu());
    const Motions starts = random_configurations(3000, 5), ends = random_configurations(3000, 6);
    const fc::Results expected = engine.check(starts, ends);
    const auto agrees = [&](const fc::Results &results) {
        for (std::size_t i = 0; i < results.size(); i += 97) {
            if (results.line(i, i) != expected.line(i, i)) {
                return false;
            }
        }
        return results.size() == expected.size();
    };
    std::atomic<int> n_wrong{0};
    std::vector<std::thread> all;
    for (unsigned k = 0; k < 8; k++) {
        all.emplace_back([&, k] {
            for (int round = 0; round < 3; round++) {
                n_wrong += !agrees(engine.check(starts, ends));
                for (std::size_t i = k; i < starts.size(); i += 8) {
                    n_wrong += engine.is_free(starts[i], ends[i]) != (expected[i].verdict == FC_FREE);
                }
                const fc::Engine own = fc::Engine::make(arm(), table(), on_cpu());
                n_wrong += !own.is_free({-0.5, 0.5}, {-0.4, 0.4});
                // Errors are those of the own thread.
                const std::string name = "nose " + std::to_string(k);
                try {
                    (void)own.find_column(name);
                    n_wrong++;
                } catch (const fc::Error &error) {
                    n_wrong += std::strstr(error.what(), name.c_str()) == nullptr;
                }
            }
        });
    }
    for (std::thread &thread : all) {
        thread.join();
    }
    REQUIRE(n_wrong == 0);
}

void certificates() {
    fc::Options options = on_cpu();
    options.certificates = true;
    const fc::Engine engine = fc::Engine::make(arm(), table(), options);
    const fc::Results results = engine.check(random_configurations(5, 7), random_configurations(5, 8));
    REQUIRE_ERROR(FC_OUTPUT, "/dev/null/c", (void)results.write_certificates("/dev/null/c"));
    REQUIRE_ERROR(FC_INTERRUPTED, "interrupted",
                  (void)results.write_certificates("/dev/null", [](std::uint64_t, std::uint64_t) { return false; }));
    REQUIRE(results.write_certificates("/dev/null") == 0);
    const fc::Engine without = engine.with_options(on_cpu());
    REQUIRE_ERROR(FC_USAGE, "not asked for",
                  (void)without.check({{0.0, 0.0}}, {{0.0, 0.1}}).write_certificates("/dev/null"));
}

}  // namespace

int main(int argc, char **argv) {
    REQUIRE(argc == 2);
    folder = argv[1];
    REQUIRE_ERROR(FC_INPUT, "/nowhere.urdf", (void)fc::Robot::from_files("/nowhere.urdf"));
    try {
        (void)fc::Scene::from_file("/nowhere.obj");
    } catch (const fc::Error &error) {
        REQUIRE(error.file() == "/nowhere.obj" && error.kind() == FC_INPUT);
    }
    semantic_descriptions();
    robots_and_scenes();
    checks();
    engines_from_engines();
    trajectories();
    elementary();
    callbacks();
    threads();
    certificates();
    REQUIRE(n_living() == 0);
    std::puts("passed");
    return 0;
}
