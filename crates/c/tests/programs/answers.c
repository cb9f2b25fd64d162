/* Asks through the interface for C what the command line is asked, too:

     answers WHAT ROBOT SCENE NUMBERS ROWS COLUMNS OUT [KEY=VALUE…]

   NUMBERS is a file of float64, rows after rows. WHAT and the meaning of the rows:

     motions    start and end of each motion, alternating
     edges      the same, through indices of rows
     stream     the same, in portions of 7 motions
     waypoints  with points=N: N waypoints of each trajectory
     points     with points=N: N points of each trajectory, with the columns time, positions, velocities

   Writes lines of JSON into OUT, and certificates with certificates=FILE. */

#include <firstcontact.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(FcStatus status) {
    if (status != FC_OK) {
        fprintf(stderr, "%s\n", fc_error_message());
        exit(1);
    }
}

static double *read_numbers(const char *file, size_t n) {
    FILE *from = fopen(file, "rb");
    double *numbers = malloc((n ? n : 1) * sizeof *numbers);
    if (!from || !numbers || fread(numbers, sizeof *numbers, n, from) != n) {
        fprintf(stderr, "%s cannot be read\n", file);
        exit(1);
    }
    fclose(from);
    return numbers;
}

struct Wishes {
    const char *srdf, *certificates;
    double joint_tolerance;
    size_t points;
    FcOptions *options;
};

static void wish(struct Wishes *of, const char *key, const char *value) {
    if (strcmp(key, "srdf") == 0) {
        of->srdf = value;
    } else if (strcmp(key, "certificates") == 0) {
        of->certificates = value;
        check(fc_options_set_certificates(of->options, 1));
    } else if (strcmp(key, "device") == 0) {
        check(fc_options_set_device(of->options, value));
    } else if (strcmp(key, "joint_tolerance") == 0) {
        of->joint_tolerance = atof(value);
    } else if (strcmp(key, "points") == 0) {
        of->points = (size_t)atoi(value);
    } else if (strcmp(key, "margin") == 0) {
        check(fc_options_set_margin(of->options, atof(value)));
    } else if (strcmp(key, "tolerance") == 0) {
        check(fc_options_set_tolerance(of->options, atof(value)));
    } else if (strcmp(key, "mode") == 0) {
        check(fc_options_set_mode(of->options, atoi(value)));
    } else if (strcmp(key, "initial") == 0) {
        check(fc_options_set_initial(of->options, atoi(value)));
    } else if (strcmp(key, "solids") == 0) {
        check(fc_options_set_solids(of->options, atoi(value)));
    } else if (strcmp(key, "self_collision") == 0) {
        check(fc_options_set_self_collision(of->options, atoi(value)));
    } else if (strcmp(key, "all_contacts") == 0) {
        check(fc_options_set_all_contacts(of->options, atoi(value)));
    } else if (strcmp(key, "threads") == 0) {
        check(fc_options_set_threads(of->options, (size_t)atoi(value)));
    } else {
        fprintf(stderr, "no option is called %s\n", key);
        exit(2);
    }
}

struct Stream {
    FcRows starts, ends;
    size_t n, next;
    FILE *out;
};

static int32_t next_motions(void *user, FcRows *starts, FcRows *ends) {
    struct Stream *stream = user;
    size_t left = stream->n - stream->next, some = left < 7 ? left : 7;
    if (some == 0) {
        return 1;
    }
    *starts = stream->starts;
    *ends = stream->ends;
    starts->data += (ptrdiff_t)stream->next * starts->row_stride;
    ends->data += (ptrdiff_t)stream->next * ends->row_stride;
    starts->n_rows = ends->n_rows = some;
    stream->next += some;
    return 0;
}

/* Answers of streams have no lines of their own: the numbers that a comparison needs. */
static int32_t take_answer(void *user, uint64_t motion, const FcAnswer *answer) {
    struct Stream *stream = user;
    fprintf(stream->out, "%llu %d %.17g %.17g %d\n", (unsigned long long)motion, (int)answer->verdict,
            isnan(answer->toc[0]) ? -1.0 : answer->toc[0], answer->clear_until, (int)answer->contact.object);
    return 0;
}

int main(int argc, char **argv) {
    struct Wishes wishes = {NULL, NULL, 0.0, 2, NULL};
    if (argc < 8) {
        return 2;
    }
    const char *what = argv[1], *out = argv[7];
    size_t n_rows = (size_t)atoll(argv[5]), n_columns = (size_t)atoll(argv[6]);
    double *numbers = read_numbers(argv[4], n_rows * n_columns);
    check(fc_options_new(&wishes.options));
    check(fc_options_set_device(wishes.options, "cpu"));
    for (int i = 8; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        *value = 0;
        wish(&wishes, argv[i], value + 1);
    }
    FcRobot *robot;
    FcScene *scene;
    FcEngine *engine;
    check(fc_robot_from_files(argv[2], wishes.srdf, NULL, &robot));
    check(fc_scene_from_file(argv[3], NULL, &scene));
    check(fc_engine_new_taking(robot, scene, wishes.options, &engine));
    check(fc_robot_free(robot));

    /* Starts are the even rows, ends the odd ones: nothing is copied. */
    FcRows starts = fc_rows(numbers, n_rows / 2, n_columns), ends = fc_rows(numbers + n_columns, n_rows / 2, n_columns);
    starts.row_stride = ends.row_stride = 2 * (ptrdiff_t)n_columns;
    FcResults *results = NULL;
    if (strcmp(what, "motions") == 0) {
        check(fc_engine_check(engine, &starts, &ends, NULL, &results));
    } else if (strcmp(what, "edges") == 0) {
        FcRows vertices = fc_rows(numbers, n_rows, n_columns);
        uint32_t *edges = malloc((n_rows + 1) * sizeof *edges);
        for (size_t i = 0; i < n_rows; i++) {
            edges[i] = (uint32_t)i;
        }
        FcIndices indices = fc_indices(edges, n_rows / 2, 2);
        check(fc_engine_check_edges(engine, &vertices, &indices, NULL, &results));
        free(edges);
    } else if (strcmp(what, "stream") == 0) {
        struct Stream stream = {starts, ends, n_rows / 2, 0, fopen(out, "w")};
        FcStats stats;
        check(fc_engine_stream(engine, next_motions, take_answer, &stream, &stats));
        fclose(stream.out);
        if (stats.motions != n_rows / 2) {
            return 3;
        }
    } else {
        size_t n = n_rows / wishes.points, n_joints = 0;
        FcTrajectory **paths = malloc(n * sizeof *paths);
        check(fc_engine_n_columns(engine, &n_joints));
        double *tolerance = malloc(n_joints * sizeof *tolerance), *times = malloc(wishes.points * sizeof *times);
        for (size_t i = 0; i < n_joints; i++) {
            tolerance[i] = wishes.joint_tolerance;
        }
        for (size_t i = 0; i < n; i++) {
            double *first = numbers + i * wishes.points * n_columns;
            if (strcmp(what, "waypoints") == 0) {
                FcRows waypoints = fc_rows(first, wishes.points, n_columns);
                check(fc_trajectory_from_waypoints(&waypoints, NULL, &paths[i]));
                continue;
            }
            FcRows positions = {first + 1, wishes.points, n_joints, (ptrdiff_t)n_columns, 1}, velocities = positions;
            velocities.data += n_joints;
            for (size_t k = 0; k < wishes.points; k++) {
                times[k] = first[k * n_columns];
            }
            check(fc_trajectory_from_points(times, &positions, &velocities, NULL, &paths[i]));
        }
        check(fc_engine_check_trajectories(engine, (const FcTrajectory *const *)paths, n,
                                           wishes.joint_tolerance > 0.0 ? tolerance : NULL, n_joints, NULL, &results));
        for (size_t i = 0; i < n; i++) {
            check(fc_trajectory_free(paths[i]));
        }
        free(paths);
        free(tolerance);
        free(times);
    }
    /* Results do not need the engine. */
    check(fc_engine_free(engine));
    check(fc_options_free(wishes.options));
    free(numbers);
    if (results) {
        uint64_t n_without = 0;
        check(fc_results_write(results, out, 0));
        if (wishes.certificates) {
            check(fc_results_write_certificates(results, wishes.certificates, NULL, &n_without));
        }
        printf("%llu without certificate\n", (unsigned long long)n_without);
    }
    check(fc_results_free(results));
    size_t n_living = 1;
    check(fc_n_living(&n_living));
    return n_living == 0 ? 0 : 4;
}
