/* Calls in a thread with the stack that the header asks for: stack FOLDER BYTES. */

#include <firstcontact.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char urdf[4096], mesh[4096];

static void check(FcStatus status) {
    if (status != FC_OK) {
        fprintf(stderr, "%s\n", fc_error_message());
        exit(1);
    }
}

static void *work(void *argument) {
    static double starts[2000][2], ends[2000][2];
    FcRobot *robot;
    FcScene *scene;
    FcOptions *options;
    FcEngine *engine;
    FcResults *results;
    FcTrajectory *path;
    FcClearanceResults *clearances;
    FcText line;
    bool is_free;
    for (int i = 0; i < 2000; i++) {
        starts[i][0] = -0.3;
        ends[i][0] = 0.4 * i / 2000.0;
        ends[i][1] = 0.2;
    }
    FcRows from = fc_rows(starts[0], 2000, 2), to = fc_rows(ends[0], 2000, 2), points = fc_rows(ends[0], 3, 2);
    check(fc_robot_from_files(urdf, NULL, NULL, &robot));
    check(fc_scene_from_file(mesh, NULL, &scene));
    check(fc_options_new(&options));
    check(fc_options_set_device(options, "cpu"));
    check(fc_options_set_certificates(options, 1));
    check(fc_options_set_self_collision(options, FC_SELF_COLLISION_ON));
    check(fc_engine_new(robot, scene, options, &engine));
    check(fc_engine_is_free(engine, starts[0], ends[1999], 2, &is_free));
    check(fc_engine_check(engine, &from, &to, NULL, &results));
    check(fc_results_line(results, 0, 0, &line));
    check(fc_results_write_certificates(results, "/dev/null", NULL, NULL));
    check(fc_trajectory_from_waypoints(&points, NULL, &path));
    const FcTrajectory *paths[1] = {path};
    check(fc_engine_clearance(engine, paths, 1, 1e-4, INFINITY, NULL, &clearances));
    check(fc_clearance_results_free(clearances));
    check(fc_results_free(results));
    check(fc_trajectory_free(path));
    check(fc_engine_free(engine));
    check(fc_options_free(options));
    check(fc_scene_free(scene));
    check(fc_robot_free(robot));
    return argument;
}

int main(int argc, char **argv) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (argc != 3) {
        return 2;
    }
    snprintf(urdf, sizeof urdf, "%s/arm.urdf", argv[1]);
    snprintf(mesh, sizeof mesh, "%s/table.obj", argv[1]);
    if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, (size_t)atoll(argv[2])) ||
        pthread_create(&thread, &attributes, work, NULL) || pthread_join(thread, NULL)) {
        return 1;
    }
    puts("passed");
    return 0;
}
