/* Bad input through every function: each call is an error with a message of its own, and leaves the outputs alone.
   bad_input FOLDER, where FOLDER has arm.urdf and table.obj. */

#include <firstcontact.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_calls = 0;

/* Requires that a call failed with a status, and a message of one line with a text in it. */
static void expect_at(int line, FcStatus status, FcStatus want, const char *text) {
    const char *message = fc_error_message();
    n_calls++;
    if (status != want || !strstr(message, text) || strchr(message, '\n')) {
        fprintf(stderr, "line %d: status %d instead of %d, \"%s\" lacks \"%s\"\n", line, status, want, message, text);
        exit(1);
    }
}

static void check_at(int line, bool is_true) {
    if (!is_true) {
        fprintf(stderr, "line %d: not true; the last error is \"%s\"\n", line, fc_error_message());
        exit(1);
    }
}

#define EXPECT(call, status, text) expect_at(__LINE__, call, status, text)
#define USAGE(call, text)          EXPECT(call, FC_USAGE, text)
#define INPUT(call, text)          EXPECT(call, FC_INPUT, text)
#define CHECK(condition)           check_at(__LINE__, condition)
#define OK(call)                   CHECK((call) == FC_OK)

/* A pointer that is not aligned for numbers. */
#define CROOKED(type) ((type *)((char *)bytes + 1))
static double bytes[64];

/* Objects of all kinds: good ones, and handles of which the objects are freed. */
static FcRobot *robot, *freed_robot;
static FcScene *scene, *freed_scene;
static FcOptions *options, *freed_options;
static FcLoadOptions *reading, *freed_reading;
static FcEngine *engine, *freed_engine;
static FcResults *results, *freed_results;
static FcTrajectory *path, *freed_path;
static FcClearanceResults *clearances, *freed_clearances;
static char urdf[4096], mesh[4096];

static const double zero[2] = {0.0, 0.0}, some[2] = {0.2, 0.1}, nan_row[2] = {0.0, NAN}, huge_row[2] = {1e300, 0.0};
static const double three[3] = {0.0, 0.0, 0.0};

static FcEngine *make_engine(void) {
    FcEngine *made;
    OK(fc_engine_new(robot, scene, options, &made));
    return made;
}

static void make(void) {
    FcRows rows = fc_rows(zero, 1, 2);
    OK(fc_robot_from_files(urdf, NULL, NULL, &robot));
    OK(fc_robot_from_files(urdf, NULL, NULL, &freed_robot));
    OK(fc_robot_free(freed_robot));
    OK(fc_scene_from_file(mesh, NULL, &scene));
    OK(fc_scene_new(&freed_scene));
    OK(fc_scene_free(freed_scene));
    OK(fc_options_new(&options));
    OK(fc_options_set_device(options, "cpu"));
    OK(fc_options_new(&freed_options));
    OK(fc_options_free(freed_options));
    OK(fc_load_options_new(&reading));
    OK(fc_load_options_new(&freed_reading));
    OK(fc_load_options_free(freed_reading));
    engine = make_engine();
    freed_engine = make_engine();
    OK(fc_engine_free(freed_engine));
    OK(fc_engine_check(engine, &rows, &rows, NULL, &results));
    OK(fc_engine_check(engine, &rows, &rows, NULL, &freed_results));
    OK(fc_results_free(freed_results));
    OK(fc_trajectory_from_waypoints(&rows, NULL, &path));
    OK(fc_trajectory_from_waypoints(&rows, NULL, &freed_path));
    OK(fc_trajectory_free(freed_path));
    const FcTrajectory *paths[1] = {path};
    OK(fc_engine_clearance(engine, paths, 1, 1e-3, INFINITY, NULL, &clearances));
    OK(fc_engine_clearance(engine, paths, 1, 1e-3, INFINITY, NULL, &freed_clearances));
    OK(fc_clearance_results_free(freed_clearances));
}

static void frees(void) {
    /* Null is not an error; twice is. */
    OK(fc_robot_free(NULL));
    OK(fc_scene_free(NULL));
    OK(fc_options_free(NULL));
    OK(fc_load_options_free(NULL));
    OK(fc_engine_free(NULL));
    OK(fc_results_free(NULL));
    OK(fc_trajectory_free(NULL));
    OK(fc_clearance_results_free(NULL));
    USAGE(fc_robot_free(freed_robot), "freed already");
    USAGE(fc_scene_free(freed_scene), "freed already");
    USAGE(fc_options_free(freed_options), "freed already");
    USAGE(fc_load_options_free(freed_reading), "freed already");
    USAGE(fc_engine_free(freed_engine), "freed already");
    USAGE(fc_results_free(freed_results), "freed already");
    USAGE(fc_trajectory_free(freed_path), "freed already");
    USAGE(fc_clearance_results_free(freed_clearances), "freed already");
    /* Handles of another kind, and inventions. */
    USAGE(fc_robot_free((FcRobot *)scene), "not a handle of a robot");
    USAGE(fc_engine_free((FcEngine *)(void *)bytes), "not a handle of a engine");
    USAGE(fc_n_living(NULL), "n is null");
    USAGE(fc_n_living(CROOKED(size_t)), "not aligned");
}

static void robots(void) {
    FcRobot *no = NULL;
    const char *text = "as before";
    size_t n = 77;
    double limits[2] = {5.0, 6.0}, values[2] = {5.0, 6.0};
    FcColumnKind kind = 77;
    FcRows rows = fc_rows(three, 1, 3);
    USAGE(fc_robot_from_files(NULL, NULL, NULL, &no), "urdf is null");
    USAGE(fc_robot_from_files(urdf, NULL, NULL, NULL), "robot is null");
    USAGE(fc_robot_from_files(urdf, NULL, freed_reading, &no), "load options");
    USAGE(fc_robot_from_files(urdf, NULL, (FcLoadOptions *)options, &no), "not a handle of a set of load options");
    INPUT(fc_robot_from_files("/nowhere/arm.urdf", NULL, NULL, &no), "/nowhere/arm.urdf");
    CHECK(strcmp(fc_error_file(), "/nowhere/arm.urdf") == 0 && fc_error_remedy() != text);
    INPUT(fc_robot_from_files(urdf, "/nowhere/arm.srdf", NULL, &no), "/nowhere/arm.srdf");
    INPUT(fc_robot_from_files(mesh, NULL, NULL, &no), "table.obj");
    USAGE(fc_robot_from_texts(NULL, NULL, NULL, NULL, &no), "urdf is null");
    USAGE(fc_robot_from_texts("\xff\xfe", NULL, NULL, NULL, &no), "not UTF-8");
    USAGE(fc_robot_from_texts("<robot/>", NULL, NULL, NULL, NULL), "robot is null");
    USAGE(fc_robot_from_texts("<robot/>", NULL, NULL, freed_reading, &no), "load options");
    INPUT(fc_robot_from_texts("<robot name='r'>", NULL, NULL, NULL, &no), "never closed");
    CHECK(no == NULL);

    const char *names[2] = {"left", "left"};
    const FcRobot *two[2] = {robot, robot};
    const FcRobot *bad[2] = {robot, freed_robot};
    USAGE(fc_robot_join(NULL, two, 2, &no), "names");
    USAGE(fc_robot_join(names, NULL, 2, &no), "robots");
    USAGE(fc_robot_join(names, bad, 2, &no), "entry 1 of robots");
    USAGE(fc_robot_join(names, two, 2, &no), "left");
    USAGE(fc_robot_join(names, two, 0, &no), "at least one robot");
    USAGE(fc_robot_join(names, two, SIZE_MAX, &no), "exceeds the address space");
    USAGE(fc_robot_join(names, two, 1, NULL), "robot is null");
    const char *with_null[2] = {"left", NULL};
    USAGE(fc_robot_join(with_null, two, 2, &no), "names is null");
    CHECK(no == NULL);

    USAGE(fc_robot_n_columns(NULL, &n), "the robot is null");
    USAGE(fc_robot_n_columns(freed_robot, &n), "freed already");
    USAGE(fc_robot_n_columns(robot, NULL), "n is null");
    USAGE(fc_robot_n_columns(robot, CROOKED(size_t)), "not aligned");
    USAGE(fc_robot_column_name(NULL, 0, &text), "the robot is null");
    USAGE(fc_robot_column_name(robot, 2, &text), "no column 2");
    USAGE(fc_robot_column_name(robot, SIZE_MAX, &text), "no column");
    USAGE(fc_robot_column_name(robot, 0, NULL), "name is null");
    USAGE(fc_robot_find_column(NULL, "elbow", &n), "the robot is null");
    USAGE(fc_robot_find_column(robot, NULL, &n), "name is null");
    USAGE(fc_robot_find_column(robot, "nose", &n), "nose");
    USAGE(fc_robot_find_column(robot, "elbow", NULL), "column is null");
    USAGE(fc_robot_column(NULL, 0, &kind, &limits), "the robot is null");
    USAGE(fc_robot_column(robot, 2, &kind, &limits), "no column 2");
    USAGE(fc_robot_column(robot, 0, &kind, (double(*)[2])CROOKED(double)), "not aligned");
    USAGE(fc_robot_n_links(NULL, &n), "the robot is null");
    USAGE(fc_robot_n_links(robot, NULL), "n is null");
    USAGE(fc_robot_link_name(NULL, 0, &text), "the robot is null");
    USAGE(fc_robot_link_name(robot, 99, &text), "no link 99");
    USAGE(fc_robot_link_name(robot, 0, NULL), "name is null");
    USAGE(fc_robot_link_triangles(NULL, 0, &rows), "the robot is null");
    USAGE(fc_robot_link_triangles(robot, 99, &rows), "no link 99");
    USAGE(fc_robot_link_triangles(robot, 0, NULL), "vertices is null");
    USAGE(fc_robot_warning(NULL, 0, &text), "the robot is null");
    USAGE(fc_robot_warning(robot, 99, &text), "no warning 99");
    USAGE(fc_robot_state(NULL, "home", values, 2), "the robot is null");
    USAGE(fc_robot_state(robot, NULL, values, 2), "state is null");
    USAGE(fc_robot_state(robot, "home", values, 3), "3 values");
    USAGE(fc_robot_state(robot, "home", NULL, 2), "values is null");
    USAGE(fc_robot_state(robot, "home", values, 2), "no SRDF");
    CHECK(n == 77 && kind == 77 && limits[0] == 5.0 && values[1] == 6.0 && strcmp(text, "as before") == 0);
    CHECK(rows.data == three);
}

static void scenes(void) {
    FcScene *no = NULL;
    size_t n = 77;
    const char *text = "as before";
    bool is_closed = true;
    const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double infinite[9] = {0, 0, 0, INFINITY, 0, 0, 0, 1, 0};
    const double pose[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, NAN};
    const uint32_t triangle[3] = {0, 1, 2}, beyond[3] = {0, 1, 3};
    FcRows vertices = fc_rows(corners, 3, 3), wide = fc_rows(corners, 2, 4), four = fc_rows(corners, 1, 3);
    FcRows endless = vertices, without = fc_rows(NULL, 3, 3), bad = fc_rows(infinite, 3, 3), view = four;
    FcIndices triangles = fc_indices(triangle, 1, 3), outside = fc_indices(beyond, 1, 3),
              pairs = fc_indices(triangle, 1, 2);
    endless.n_rows = SIZE_MAX / 64;
    endless.row_stride = 0;
    USAGE(fc_scene_new(NULL), "scene is null");
    USAGE(fc_scene_from_file(NULL, NULL, &no), "file is null");
    USAGE(fc_scene_from_file(mesh, NULL, NULL), "scene is null");
    USAGE(fc_scene_from_file(mesh, freed_reading, &no), "load options");
    INPUT(fc_scene_from_file("/nowhere/table.obj", NULL, &no), "/nowhere/table.obj");
    USAGE(fc_scene_add_mesh(NULL, "a", &vertices, &triangles, NULL, &n), "the scene is null");
    USAGE(fc_scene_add_mesh(freed_scene, "a", &vertices, &triangles, NULL, &n), "freed already");
    USAGE(fc_scene_add_mesh(scene, NULL, &vertices, &triangles, NULL, &n), "name is null");
    USAGE(fc_scene_add_mesh(scene, "a", NULL, &triangles, NULL, &n), "vertices is null");
    USAGE(fc_scene_add_mesh(scene, "a", &without, &triangles, NULL, &n), "is null");
    USAGE(fc_scene_add_mesh(scene, "a", &wide, &triangles, NULL, &n), "4 columns where 3");
    USAGE(fc_scene_add_mesh(scene, "a", &vertices, &pairs, NULL, &n), "2 columns where 3");
    USAGE(fc_scene_add_mesh(scene, "a", &vertices, &outside, NULL, &n), "triangle 0: index 3");
    USAGE(fc_scene_add_mesh(scene, "a", &four, NULL, NULL, &n), "not three for each");
    USAGE(fc_scene_add_mesh(scene, "a", &vertices, &triangles, pose, &n), "NaN");
    USAGE(fc_scene_add_mesh(scene, "a", &vertices, &triangles, NULL, CROOKED(size_t)), "not aligned");
    INPUT(fc_scene_add_mesh(scene, "a", &bad, &triangles, NULL, &n), "NaN or infinite");
    endless.n_rows -= endless.n_rows % 3;
    EXPECT(fc_scene_add_mesh(scene, "a", &endless, NULL, NULL, &n), FC_MEMORY, "not enough memory");
    USAGE(fc_scene_add_shape(NULL, "a", FC_SHAPE_SPHERE, corners + 3, 1, 1e-3, NULL, &n), "the scene is null");
    USAGE(fc_scene_add_shape(scene, NULL, FC_SHAPE_SPHERE, corners + 3, 1, 1e-3, NULL, &n), "name is null");
    USAGE(fc_scene_add_shape(scene, "a", 4, corners + 3, 1, 1e-3, NULL, &n), "FC_SHAPE_");
    USAGE(fc_scene_add_shape(scene, "a", -1, corners + 3, 1, 1e-3, NULL, &n), "FC_SHAPE_");
    USAGE(fc_scene_add_shape(scene, "a", FC_SHAPE_BOX, corners, 2, 1e-3, NULL, &n), "2 sizes");
    USAGE(fc_scene_add_shape(scene, "a", FC_SHAPE_BOX, NULL, 3, 1e-3, NULL, &n), "sizes_m");
    USAGE(fc_scene_add_shape(scene, "a", FC_SHAPE_SPHERE, corners + 3, 1, 1e-3, pose, &n), "NaN");
    INPUT(fc_scene_add_shape(scene, "a", FC_SHAPE_SPHERE, corners, 1, 1e-3, NULL, &n), "must be positive");
    INPUT(fc_scene_add_shape(scene, "a", FC_SHAPE_SPHERE, corners + 3, 1, NAN, NULL, &n), "must be positive");
    INPUT(fc_scene_add_shape(scene, "a", FC_SHAPE_SPHERE, corners + 3, 1, 1e-15, NULL, &n), "too many triangles");
    USAGE(fc_scene_n_objects(NULL, &n), "the scene is null");
    USAGE(fc_scene_n_objects(scene, NULL), "n is null");
    USAGE(fc_scene_object_name(NULL, 0, &text), "the scene is null");
    USAGE(fc_scene_object_name(scene, 99, &text), "no object 99");
    USAGE(fc_scene_object_name(scene, 0, NULL), "name is null");
    USAGE(fc_scene_object_triangles(NULL, 0, &view), "the scene is null");
    USAGE(fc_scene_object_triangles(scene, 99, &view), "no object 99");
    USAGE(fc_scene_object_triangles(scene, 0, NULL), "vertices is null");
    USAGE(fc_scene_object_is_closed(NULL, 0, &is_closed), "the scene is null");
    USAGE(fc_scene_object_is_closed(scene, 99, &is_closed), "no object 99");
    USAGE(fc_scene_object_is_closed(scene, 0, NULL), "is_closed is null");
    USAGE(fc_scene_warning(NULL, 0, &text), "the scene is null");
    USAGE(fc_scene_warning(scene, 99, &text), "no warning 99");
    CHECK(no == NULL && n == 77 && is_closed && view.data == corners && strcmp(text, "as before") == 0);
    OK(fc_scene_n_objects(scene, &n));
    CHECK(n == 1);
}

static void load_options(void) {
    const double base[6] = {0, 0, 0, 0, 0, NAN}, origin[6] = {0};
    USAGE(fc_load_options_new(NULL), "options is null");
    USAGE(fc_load_options_set_base(NULL, origin), "is null");
    USAGE(fc_load_options_set_base(reading, NULL), "base");
    USAGE(fc_load_options_set_base(reading, base), "NaN");
    USAGE(fc_load_options_set_geometry(freed_reading, FC_GEOMETRY_AUTO), "freed already");
    USAGE(fc_load_options_set_geometry(reading, 3), "FC_GEOMETRY_");
    USAGE(fc_load_options_set_chord_error(NULL, 1e-3), "is null");
    USAGE(fc_load_options_set_chord_error(reading, NAN), "chord error");
    USAGE(fc_load_options_set_chord_error(reading, -1.0), "chord error");
    USAGE(fc_load_options_add_package_path(NULL, "/"), "is null");
    USAGE(fc_load_options_add_package_path(reading, NULL), "folder is null");
    USAGE(fc_load_options_set_floating_root(NULL, 1), "is null");
    USAGE(fc_load_options_set_memory(NULL, 1), "is null");
    FcRobot *no = NULL;
    OK(fc_load_options_set_memory(reading, 1));
    EXPECT(fc_robot_from_files(urdf, NULL, reading, &no), FC_MEMORY, "memory");
    CHECK(no == NULL);
}

static void engine_options(void) {
    FcEngine *no = NULL;
    FcOptions *bad;
    USAGE(fc_options_new(NULL), "options is null");
    USAGE(fc_options_set_margin(NULL, 0.1), "is null");
    USAGE(fc_options_set_margin(options, NAN), "margin");
    USAGE(fc_options_set_margin(options, -0.1), "margin");
    USAGE(fc_options_set_tolerance(freed_options, 1e-6), "freed already");
    USAGE(fc_options_set_tolerance(options, NAN), "tolerance");
    USAGE(fc_options_set_tolerance(options, 0.0), "tolerance");
    USAGE(fc_options_set_device(options, NULL), "device is null");
    USAGE(fc_options_set_device(NULL, "cpu"), "is null");
    USAGE(fc_options_set_mode(options, 2), "FC_MODE_");
    USAGE(fc_options_set_mode(NULL, FC_MODE_TOC), "is null");
    USAGE(fc_options_set_initial(options, -1), "FC_INITIAL_");
    USAGE(fc_options_set_initial(NULL, FC_INITIAL_REPORT), "is null");
    USAGE(fc_options_set_solids(options, 3), "FC_SOLIDS_");
    USAGE(fc_options_set_solids(NULL, FC_SOLIDS_OFF), "is null");
    USAGE(fc_options_set_self_collision(options, 1000), "FC_SELF_COLLISION_");
    USAGE(fc_options_set_self_collision(NULL, FC_SELF_COLLISION_ON), "is null");
    USAGE(fc_options_set_all_contacts(NULL, 1), "is null");
    USAGE(fc_options_set_evaluation_cap(NULL, 1), "is null");
    USAGE(fc_options_set_threads(NULL, 1), "is null");
    USAGE(fc_options_set_memory(NULL, 1), "is null");
    USAGE(fc_options_allow(options, NULL, "table"), "link is null");
    USAGE(fc_options_allow(options, "forearm", NULL), "other is null");
    USAGE(fc_options_allow(NULL, "*", "*"), "is null");
    USAGE(fc_options_set_certificates(NULL, 1), "is null");
    USAGE(fc_options_set_tree_cache(NULL, "tree"), "is null");
    USAGE(fc_options_set_tree_cache(options, NULL), "file is null");

    /* Values that an engine refuses. */
    OK(fc_options_new(&bad));
    OK(fc_options_allow(bad, "nose", "table"));
    USAGE(fc_engine_new(robot, scene, bad, &no), "nose");
    OK(fc_options_free(bad));
    OK(fc_options_new(&bad));
    OK(fc_options_set_threads(bad, SIZE_MAX));
    USAGE(fc_engine_new(robot, scene, bad, &no), "threads");
    OK(fc_options_free(bad));
    OK(fc_options_new(&bad));
    OK(fc_options_set_device(bad, "no such adapter"));
    EXPECT(fc_engine_new(robot, scene, bad, &no), FC_GPU, "no such adapter");
    OK(fc_options_free(bad));
    OK(fc_options_new(&bad));
    OK(fc_options_set_certificates(bad, 1));
    OK(fc_options_set_initial(bad, FC_INITIAL_IGNORE));
    USAGE(fc_engine_new(robot, scene, bad, &no), "certificates cannot be combined with FC_INITIAL_IGNORE");
    OK(fc_options_set_initial(bad, FC_INITIAL_REPORT));
    USAGE(fc_engine_with_options(engine, bad, &no), "certificates need the scene");
    OK(fc_options_free(bad));
    CHECK(no == NULL);
}

static void engines(void) {
    FcEngine *no = NULL;
    FcScene *empty;
    const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double pose[12] = {1, 0, 0, INFINITY, 0, 1, 0, 0, 0, 0, 1, 0};
    FcRows vertices = fc_rows(corners, 3, 3), none = fc_rows(NULL, 0, 3);
    const char *touch[1] = {"nose"};
    OK(fc_scene_new(&empty));
    USAGE(fc_engine_new(NULL, scene, options, &no), "the robot is null");
    USAGE(fc_engine_new(freed_robot, scene, options, &no), "freed already");
    USAGE(fc_engine_new((FcRobot *)scene, scene, options, &no), "not a handle of a robot");
    USAGE(fc_engine_new(robot, freed_scene, options, &no), "freed already");
    USAGE(fc_engine_new(robot, scene, freed_options, &no), "freed already");
    USAGE(fc_engine_new(robot, scene, options, NULL), "engine is null");
    USAGE(fc_engine_new(robot, NULL, options, &no), "nothing to collide with");
    USAGE(fc_engine_new(robot, empty, options, &no), "nothing to collide with");
    USAGE(fc_engine_new_taking(robot, NULL, options, &no), "the scene is null");
    USAGE(fc_engine_new_taking(robot, freed_scene, options, &no), "freed already");
    USAGE(fc_engine_new_taking(NULL, scene, options, &no), "the robot is null");
    USAGE(fc_engine_new_taking(robot, scene, options, NULL), "engine is null");
    USAGE(fc_engine_new_taking(robot, empty, options, &no), "nothing to collide with");
    USAGE(fc_scene_free(empty), "freed already");
    USAGE(fc_engine_with_scene(NULL, scene, &no), "the engine is null");
    USAGE(fc_engine_with_scene(freed_engine, scene, &no), "freed already");
    USAGE(fc_engine_with_scene(engine, NULL, &no), "the scene is null");
    USAGE(fc_engine_with_scene(engine, scene, NULL), "other is null");
    USAGE(fc_engine_with_options(NULL, options, &no), "the engine is null");
    USAGE(fc_engine_with_options(engine, freed_options, &no), "freed already");
    USAGE(fc_engine_with_options(engine, options, NULL), "other is null");
    USAGE(fc_engine_with_attached(NULL, "box", "forearm", &vertices, NULL, NULL, NULL, 0, &no), "the engine is null");
    USAGE(fc_engine_with_attached(engine, NULL, "forearm", &vertices, NULL, NULL, NULL, 0, &no), "name is null");
    USAGE(fc_engine_with_attached(engine, "box", NULL, &vertices, NULL, NULL, NULL, 0, &no), "link is null");
    INPUT(fc_engine_with_attached(engine, "box", "nose", &vertices, NULL, NULL, NULL, 0, &no), "nose");
    USAGE(fc_engine_with_attached(engine, "box", "forearm", NULL, NULL, NULL, NULL, 0, &no), "vertices is null");
    INPUT(fc_engine_with_attached(engine, "box", "forearm", &none, NULL, NULL, NULL, 0, &no), "no triangle");
    USAGE(fc_engine_with_attached(engine, "box", "forearm", &vertices, NULL, pose, NULL, 0, &no), "infinite");
    USAGE(fc_engine_with_attached(engine, "box", "forearm", &vertices, NULL, NULL, NULL, 1, &no), "touch_links");
    INPUT(fc_engine_with_attached(engine, "box", "forearm", &vertices, NULL, NULL, touch, 1, &no), "nose");
    INPUT(fc_engine_with_attached(engine, "forearm", "forearm", &vertices, NULL, NULL, NULL, 0, &no), "forearm");
    USAGE(fc_engine_with_attached(engine, "box", "forearm", &vertices, NULL, NULL, NULL, 0, NULL), "other is null");
    CHECK(no == NULL);

    size_t n = 77, pair[2] = {77, 77};
    const char *text = "as before";
    double poses[8][12] = {{77}};
    USAGE(fc_engine_n_columns(NULL, &n), "the engine is null");
    USAGE(fc_engine_n_columns(freed_engine, &n), "freed already");
    USAGE(fc_engine_n_columns(engine, NULL), "n is null");
    USAGE(fc_engine_column_name(engine, 99, &text), "no column 99");
    USAGE(fc_engine_column_name(NULL, 0, &text), "the engine is null");
    USAGE(fc_engine_column_name(engine, 0, NULL), "name is null");
    USAGE(fc_engine_find_column(engine, "nose", &n), "nose");
    USAGE(fc_engine_find_column(engine, NULL, &n), "name is null");
    USAGE(fc_engine_find_column(NULL, "elbow", &n), "the engine is null");
    USAGE(fc_engine_n_links(NULL, &n), "the engine is null");
    USAGE(fc_engine_n_links(engine, NULL), "n is null");
    USAGE(fc_engine_link_name(engine, 99, &text), "no link 99");
    USAGE(fc_engine_link_name(NULL, 0, &text), "the engine is null");
    USAGE(fc_engine_n_objects(NULL, &n), "the engine is null");
    USAGE(fc_engine_n_objects(engine, NULL), "n is null");
    USAGE(fc_engine_object_name(engine, 99, &text), "no object 99");
    USAGE(fc_engine_object_name(NULL, 0, &text), "the engine is null");
    USAGE(fc_engine_n_link_pairs(NULL, &n), "the engine is null");
    USAGE(fc_engine_n_link_pairs(engine, NULL), "n is null");
    USAGE(fc_engine_link_pair(engine, 99, &pair), "no pair 99");
    USAGE(fc_engine_link_pair(NULL, 0, &pair), "the engine is null");
    USAGE(fc_engine_adapter(NULL, &text), "the engine is null");
    USAGE(fc_engine_adapter(engine, NULL), "name is null");
    USAGE(fc_engine_threads(NULL, &n), "the engine is null");
    USAGE(fc_engine_threads(engine, NULL), "n is null");
    USAGE(fc_engine_warning(engine, 99, &text), "no warning 99");
    USAGE(fc_engine_warning(NULL, 0, &text), "the engine is null");
    OK(fc_engine_n_links(engine, &n));
    USAGE(fc_engine_link_poses(NULL, zero, 2, poses, n), "the engine is null");
    USAGE(fc_engine_link_poses(engine, NULL, 2, poses, n), "configuration");
    USAGE(fc_engine_link_poses(engine, zero, 3, poses, n), "3 columns where 2");
    USAGE(fc_engine_link_poses(engine, zero, 2, poses, n + 1), "room for");
    USAGE(fc_engine_link_poses(engine, zero, 2, NULL, n), "poses is null");
    INPUT(fc_engine_link_poses(engine, nan_row, 2, poses, n), "configuration");
    INPUT(fc_engine_link_poses(engine, huge_row, 2, poses, n), "configuration");
    CHECK(poses[0][0] == 77 && pair[0] == 77 && strcmp(text, "as before") == 0);
}

static int32_t stop(void *user, uint64_t done, uint64_t total) {
    (void)user, (void)done, (void)total;
    return 1;
}

static int32_t checks_again(void *user, uint64_t done, uint64_t total) {
    bool is_free = true;
    (void)user, (void)done, (void)total;
    USAGE(fc_engine_is_free(engine, zero, some, 2, &is_free), "a callback started a check");
    return 0;
}

static int32_t no_motions(void *user, FcRows *starts, FcRows *ends) {
    FcRows rows = *(FcRows *)user;
    *starts = rows;
    *ends = rows;
    return 0;
}

static int32_t fails(void *user, FcRows *starts, FcRows *ends) {
    (void)user, (void)starts, (void)ends;
    return 7;
}

static int32_t take(void *user, uint64_t motion, const FcAnswer *answer) {
    (void)user, (void)motion, (void)answer;
    return 0;
}

static void checks(void) {
    FcResults *no = NULL;
    bool is_free[2] = {true, true};
    double until = 77.0;
    FcStats stats = {77, 0, 0, 0, 0, 0, 0.0, 0.0};
    const uint32_t edge[2] = {0, 1};
    FcRows rows = fc_rows(zero, 1, 2), ends = fc_rows(some, 1, 2), two = rows, wide = fc_rows(three, 1, 3);
    FcRows not_a_number = fc_rows(nan_row, 1, 2), huge = fc_rows(huge_row, 1, 2), null_rows = fc_rows(NULL, 1, 2);
    FcRows endless = rows, far = fc_rows(zero, 3, 2);
    FcIndices edges = fc_indices(edge, 1, 2), null_edges = fc_indices(NULL, 1, 2), triple = fc_indices(edge, 0, 3);
    FcControl ends_it = {stop, NULL}, again = {checks_again, NULL};
    two.n_rows = 2;
    two.row_stride = 0;
    endless.n_rows = SIZE_MAX / 64;
    endless.row_stride = 0;
    far.row_stride = PTRDIFF_MAX;
    USAGE(fc_engine_check(NULL, &rows, &ends, NULL, &no), "the engine is null");
    USAGE(fc_engine_check(freed_engine, &rows, &ends, NULL, &no), "freed already");
    USAGE(fc_engine_check(engine, NULL, &ends, NULL, &no), "starts is null");
    USAGE(fc_engine_check(engine, &rows, NULL, NULL, &no), "ends is null");
    USAGE(fc_engine_check(engine, CROOKED(FcRows), &ends, NULL, &no), "not aligned");
    USAGE(fc_engine_check(engine, &rows, &null_rows, NULL, &no), "ends: the data");
    USAGE(fc_engine_check(engine, &rows, &two, NULL, &no), "1 starts but 2 ends");
    USAGE(fc_engine_check(engine, &wide, &wide, NULL, &no), "3 columns where 2");
    USAGE(fc_engine_check(engine, &rows, &far, NULL, &no), "exceed the address space");
    USAGE(fc_engine_check(engine, &rows, &ends, NULL, NULL), "results is null");
    USAGE(fc_engine_check(engine, &rows, &ends, CROOKED(FcControl), &no), "control is not aligned");
    INPUT(fc_engine_check(engine, &rows, &not_a_number, NULL, &no), "motion 0");
    INPUT(fc_engine_check(engine, &rows, &huge, NULL, &no), "shoulder");
    EXPECT(fc_engine_check(engine, &endless, &endless, NULL, &no), FC_MEMORY, "not enough memory");
    EXPECT(fc_engine_check(engine, &rows, &ends, &ends_it, &no), FC_INTERRUPTED, "interrupted");
    OK(fc_engine_check(engine, &rows, &ends, &again, &no));
    OK(fc_results_free(no));
    no = NULL;

    USAGE(fc_engine_check_edges(NULL, &rows, &edges, NULL, &no), "the engine is null");
    USAGE(fc_engine_check_edges(engine, NULL, &edges, NULL, &no), "vertices is null");
    USAGE(fc_engine_check_edges(engine, &rows, NULL, NULL, &no), "edges is null");
    USAGE(fc_engine_check_edges(engine, &rows, &null_edges, NULL, &no), "edges: the data");
    USAGE(fc_engine_check_edges(engine, &rows, &edges, NULL, &no), "edge 0: index 1");
    triple.n_rows = 1;
    USAGE(fc_engine_check_edges(engine, &two, &triple, NULL, &no), "3 columns where 2");
    USAGE(fc_engine_check_edges(engine, &wide, &edges, NULL, &no), "index 1");
    USAGE(fc_engine_check_edges(engine, &two, &edges, NULL, NULL), "results is null");
    EXPECT(fc_engine_check_edges(engine, &two, &edges, &ends_it, &no), FC_INTERRUPTED, "interrupted");

    USAGE(fc_engine_are_free(NULL, &rows, &ends, NULL, is_free, 1), "the engine is null");
    USAGE(fc_engine_are_free(engine, &rows, &ends, NULL, NULL, 1), "are_free is null");
    USAGE(fc_engine_are_free(engine, &two, &two, NULL, is_free, 0), "overlap");
    USAGE(fc_engine_are_free(engine, NULL, &ends, NULL, is_free, 1), "starts is null");
    INPUT(fc_engine_are_free(engine, &rows, &not_a_number, NULL, is_free, 1), "NaN");
    EXPECT(fc_engine_are_free(engine, &rows, &ends, &ends_it, is_free, 1), FC_INTERRUPTED, "interrupted");
    USAGE(fc_engine_is_free(NULL, zero, some, 2, is_free), "the engine is null");
    USAGE(fc_engine_is_free(engine, NULL, some, 2, is_free), "start");
    USAGE(fc_engine_is_free(engine, zero, NULL, 2, is_free), "end");
    USAGE(fc_engine_is_free(engine, three, three, 3, is_free), "3 columns");
    USAGE(fc_engine_is_free(engine, zero, some, SIZE_MAX, is_free), "columns");
    USAGE(fc_engine_is_free(engine, zero, some, 2, NULL), "is_free is null");
    INPUT(fc_engine_is_free(engine, zero, nan_row, 2, is_free), "NaN");
    INPUT(fc_engine_is_free(engine, zero, huge_row, 2, is_free), "shoulder");
    USAGE(fc_engine_clear_until(NULL, zero, some, 2, &until), "the engine is null");
    USAGE(fc_engine_clear_until(engine, NULL, some, 2, &until), "start");
    USAGE(fc_engine_clear_until(engine, zero, some, 1, &until), "1 columns");
    USAGE(fc_engine_clear_until(engine, zero, some, 2, NULL), "clear_until is null");
    INPUT(fc_engine_clear_until(engine, nan_row, some, 2, &until), "NaN");

    USAGE(fc_engine_stream(NULL, no_motions, take, &rows, &stats), "the engine is null");
    USAGE(fc_engine_stream(engine, NULL, take, &rows, &stats), "source of the stream is null");
    USAGE(fc_engine_stream(engine, no_motions, NULL, &rows, &stats), "sink of the stream is null");
    USAGE(fc_engine_stream(engine, no_motions, take, &wide, &stats), "3 columns where 2");
    USAGE(fc_engine_stream(engine, no_motions, take, &null_rows, &stats), "the data");
    USAGE(fc_engine_stream(engine, no_motions, take, &rows, CROOKED(FcStats)), "not aligned");
    INPUT(fc_engine_stream(engine, no_motions, take, &not_a_number, &stats), "motion 0");
    EXPECT(fc_engine_stream(engine, fails, take, NULL, &stats), FC_INTERRUPTED, "interrupted");
    CHECK(no == NULL && is_free[0] && is_free[1] && until == 77.0 && stats.motions == 77);
}

static void trajectories(void) {
    FcTrajectory *no = NULL;
    FcResults *none = NULL;
    FcClearanceResults *nothing = NULL;
    FcClearances view = {NULL, 77, 0};
    size_t n = 77;
    double values[2] = {5.0, 6.0};
    const double steps[4] = {0.0, 0.0, 0.2, 0.1}, times[2] = {0.0, 1.0}, back[2] = {1.0, 0.0}, late[2] = {0.0, NAN};
    FcRows two = fc_rows(steps, 2, 2), empty = fc_rows(steps, 0, 2), wide = fc_rows(steps, 1, 3);
    FcRows bad = fc_rows(nan_row, 1, 2), one = fc_rows(steps, 1, 2), null_rows = fc_rows(NULL, 2, 2), endless = two;
    endless.n_rows = SIZE_MAX / 128;
    endless.row_stride = 0;
    USAGE(fc_trajectory_from_waypoints(NULL, NULL, &no), "waypoints is null");
    USAGE(fc_trajectory_from_waypoints(&null_rows, NULL, &no), "the data");
    USAGE(fc_trajectory_from_waypoints(&empty, NULL, &no), "needs a waypoint");
    USAGE(fc_trajectory_from_waypoints(&two, NULL, NULL), "trajectory is null");
    INPUT(fc_trajectory_from_waypoints(&two, back, &no), "times must increase");
    INPUT(fc_trajectory_from_waypoints(&two, late, &no), "times must increase");
    INPUT(fc_trajectory_from_waypoints(&bad, NULL, &no), "NaN");
    EXPECT(fc_trajectory_from_waypoints(&endless, NULL, &no), FC_MEMORY, "not enough memory");
    USAGE(fc_trajectory_from_polynomials(NULL, 2, &two, &no), "breakpoints_s");
    USAGE(fc_trajectory_from_polynomials(times, 0, &two, &no), "coefficients");
    USAGE(fc_trajectory_from_polynomials(times, 1, &two, &no), "coefficients");
    USAGE(fc_trajectory_from_polynomials(times, 2, NULL, &no), "coefficients is null");
    USAGE(fc_trajectory_from_polynomials(times, 2, &empty, &no), "coefficients");
    INPUT(fc_trajectory_from_polynomials(back, 2, &two, &no), "times must increase");
    USAGE(fc_trajectory_from_polynomials(times, 2, &two, NULL), "trajectory is null");
    INPUT(fc_trajectory_from_polynomials(times, 2, &bad, &no), "NaN");
    USAGE(fc_trajectory_from_points(NULL, &two, NULL, NULL, &no), "times_s");
    USAGE(fc_trajectory_from_points(times, NULL, NULL, NULL, &no), "positions is null");
    USAGE(fc_trajectory_from_points(times, &empty, NULL, NULL, &no), "needs a point");
    USAGE(fc_trajectory_from_points(times, &two, NULL, &two, &no), "accelerations without velocities");
    USAGE(fc_trajectory_from_points(times, &two, &one, NULL, &no), "velocities");
    USAGE(fc_trajectory_from_points(times, &two, &two, &wide, &no), "accelerations");
    INPUT(fc_trajectory_from_points(back, &two, &two, NULL, &no), "times must increase");
    USAGE(fc_trajectory_from_points(times, &two, NULL, NULL, NULL), "trajectory is null");
    EXPECT(fc_trajectory_from_points(&zero[0], &endless, NULL, NULL, &no), FC_USAGE, "columns");
    CHECK(no == NULL);

    USAGE(fc_trajectory_size(NULL, &n, &n), "the trajectory is null");
    USAGE(fc_trajectory_size(freed_path, &n, &n), "freed already");
    USAGE(fc_trajectory_size(path, &n, CROOKED(size_t)), "not aligned");
    USAGE(fc_trajectory_at(NULL, 0, 0.5, values, 2), "the trajectory is null");
    USAGE(fc_trajectory_at(path, 1, 0.5, values, 2), "no segment 1");
    USAGE(fc_trajectory_at(path, 0, NAN, values, 2), "time");
    USAGE(fc_trajectory_at(path, 0, 1.5, values, 2), "time");
    USAGE(fc_trajectory_at(path, 0, 0.5, values, 3), "3 columns");
    USAGE(fc_trajectory_at(path, 0, 0.5, NULL, 2), "configuration is null");
    CHECK(n == 77 && values[0] == 5.0);

    const FcTrajectory *paths[2] = {path, freed_path};
    const double tolerance[2] = {0.01, NAN}, negative[2] = {0.01, -1.0};
    FcControl ends_it = {stop, NULL};
    FcTrajectory *other;
    OK(fc_trajectory_from_waypoints(&wide, NULL, &other));
    const FcTrajectory *others[1] = {other};
    USAGE(fc_engine_check_trajectories(NULL, paths, 1, NULL, 0, NULL, &none), "the engine is null");
    USAGE(fc_engine_check_trajectories(engine, NULL, 1, NULL, 0, NULL, &none), "trajectories");
    USAGE(fc_engine_check_trajectories(engine, paths, 2, NULL, 0, NULL, &none), "entry 1 of trajectories");
    USAGE(fc_engine_check_trajectories(engine, paths, SIZE_MAX, NULL, 0, NULL, &none), "exceeds the address space");
    USAGE(fc_engine_check_trajectories(engine, paths, 1, tolerance, 2, NULL, &none), "tolerance");
    USAGE(fc_engine_check_trajectories(engine, paths, 1, negative, 2, NULL, &none), "tolerance");
    USAGE(fc_engine_check_trajectories(engine, paths, 1, tolerance, 1, NULL, &none), "1 joint tolerances");
    USAGE(fc_engine_check_trajectories(engine, paths, 1, NULL, 0, NULL, NULL), "results is null");
    INPUT(fc_engine_check_trajectories(engine, others, 1, NULL, 0, NULL, &none), "trajectory 0");
    EXPECT(fc_engine_check_trajectories(engine, paths, 1, NULL, 0, &ends_it, &none), FC_INTERRUPTED, "interrupted");
    USAGE(fc_engine_clearance(NULL, paths, 1, 1e-3, 1.0, NULL, &nothing), "the engine is null");
    USAGE(fc_engine_clearance(engine, NULL, 1, 1e-3, 1.0, NULL, &nothing), "trajectories");
    USAGE(fc_engine_clearance(engine, paths, 2, 1e-3, 1.0, NULL, &nothing), "entry 1 of trajectories");
    USAGE(fc_engine_clearance(engine, paths, 1, NAN, 1.0, NULL, &nothing), "clearance");
    USAGE(fc_engine_clearance(engine, paths, 1, 1e-3, NAN, NULL, &nothing), "clearance limit");
    USAGE(fc_engine_clearance(engine, paths, 1, 1e-3, 1.0, NULL, NULL), "clearances is null");
    INPUT(fc_engine_clearance(engine, others, 1, 1e-3, 1.0, NULL, &nothing), "trajectory 0");
    EXPECT(fc_engine_clearance(engine, paths, 1, 1e-3, 1.0, &ends_it, &nothing), FC_INTERRUPTED, "interrupted");
    USAGE(fc_clearance_results_get(NULL, &view), "is null");
    USAGE(fc_clearance_results_get(freed_clearances, &view), "freed already");
    USAGE(fc_clearance_results_get(clearances, NULL), "view is null");
    OK(fc_trajectory_free(other));
    CHECK(none == NULL && nothing == NULL && view.length == 77);
}

static void answers(void) {
    FcAnswers all = {NULL, 77, 0};
    FcContacts contacts = {NULL, 77, 0};
    FcText line = {NULL, 77};
    const FcStats *stats = NULL;
    uint64_t n = 77;
    USAGE(fc_results_answers(NULL, &all), "the set of results is null");
    USAGE(fc_results_answers(freed_results, &all), "freed already");
    USAGE(fc_results_answers((FcResults *)engine, &all), "not a handle of a set of results");
    USAGE(fc_results_answers(results, NULL), "answers is null");
    USAGE(fc_results_contacts(NULL, 0, &contacts), "is null");
    USAGE(fc_results_contacts(results, 1, &contacts), "no answer 1");
    USAGE(fc_results_contacts(results, 0, NULL), "contacts is null");
    USAGE(fc_results_stats(NULL, &stats), "is null");
    USAGE(fc_results_stats(results, NULL), "stats is null");
    USAGE(fc_results_line(NULL, 0, 0, &line), "is null");
    USAGE(fc_results_line(results, SIZE_MAX, 0, &line), "no answer");
    USAGE(fc_results_line(results, 0, 0, NULL), "line is null");
    USAGE(fc_results_write(NULL, "results.jsonl", 0), "is null");
    USAGE(fc_results_write(results, NULL, 0), "file is null");
    EXPECT(fc_results_write(results, "/dev/null/r.jsonl", 0), FC_OUTPUT, "/dev/null/r.jsonl");
    USAGE(fc_results_write_certificates(NULL, "certificates", NULL, &n), "is null");
    USAGE(fc_results_write_certificates(results, NULL, NULL, &n), "file is null");
    USAGE(fc_results_write_certificates(results, "certificates", NULL, &n), "certificates were not asked for");
    CHECK(all.length == 77 && contacts.length == 77 && line.length == 77 && stats == NULL && n == 77);
}

static void elementary(void) {
    double points[24] = {0};
    FcElementaryAnswer all[2];
    FcRows rows = fc_rows(points, 2, 12), one = fc_rows(points, 1, 12), wide = fc_rows(points, 2, 3), bad = one;
    FcControl ends_it = {stop, NULL};
    const double nan_points[12] = {NAN};
    bad.data = nan_points;
    memset(all, 77, sizeof all);
    ptrdiff_t size = sizeof all[0];
    USAGE(fc_elementary(2, &rows, &rows, 1e-9, 0.0, NULL, all, size), "FC_VERTEX_FACE");
    USAGE(fc_elementary(FC_EDGE_EDGE, NULL, &rows, 1e-9, 0.0, NULL, all, size), "starts is null");
    USAGE(fc_elementary(FC_EDGE_EDGE, &rows, &one, 1e-9, 0.0, NULL, all, size), "2 starts but 1 ends");
    USAGE(fc_elementary(FC_EDGE_EDGE, &wide, &wide, 1e-9, 0.0, NULL, all, size), "3 columns where 12");
    USAGE(fc_elementary(FC_EDGE_EDGE, &rows, &rows, NAN, 0.0, NULL, all, size), "tolerance");
    USAGE(fc_elementary(FC_EDGE_EDGE, &rows, &rows, 1e-9, -1.0, NULL, all, size), "margin");
    USAGE(fc_elementary(FC_EDGE_EDGE, &rows, &rows, 1e-9, 0.0, NULL, NULL, size), "answers is null");
    USAGE(fc_elementary(FC_EDGE_EDGE, &rows, &rows, 1e-9, 0.0, NULL, all, size - 1), "overlap");
    INPUT(fc_elementary(FC_VERTEX_FACE, &bad, &one, 1e-9, 0.0, NULL, all, size), "query 0");
    EXPECT(fc_elementary(FC_VERTEX_FACE, &rows, &rows, 1e-9, 0.0, &ends_it, all, size), FC_INTERRUPTED, "interrupted");
    CHECK(*(char *)all == 77);
}

int main(int argc, char **argv) {
    size_t n = 0;
    if (argc != 2) {
        return 2;
    }
    snprintf(urdf, sizeof urdf, "%s/arm.urdf", argv[1]);
    snprintf(mesh, sizeof mesh, "%s/table.obj", argv[1]);
    CHECK(fc_error_message()[0] == 0 && fc_error_file() == NULL && fc_error_place() == NULL);
    CHECK(fc_is_compatible(FC_VERSION_MAJOR, FC_VERSION_MINOR) && fc_version() / 1000000 == FC_VERSION_MAJOR);
    make();
    frees();
    robots();
    scenes();
    load_options();
    engine_options();
    engines();
    checks();
    trajectories();
    answers();
    elementary();
    /* Nothing is left behind by calls that failed. */
    OK(fc_n_living(&n));
    CHECK(n == 8);
    OK(fc_robot_free(robot));
    OK(fc_scene_free(scene));
    OK(fc_options_free(options));
    OK(fc_load_options_free(reading));
    OK(fc_engine_free(engine));
    OK(fc_results_free(results));
    OK(fc_trajectory_free(path));
    OK(fc_clearance_results_free(clearances));
    OK(fc_n_living(&n));
    CHECK(n == 0);
    printf("%d calls were refused\n", n_calls);
    return 0;
}
