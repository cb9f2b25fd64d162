/* Checks some motions of an arm above a table: first_check [FOLDER], where FOLDER has arm.urdf and table.obj. */

#include <firstcontact.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the message of the last error, unless a call was successful. */
static void check(FcStatus status) {
    if (status != FC_OK) {
        fprintf(stderr, "%s\n", fc_error_message());
        exit(1);
    }
}

static void print(const FcEngine *engine, size_t motion, const FcAnswer *answer) {
    const char *link = "", *object = "";
    switch (answer->verdict) {
    case FC_FREE:
        printf("motion %zu is free\n", motion);
        break;
    case FC_CONTACT:
        check(fc_engine_link_name(engine, (size_t)answer->contact.link, &link));
        check(fc_engine_object_name(engine, (size_t)answer->contact.object, &object));
        printf("motion %zu: %s touches %s at %.6f, free before\n", motion, link, object, answer->toc[0]);
        break;
    default:
        printf("motion %zu is clear until %g\n", motion, answer->clear_until);
    }
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "examples/arm";
    char urdf[4096], mesh[4096];
    snprintf(urdf, sizeof urdf, "%s/arm.urdf", folder);
    snprintf(mesh, sizeof mesh, "%s/table.obj", folder);

    FcRobot *robot;
    FcScene *scene;
    FcOptions *options;
    FcEngine *engine;
    check(fc_robot_from_files(urdf, NULL, NULL, &robot));
    check(fc_scene_from_file(mesh, NULL, &scene));
    check(fc_options_new(&options));
    check(fc_options_set_margin(options, 0.005));
    check(fc_options_set_device(options, "cpu"));
    check(fc_engine_new(robot, scene, options, &engine));
    /* The engine keeps what it needs. */
    check(fc_options_free(options));
    check(fc_scene_free(scene));
    check(fc_robot_free(robot));

    /* Columns are the joints in this order, radians. */
    size_t n_columns;
    check(fc_engine_n_columns(engine, &n_columns));
    for (size_t i = 0; i < n_columns; i++) {
        const char *name;
        check(fc_engine_column_name(engine, i, &name));
        printf("column %zu is %s\n", i, name);
    }

    /* All motions begin at the same configuration: a row stride of 0 repeats it. */
    const double start[2] = {0.0, 0.0};
    const double ends[3][2] = {{-1.0, 0.5}, {0.5, 0.2}, {0.9, 0.0}};
    FcRows from = fc_rows(start, 3, 2), to = fc_rows(ends[0], 3, 2);
    from.row_stride = 0;
    FcResults *results;
    FcAnswers answers;
    check(fc_engine_check(engine, &from, &to, NULL, &results));
    check(fc_results_answers(results, &answers));
    for (size_t i = 0; i < answers.length; i++) {
        print(engine, i, (const FcAnswer *)((const char *)answers.data + i * answers.stride_bytes));
    }
    FcText line;
    check(fc_results_line(results, 1, 1, &line));
    printf("%s\n", line.data);

    /* One motion: the quickest call. */
    bool is_free;
    check(fc_engine_is_free(engine, start, ends[0], n_columns, &is_free));
    printf("%s\n", is_free ? "yes" : "no");

    check(fc_results_free(results));
    check(fc_engine_free(engine));
    return 0;
}
