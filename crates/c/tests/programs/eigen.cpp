// Matrices, vectors and transforms of Eigen: eigen FOLDER, where FOLDER has arm.urdf and table.obj.

#include <Eigen/Geometry>
#include <firstcontact.hpp>

#include <cstring>

#include "require.hpp"

namespace fc = firstcontact;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

int main(int argc, char **argv) {
    REQUIRE(argc == 2);
    const std::string folder = argv[1];
    fc::Options options;
    options.device = "cpu";
    const fc::Robot robot = fc::Robot::from_files(folder + "/arm.urdf");
    const fc::Engine engine = fc::Engine::make(robot, fc::Scene::from_file(folder + "/table.obj"), options);

    const Eigen::MatrixXd starts = Eigen::MatrixXd::Random(100, 2), ends = Eigen::MatrixXd::Random(100, 2);
    const RowMajor by_rows = starts;
    const fc::Results results = engine.check(starts, ends);
    const fc::Results same = engine.check(by_rows, ends);
    // Blocks, maps, and a transposed matrix whose columns are configurations.
    Eigen::MatrixXd wide(100, 5);
    wide.middleCols(2, 2) = starts;
    const fc::Results of_block = engine.check(wide.middleCols(2, 2), ends);
    const Eigen::MatrixXd columns = starts.transpose();
    const fc::Results of_transposed = engine.check(columns.transpose(), ends);
    const fc::Results of_map = engine.check(Eigen::Map<const RowMajor>(by_rows.data(), 100, 2), ends);
    REQUIRE(results.size() == 100 && !results.all_free() && results.stats().free > 0);
    for (std::size_t i = 0; i < 100; i++) {
        const std::string line = results.line(i, i);
        REQUIRE(line == same.line(i, i) && line == of_block.line(i, i) && line == of_map.line(i, i));
        REQUIRE(line == of_transposed.line(i, i));
        // Single configurations: a row with gaps, a row without, a vector.
        const auto k = static_cast<Eigen::Index>(i);
        const bool is_free = results[i].verdict == FC_FREE;
        const Eigen::VectorXd from = starts.row(k), to = ends.row(k);
        const Eigen::Vector2d fixed = from;
        REQUIRE(engine.is_free(starts.row(k), ends.row(k)) == is_free);
        REQUIRE(engine.is_free(by_rows.row(k), to) == is_free && engine.is_free(fixed, to) == is_free);
    }

    // A matrix is not a row.
    REQUIRE_ERROR(FC_USAGE, "", (void)engine.is_free(starts, ends));

    Eigen::Matrix<std::uint32_t, Eigen::Dynamic, 2> edges(2, 2);
    edges << 0, 1, 2, 3;
    Eigen::MatrixXi with_sign = edges.cast<int>();
    REQUIRE(engine.check_edges(starts, edges).line(1, 0) == engine.check_edges(starts, with_sign).line(1, 0));
    with_sign(1, 1) = -3;
    REQUIRE_ERROR(FC_USAGE, "edge 1", (void)engine.check_edges(starts, with_sign));
    REQUIRE_ERROR(FC_USAGE, "5 columns", (void)engine.check(wide, wide));

    const Eigen::Isometry3d pose(Eigen::Translation3d(1.0, 2.0, 3.0) *
                                 Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitY()));
    REQUIRE(fc::Pose(pose).as<Eigen::Isometry3d>().isApprox(pose, 0.0));
    REQUIRE(fc::Pose(Eigen::Matrix4d(pose.matrix())).as<Eigen::Affine3d>().isApprox(Eigen::Affine3d(pose), 0.0));
    // The arm stretched out and turned down by a quarter.
    const std::vector<fc::Pose> poses = engine.link_poses(Eigen::Vector2d(std::acos(0.0), 0.0));
    const Eigen::Vector3d elbow = poses[2].as<Eigen::Isometry3d>().translation();
    REQUIRE((elbow - Eigen::Vector3d(0.0, 0.0, 0.05)).norm() < 1e-12);

    fc::Scene scene = fc::Scene::empty();
    Eigen::Matrix<double, 3, 3> triangle;
    triangle << 0, 0, 0, 1, 0, 0, 0, 1, 0;
    scene.add_mesh("triangle", triangle, pose);
    const fc::Rows placed = scene.triangles(0);
    REQUIRE(std::fabs(placed(1, 0) - (1.0 + std::cos(0.5))) < 1e-15 && placed(2, 1) == 3.0);
    const Eigen::VectorXd times = Eigen::Vector2d(0.0, 1.0);
    REQUIRE(fc::Trajectory::from_waypoints(starts.topRows(2), times).n_segments() == 1);
    std::puts("passed");
    return 0;
}
