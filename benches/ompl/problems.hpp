// Planning problems of MotionBenchMaker for the Panda, as triangles: the same as in benches/python/problems.py.

#ifndef PROBLEMS_HPP
#define PROBLEMS_HPP

#include <firstcontact.hpp>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace problems {

namespace fc = firstcontact;

// The joints that move, and the values of the others.
inline const std::vector<std::string> joints{"panda_joint1", "panda_joint2", "panda_joint3", "panda_joint4",
                                             "panda_joint5", "panda_joint6", "panda_joint7"};
inline const std::vector<std::pair<std::string, double>> fixed{{"panda_finger_joint1", 0.04}};

// A closed mesh in the world.
struct Mesh {
    std::string name;
    std::vector<std::array<double, 3>> vertices;
    std::vector<std::array<std::uint32_t, 3>> faces;
};

struct Problem {
    // Kind and number, such as box/0017.
    std::string name;
    std::vector<Mesh> meshes;
    // Pairs of links that are never tested.
    std::vector<std::pair<std::string, std::string>> allowed;
    // Values of the joints, radians.
    std::vector<double> start, goal;

    fc::Engine engine(const fc::Robot &robot, FcMode mode) const {
        fc::Scene scene = fc::Scene::empty();
        for (const Mesh &mesh : meshes) {
            scene.add_mesh(mesh.name, mesh.vertices, mesh.faces);
        }
        const auto links = robot.links();
        const auto is_link = [&](const std::string &name) {
            return std::find(links.begin(), links.end(), name) != links.end();
        };
        fc::Options options;
        options.device = "cpu";
        options.threads = 1;
        options.mode = mode;
        options.self_collision = FC_SELF_COLLISION_ON;
        for (const auto &pair : allowed) {
            if (is_link(pair.first) && is_link(pair.second)) {
                options.allow.push_back(pair);
            }
        }
        return fc::Engine::make(robot, std::move(scene), options);
    }

    // A configuration of the robot with these values of the joints.
    static std::vector<double> configuration(const fc::Engine &engine, const std::vector<double> &values) {
        std::vector<double> all(engine.n_columns());
        for (const auto &of : fixed) {
            all[engine.find_column(of.first)] = of.second;
        }
        for (std::size_t i = 0; i < joints.size(); i++) {
            all[engine.find_column(joints[i])] = values[i];
        }
        return all;
    }
};

namespace detail {

using Matrix = std::array<std::array<double, 3>, 3>;

inline Matrix rotation(std::vector<double> q) {
    const double norm = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    const double x = q[0] / norm, y = q[1] / norm, z = q[2] / norm, w = q[3] / norm;
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
             {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
             {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

inline Mesh box(const std::vector<double> &size) {
    Mesh mesh;
    for (int i = 0; i < 8; i++) {
        mesh.vertices.push_back(
            {(i & 4 ? 0.5 : -0.5) * size[0], (i & 2 ? 0.5 : -0.5) * size[1], (i & 1 ? 0.5 : -0.5) * size[2]});
    }
    const std::uint32_t sides[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                       {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    for (const auto &side : sides) {
        mesh.faces.push_back({side[0], side[1], side[2]});
        mesh.faces.push_back({side[0], side[2], side[3]});
    }
    return mesh;
}

// A prism of 32 sides around the cylinder, with its axis along z.
inline Mesh cylinder(double height, double radius) {
    constexpr std::uint32_t sides = 32;
    const double pi = std::acos(-1.0);
    Mesh mesh;
    for (const double z : {-height / 2, height / 2}) {
        for (std::uint32_t i = 0; i < sides; i++) {
            const double angle = 2 * pi * i / sides, outer = radius / std::cos(pi / sides);
            mesh.vertices.push_back({outer * std::cos(angle), outer * std::sin(angle), z});
        }
    }
    for (std::uint32_t i = 0; i < sides; i++) {
        const std::uint32_t j = (i + 1) % sides;
        mesh.faces.push_back({i, j, j + sides});
        mesh.faces.push_back({i, j + sides, i + sides});
        if (0 < i && i < sides - 1) {
            mesh.faces.push_back({0, j, i});
            mesh.faces.push_back({sides, i + sides, j + sides});
        }
    }
    return mesh;
}

inline Problem read(const std::string &name, const std::filesystem::path &scene_file,
                    const std::filesystem::path &request_file) {
    const YAML::Node scene = YAML::LoadFile(scene_file), request = YAML::LoadFile(request_file);
    Problem problem;
    problem.name = name;
    const auto matrix = scene["allowed_collision_matrix"];
    const auto names = matrix["entry_names"].as<std::vector<std::string>>();
    const auto rows = matrix["entry_values"].as<std::vector<std::vector<bool>>>();
    for (std::size_t i = 0; i < names.size(); i++) {
        for (std::size_t j = 0; j < i; j++) {
            if (rows[i][j]) {
                problem.allowed.emplace_back(names[i], names[j]);
            }
        }
    }
    for (const auto &object : scene["world"]["collision_objects"]) {
        for (std::size_t i = 0; i < object["primitives"].size(); i++) {
            const auto shape = object["primitives"][i], pose = object["primitive_poses"][i];
            const auto size = shape["dimensions"].as<std::vector<double>>();
            const auto at = pose["position"].as<std::vector<double>>();
            const Matrix turn = rotation(pose["orientation"].as<std::vector<double>>());
            Mesh mesh = shape["type"].as<std::string>() == "box" ? box(size) : cylinder(size[0], size[1]);
            mesh.name = object["id"].as<std::string>();
            for (auto &v : mesh.vertices) {
                const auto own = v;
                for (std::size_t k = 0; k < 3; k++) {
                    v[k] = turn[k][0] * own[0] + turn[k][1] * own[1] + turn[k][2] * own[2] + at[k];
                }
            }
            problem.meshes.push_back(std::move(mesh));
        }
    }
    const auto state = request["start_state"]["joint_state"];
    const auto state_names = state["name"].as<std::vector<std::string>>();
    const auto positions = state["position"].as<std::vector<double>>();
    const auto constraints = request["goal_constraints"][0]["joint_constraints"];
    for (const std::string &joint : joints) {
        const auto found = std::find(state_names.begin(), state_names.end(), joint) - state_names.begin();
        problem.start.push_back(positions.at(static_cast<std::size_t>(found)));
        for (const auto &of : constraints) {
            if (of["joint_name"].as<std::string>() == joint) {
                problem.goal.push_back(of["position"].as<double>());
            }
        }
    }
    return problem;
}

}  // namespace detail

// The files of all problems in a folder: the first of each kind before the second of any.
inline std::vector<std::array<std::string, 3>> files(const std::filesystem::path &folder) {
    std::vector<std::array<std::string, 3>> all;
    for (const auto &kind : std::filesystem::directory_iterator(folder)) {
        const std::string kind_name = kind.path().filename();
        for (const auto &file : std::filesystem::directory_iterator(kind)) {
            const std::string name = file.path().filename();
            if (name.rfind("scene", 0) == 0) {
                const std::string number = name.substr(5, 4);
                all.push_back({number, kind_name, file.path()});
            }
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

// Calls a function with the first n problems of a folder whose start and goal are free, until it returns false.
template <class Take>
void usable(const std::filesystem::path &folder, const fc::Robot &robot, int n, Take take) {
    for (const auto &file : files(folder)) {
        if (n == 0) {
            return;
        }
        const std::filesystem::path scene = file[2];
        const std::string kind = file[1].substr(0, file[1].rfind("_panda"));
        const Problem problem =
            detail::read(kind + "/" + file[0], scene, scene.parent_path() / ("request" + file[0] + ".yaml"));
        const fc::Engine engine = problem.engine(robot, FC_MODE_TOC);
        const fc::Rows ends(
            {Problem::configuration(engine, problem.start), Problem::configuration(engine, problem.goal)});
        if (engine.check(ends, ends).all_free()) {
            n--;
            take(problem);
        }
    }
}

}  // namespace problems

#endif  // PROBLEMS_HPP
