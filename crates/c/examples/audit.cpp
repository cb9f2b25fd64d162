// Audits a plan before a robot executes it: audit [FOLDER], where FOLDER has arm.urdf and table.obj. The plan is
// checked as the joint trajectory controller of ROS 2 executes it, with a tolerance for its following error and with a
// box in the gripper; free plans get their clearance and a certificate.

#include <firstcontact.hpp>

#include <cstdio>

namespace fc = firstcontact;

int main(int argc, char **argv) try {
    const std::string folder = argc > 1 ? argv[1] : "examples/arm";
    fc::Options options;
    options.device = "cpu";
    options.self_collision = FC_SELF_COLLISION_ON;
    options.certificates = true;
    const fc::Engine empty = fc::Engine::make(fc::Robot::from_files(folder + "/arm.urdf"),
                                              fc::Scene::from_file(folder + "/table.obj"), options);

    // The box is a shape of a scene of its own, whose triangles are attached to the forearm.
    fc::Scene shapes = fc::Scene::empty();
    shapes.add_shape("box", FC_SHAPE_BOX, {0.06, 0.06, 0.06});
    fc::Attached box;
    box.name = "box";
    box.link = "forearm";
    box.vertices = shapes.triangles(0);
    box.pose = fc::Pose::translation(0.5, 0.0, 0.0);
    box.touch_links = {"forearm"};
    const fc::Engine engine = empty.with_attached(box);

    // Seconds, radians, radians per second: rest, through a point, rest.
    const fc::Row times{0.0, 1.0, 2.5};
    const fc::Rows positions{{-1.0, 0.5}, {-0.6, 0.4}, {-0.5, 0.9}};
    const fc::Rows velocities{{0.0, 0.0}, {0.2, 0.1}, {0.0, 0.0}};
    const fc::Trajectory plan = fc::Trajectory::from_points(times, positions, velocities);

    const double following_error[2] = {0.002, 0.002};
    const fc::Results results = engine.check(plan, following_error);
    const fc::Answer &answer = results[0];
    if (answer.verdict != FC_FREE) {
        std::printf("not to be executed: clear until %.3f s\n", answer.time_s[0]);
        return 2;
    }
    const fc::Clearances clearances = engine.clearance(plan, 1e-4);
    const FcClearance &clearance = clearances[0];
    std::printf("may be executed: clearance at least %.4f m, at most %.4f m in segment %lld\n", clearance.distance_m[0],
                clearance.distance_m[1], static_cast<long long>(clearance.segment));
    if (results.write_certificates("/dev/null") == 0) {
        std::printf("the answer is certified\n");
    }
    return 0;
} catch (const fc::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
