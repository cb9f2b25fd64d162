/* Makes and frees engines, robots, scenes and results: engines FOLDER N. Prints the resident memory, KiB, after a tenth
   of them, and at the end. */

#include <firstcontact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(FcStatus status) {
    if (status != FC_OK) {
        fprintf(stderr, "%s\n", fc_error_message());
        exit(1);
    }
}

static long resident_kib(void) {
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        sscanf(line, "VmRSS: %ld kB", &kib);
    }
    if (status) {
        fclose(status);
    }
    return kib;
}

int main(int argc, char **argv) {
    char urdf[4096], mesh[4096];
    const double start[2] = {-0.5, 0.5}, end[2] = {0.6, 0.0};
    FcRows from = fc_rows(start, 1, 2), to = fc_rows(end, 1, 2);
    if (argc != 3) {
        return 2;
    }
    snprintf(urdf, sizeof urdf, "%s/arm.urdf", argv[1]);
    snprintf(mesh, sizeof mesh, "%s/table.obj", argv[1]);
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++) {
        FcRobot *robot;
        FcScene *scene;
        FcOptions *options;
        FcEngine *engine, *other;
        FcResults *results;
        FcAnswers answers;
        FcText line;
        check(fc_options_new(&options));
        check(fc_options_set_device(options, "cpu"));
        check(fc_options_set_self_collision(options, FC_SELF_COLLISION_ON));
        check(fc_robot_from_files(urdf, NULL, NULL, &robot));
        check(fc_scene_from_file(mesh, NULL, &scene));
        check(fc_engine_new(robot, scene, options, &engine));
        check(fc_engine_with_scene(engine, scene, &other));
        check(fc_engine_free(engine));
        check(fc_engine_check(other, &from, &to, NULL, &results));
        check(fc_results_answers(results, &answers));
        check(fc_results_line(results, 0, 0, &line));
        if (answers.length != 1 || answers.data->verdict != FC_CONTACT || line.data[0] != '{') {
            return 3;
        }
        check(fc_results_free(results));
        check(fc_engine_free(other));
        check(fc_scene_free(scene));
        check(fc_robot_free(robot));
        check(fc_options_free(options));
        if (i + 1 == n / 10 || i + 1 == n) {
            printf("%ld\n", resident_kib());
        }
    }
    return 0;
}
