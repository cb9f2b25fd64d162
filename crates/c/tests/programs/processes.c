/* Forks, and unloading: processes LIBRARY. This program is not linked with the library. */

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As in firstcontact.h, whose functions are looked up at run time here. */
typedef int32_t (*Elementary)(int32_t, const void *, const void *, double, double, const void *, void *, ptrdiff_t);
typedef int32_t (*Make)(void **);
typedef int32_t (*Free)(void *);
typedef const char *(*Message)(void);

struct Rows {
    const double *data;
    size_t n_rows, n_columns;
    ptrdiff_t row_stride, column_stride;
};

static void require(int is_true, const char *what) {
    if (!is_true) {
        fprintf(stderr, "not true: %s\n", what);
        exit(1);
    }
}

static void *library;

static void *find(const char *name) {
    void *function = dlsym(library, name);
    require(function != NULL, name);
    return function;
}

/* Works on all threads of the library. */
static int32_t work(void) {
    static double points[4096][12];
    static char answers[4096][64];
    struct Rows rows = {points[0], 4096, 12, 12, 1};
    Elementary elementary;
    *(void **)&elementary = find("fc_elementary");
    return elementary(0, &rows, &rows, 1e-9, 0.0, NULL, answers, sizeof answers[0]);
}

static int in_child(int (*check)(void)) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        /* A child that waits for threads that it lacks ends, too. */
        alarm(60);
        _exit(check());
    }
    require(waitpid(child, &status, 0) == child && WIFEXITED(status), "the child ends");
    return WEXITSTATUS(status);
}

/* Before the first call in the parent everything works. */
static int works(void) {
    return work() == 0 ? 0 : 1;
}

/* Afterwards every call is an error; nothing waits for ever. */
static int is_refused(void) {
    Make make;
    Message message;
    void *options = NULL;
    *(void **)&make = find("fc_options_new");
    *(void **)&message = find("fc_error_message");
    return work() == 1 && make(&options) == 1 && options == NULL && strstr(message(), "forked") ? 0 : 1;
}

static void *in_thread(void *argument) {
    (void)argument;
    require(work() == 0, "another thread works");
    return NULL;
}

int main(int argc, char **argv) {
    require(argc == 2, "one argument");
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    require(library != NULL, dlerror() ? "the library is loaded" : "the library is there");
    require(in_child(works) == 0, "a process that is forked before the first call works");
    require(work() == 0, "the library works");
    require(in_child(is_refused) == 0, "a process that is forked afterwards gets errors");
    pthread_t thread;
    require(pthread_create(&thread, NULL, in_thread, NULL) == 0 && pthread_join(thread, NULL) == 0, "threads");

    /* The threads of the library go on after dlclose, and it can be loaded again. */
    void *before = find("fc_version");
    require(dlclose(library) == 0, "the library is closed");
    require(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL, "the library stays");
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    require(library != NULL && find("fc_version") == before, "the library is at its place");
    require(work() == 0, "the library works again");
    puts("passed");
    return 0;
}
