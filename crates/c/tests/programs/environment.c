/* Callers that change the floating-point environment: environment FOLDER. Answers are those of the default environment,
   and the caller's stays. */

#define _GNU_SOURCE
#include <fenv.h>
#include <firstcontact.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400 };

static char urdf[4096], mesh[4096];
static double starts[N][2], ends[N][2];

static void check(FcStatus status) {
    if (status != FC_OK) {
        fprintf(stderr, "%s\n", fc_error_message());
        exit(1);
    }
}

static void require(int is_true, const char *what) {
    if (!is_true) {
        fprintf(stderr, "not true: %s\n", what);
        exit(1);
    }
}

/* The rounding of sums of SSE: fegetround of glibc reads the control word of the x87 unit. */
static int rounding_of_sums(void) {
    volatile double one = 1.0, tiny = 1e-30;
    volatile double above = one + tiny, below = one - tiny, opposite = -one - tiny;
    if (above > one) {
        return FE_UPWARD;
    }
    if (opposite < -one) {
        return FE_DOWNWARD;
    }
    return below < one ? FE_TOWARDZERO : FE_TONEAREST;
}

static int32_t with_own_rounding(void *user, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    require(rounding_of_sums() == *(int *)user, "callbacks have the caller's rounding");
    return 0;
}

/* All answers as lines, by an engine that is made, used and freed here. */
static char *lines(int rounding) {
    FcRobot *robot;
    FcScene *scene;
    FcOptions *options;
    FcEngine *engine;
    FcResults *results;
    FcControl control = {with_own_rounding, &rounding};
    FcRows from = fc_rows(starts[0], N, 2), to = fc_rows(ends[0], N, 2);
    char *all = calloc(N, 1024), *next = all;
    check(fc_robot_from_files(urdf, NULL, NULL, &robot));
    check(fc_scene_from_file(mesh, NULL, &scene));
    check(fc_options_new(&options));
    check(fc_options_set_device(options, "cpu"));
    check(fc_options_set_threads(options, 2));
    check(fc_options_set_margin(options, 0.01));
    check(fc_engine_new(robot, scene, options, &engine));
    check(fc_engine_check(engine, &from, &to, &control, &results));
    for (size_t i = 0; i < N; i++) {
        FcText line;
        check(fc_results_line(results, i, i, &line));
        require(line.length < 1000, "lines are short");
        memcpy(next, line.data, line.length);
        next += line.length;
    }
    check(fc_results_free(results));
    check(fc_engine_free(engine));
    check(fc_options_free(options));
    check(fc_scene_free(scene));
    check(fc_robot_free(robot));
    return all;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    snprintf(urdf, sizeof urdf, "%s/arm.urdf", argv[1]);
    snprintf(mesh, sizeof mesh, "%s/table.obj", argv[1]);
    srand(1);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 2; k++) {
            starts[i][k] = rand() / (double)RAND_MAX - 0.5;
            ends[i][k] = rand() / (double)RAND_MAX - 0.5;
        }
    }
    char *expected = lines(FE_TONEAREST);
    const int roundings[3] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        require(fesetround(roundings[i]) == 0, "rounding is set");
        char *other = lines(roundings[i]);
        require(rounding_of_sums() == roundings[i], "the caller's rounding stays");
        fesetround(FE_TONEAREST);
        require(strcmp(expected, other) == 0, "rounding changes no answer");
        free(other);
    }
#ifdef __GLIBC__
    /* Operations that would end this program by a signal. */
    int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
    if (feenableexcept(traps) != -1) {
        char *other = lines(FE_TONEAREST);
        require((fegetexcept() & traps) == traps, "the caller's traps stay");
        fedisableexcept(traps);
        require(strcmp(expected, other) == 0, "traps change no answer");
        free(other);
    }
#endif
    free(expected);
    puts("passed");
    return 0;
}
