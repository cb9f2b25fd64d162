// Checks some motions of an arm above a table: first_check [FOLDER], where FOLDER has arm.urdf and table.obj.

#include <firstcontact.hpp>

#include <cstdio>

namespace fc = firstcontact;

static void print(const fc::Engine &engine, std::size_t motion, const fc::Answer &answer) {
    switch (answer.verdict) {
    case FC_FREE:
        std::printf("motion %zu is free\n", motion);
        break;
    case FC_CONTACT: {
        const std::string link = engine.links()[static_cast<std::size_t>(answer.contact.link)];
        const std::string object = engine.objects()[static_cast<std::size_t>(answer.contact.object)];
        std::printf("motion %zu: %s touches %s at %.6f, free before\n", motion, link.c_str(), object.c_str(),
                    answer.toc[0]);
        break;
    }
    default:
        std::printf("motion %zu is clear until %g\n", motion, answer.clear_until);
    }
}

int main(int argc, char **argv) try {
    const std::string folder = argc > 1 ? argv[1] : "examples/arm";
    fc::Options options;
    options.margin_m = 0.005;
    options.device = "cpu";
    const fc::Robot robot = fc::Robot::from_files(folder + "/arm.urdf");
    const fc::Engine engine = fc::Engine::make(robot, fc::Scene::from_file(folder + "/table.obj"), options);

    // Columns are the joints in this order, radians.
    std::size_t column = 0;
    for (const std::string &name : engine.columns()) {
        std::printf("column %zu is %s\n", column++, name.c_str());
    }

    // All motions begin at the same configuration.
    const double start[2] = {0.0, 0.0};
    const fc::Rows ends{{-1.0, 0.5}, {0.5, 0.2}, {0.9, 0.0}};
    const fc::Results results = engine.check(fc::Rows::repeated(start, 2, ends.n_rows()), ends);
    std::size_t motion = 0;
    for (const fc::Answer &answer : results) {
        print(engine, motion++, answer);
    }
    std::printf("%s\n", results.line(1, 1).c_str());

    // One motion: the quickest call.
    std::printf("%s\n", engine.is_free(start, {-1.0, 0.5}) ? "yes" : "no");
    return 0;
} catch (const fc::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
