// The interface for C++ without exceptions: expected FOLDER, where FOLDER has arm.urdf and table.obj.

#define FIRSTCONTACT_NO_EXCEPTIONS
#include <firstcontact.hpp>

#include <cstring>

#include "require.hpp"

namespace fc = firstcontact;

int main(int argc, char **argv) {
    REQUIRE(argc == 2);
    const std::string folder = argv[1];
    const auto missing = fc::Robot::from_files("/nowhere.urdf");
    REQUIRE(!missing && missing.error().kind() == FC_INPUT && missing.error().file() == "/nowhere.urdf");

    auto robot = fc::Robot::from_files(folder + "/arm.urdf");
    auto scene = fc::Scene::from_file(folder + "/table.obj");
    REQUIRE(robot && scene);
    fc::Options options;
    options.device = "cpu";
    const auto engine = fc::Engine::make(*robot, *std::move(scene), options);
    REQUIRE(engine.has_value());
    const auto is_free = engine->is_free({-0.5, 0.5}, {-0.4, 0.4});
    REQUIRE(is_free && *is_free);
    const auto wrong = engine->is_free({0.0}, {0.0});
    REQUIRE(!wrong && std::strstr(wrong.error().what(), "1 columns"));
    const auto results = engine->check({{0.0, 0.0}, {0.0, 0.0}}, {{-1.0, 0.5}, {0.5, 0.2}});
    REQUIRE(results && results->size() == 2 && (*results)[1].verdict == FC_CONTACT);
    const auto interrupted = engine->check(fc::Rows(), fc::Rows(), [](std::uint64_t, std::uint64_t) { return false; });
    REQUIRE(!interrupted && interrupted.error().kind() == FC_INTERRUPTED);
    const auto stats = engine->stream([](fc::Rows &, fc::Rows &) { return false; },
                                      [](std::uint64_t, const fc::Answer &) { return true; });
    REQUIRE(stats && stats->motions == 0);
    std::puts("passed");
    return 0;
}
