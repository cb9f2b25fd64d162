// The program answers.c through the interface for C++: the same arguments, the same files.

#include <firstcontact.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>

namespace fc = firstcontact;

namespace {

std::vector<double> read_numbers(const std::string &file, std::size_t n) {
    std::vector<double> numbers(n);
    std::ifstream from(file, std::ios::binary);
    if (!from.read(reinterpret_cast<char *>(numbers.data()), static_cast<std::streamsize>(n * sizeof(double)))) {
        throw std::runtime_error(file + " cannot be read");
    }
    return numbers;
}

using Wishes = std::map<std::string, std::string>;

fc::Options options_of(const Wishes &wishes) {
    const auto number = [&](const char *key) {
        const auto found = wishes.find(key);
        return found == wishes.end() ? std::optional<double>() : std::stod(found->second);
    };
    const auto choice = [&](const char *key) {
        const auto found = wishes.find(key);
        return found == wishes.end() ? std::optional<std::int32_t>() : std::stoi(found->second);
    };
    fc::Options options;
    options.device = wishes.count("device") ? wishes.at("device") : "cpu";
    options.margin_m = number("margin");
    options.tolerance = number("tolerance");
    options.mode = choice("mode");
    options.initial = choice("initial");
    options.solids = choice("solids");
    options.self_collision = choice("self_collision");
    options.all_contacts = choice("all_contacts").value_or(0) != 0;
    options.threads = static_cast<std::size_t>(choice("threads").value_or(0));
    options.certificates = wishes.count("certificates") != 0;
    return options;
}

// Checks motions in portions of seven, and writes the numbers that a comparison needs.
void stream(const fc::Engine &engine, const double *numbers, std::size_t n_motions, std::size_t n_columns,
            const std::string &out) {
    std::FILE *to = std::fopen(out.c_str(), "w");
    std::size_t next = 0;
    const auto stride = static_cast<std::ptrdiff_t>(2 * n_columns);
    const auto source = [&](fc::Rows &starts, fc::Rows &ends) {
        const std::size_t some = std::min<std::size_t>(n_motions - next, 7);
        const double *first = numbers + 2 * n_columns * next;
        starts = fc::Rows(first, some, n_columns, stride, 1);
        ends = fc::Rows(first + n_columns, some, n_columns, stride, 1);
        next += some;
        return some > 0;
    };
    const FcStats stats = engine.stream(source, [&](std::uint64_t motion, const fc::Answer &answer) {
        std::fprintf(to, "%llu %d %.17g %.17g %d\n", static_cast<unsigned long long>(motion), answer.verdict,
                     std::isnan(answer.toc[0]) ? -1.0 : answer.toc[0], answer.clear_until, answer.contact.object);
        return true;
    });
    std::fclose(to);
    if (stats.motions != n_motions) {
        throw std::runtime_error("motions are missing");
    }
}

fc::Trajectory path_of(const std::string &what, const double *first, std::size_t n, std::size_t n_columns,
                       std::size_t n_joints) {
    if (what == "waypoints") {
        return fc::Trajectory::from_waypoints(fc::Rows(first, n, n_columns));
    }
    std::vector<double> times;
    for (std::size_t k = 0; k < n; k++) {
        times.push_back(first[k * n_columns]);
    }
    const auto stride = static_cast<std::ptrdiff_t>(n_columns);
    return fc::Trajectory::from_points(times, fc::Rows(first + 1, n, n_joints, stride, 1),
                                       fc::Rows(first + 1 + n_joints, n, n_joints, stride, 1));
}

void run(int argc, char **argv) {
    const std::string what = argv[1], out = argv[7];
    const std::size_t n_rows = std::stoull(argv[5]), n_columns = std::stoull(argv[6]);
    const std::vector<double> numbers = read_numbers(argv[4], n_rows * n_columns);
    Wishes wishes;
    for (int i = 8; i < argc; i++) {
        const std::string text = argv[i];
        wishes[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    }
    const fc::Robot robot = fc::Robot::from_files(argv[2], wishes["srdf"]);
    const fc::Engine engine = fc::Engine::make(robot, fc::Scene::from_file(argv[3]), options_of(wishes));
    const std::size_t points = wishes.count("points") ? std::stoull(wishes["points"]) : 2;

    const auto stride = static_cast<std::ptrdiff_t>(2 * n_columns);
    const fc::Rows starts(numbers.data(), n_rows / 2, n_columns, stride, 1);
    const fc::Rows ends(numbers.data() + n_columns, n_rows / 2, n_columns, stride, 1);
    if (what == "stream") {
        stream(engine, numbers.data(), n_rows / 2, n_columns, out);
        return;
    }
    const auto check = [&]() -> fc::Results {
        if (what == "motions") {
            return engine.check(starts, ends);
        }
        if (what == "edges") {
            std::vector<std::array<std::uint32_t, 2>> edges;
            for (std::uint32_t i = 0; i < n_rows; i += 2) {
                edges.push_back({i, i + 1});
            }
            return engine.check_edges(fc::Rows(numbers.data(), n_rows, n_columns), edges);
        }
        std::vector<fc::Trajectory> paths;
        for (std::size_t i = 0; i < n_rows; i += points) {
            paths.push_back(path_of(what, numbers.data() + i * n_columns, points, n_columns, engine.n_columns()));
        }
        if (!wishes.count("joint_tolerance")) {
            return engine.check_trajectories(paths);
        }
        const std::vector<double> tolerance(engine.n_columns(), std::stod(wishes["joint_tolerance"]));
        return engine.check_trajectories(paths, tolerance);
    };
    const fc::Results results = check();
    results.write(out);
    const std::uint64_t n_without =
        wishes.count("certificates") ? results.write_certificates(wishes["certificates"]) : 0;
    std::cout << n_without << " without certificate\n";
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 8) {
        return 2;
    }
    try {
        run(argc, argv);
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    std::size_t n_living = 1;
    return fc_n_living(&n_living) == FC_OK && n_living == 0 ? 0 : 4;
}
