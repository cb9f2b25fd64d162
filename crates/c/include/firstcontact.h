// firstcontact: certified continuous collision detection of articulated models. MIT or Apache-2.0.
// Made by cbindgen from crates/c/src; do not edit.
//
// Lengths are in metres, angles in radians, and times are fractions of a motion, from 0 to 1.
//
// Errors. A function that can fail returns FC_OK or the kind of the error; fc_error_message() returns the text of the
// last error of the calling thread. A function that fails leaves its outputs unchanged, except for arrays of answers,
// which may be partly written. Internal faults of the library are reported as FC_INTERNAL.
//
// Handles. Robots, scenes, engines and so on are identified by handles, numbers that are never reused. A null, freed or
// mixed-up handle causes an error, not a crash. The caller must free every object that it makes. An object that is
// freed during a call that uses it lives until the call ends, and an engine keeps the objects that it was made from.
// Pointers into an object are valid until the object is freed.
//
// Threads. Any number of threads may use any object at the same time. Do not free an object while another thread reads
// its texts or arrays. A thread that begins to use an engine after another thread has freed it gets an error. A calling
// thread needs 256 KiB of stack.
//
// Memory of the caller. Pointers must be valid for the sizes that are given with them, and arrays must not change
// during a call. Texts are UTF-8 and end with a zero byte; paths are those of the system.
//
// Versions. Structures that the library returns by pointer may grow at their end in later versions: step through arrays
// of them by their stride. Structures in memory of the caller do not change before the next major version.
//
// Callbacks run in the calling thread. They must not throw C++ exceptions, leave by longjmp, or start a check.
//
// Environment. The library computes with rounding to nearest and without traps, whatever the calling thread has set by
// fesetround, feenableexcept or -ffast-math, and leaves these settings as they are. It handles no signals. A process
// that was forked from one that has used the library gets an error from every call. dlclose does not unload the
// library.


#ifndef FIRSTCONTACT_H
#define FIRSTCONTACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Major version of this header; the interface follows semantic versioning.
#define FC_VERSION_MAJOR 0

// Minor version: while the major version is 0, a new minor version may break programs.
#define FC_VERSION_MINOR 1

// Patch version.
#define FC_VERSION_PATCH 0

// The clearances of trajectories, in their order.
typedef struct FcClearanceResults FcClearanceResults;

// Checks motions of one robot in one scene. An engine is immutable; any number of threads may use it.
typedef struct FcEngine FcEngine;

// Options for reading robots and scenes. Where they are an argument, null means the defaults.
typedef struct FcLoadOptions FcLoadOptions;

// Options of engines. Where they are an argument, null means the defaults. Options that later versions add have their
// own functions.
typedef struct FcOptions FcOptions;

// The answers of a check, in the order of the motions.
typedef struct FcResults FcResults;

// A robot, with its semantic description if it has one; or several robots joined into one.
typedef struct FcRobot FcRobot;

// A scene: named objects of triangles. Later changes to a scene do not affect engines that were made with it.
typedef struct FcScene FcScene;

// A path of all columns: in each segment, every column is a polynomial of time. A trajectory is immutable.
typedef struct FcTrajectory FcTrajectory;

// Outcome of a call: FC_OK or the kind of an error.
typedef int32_t FcStatus;

// Receives the progress of a call: the number of answers so far and their total number. It is called in the calling
// thread, before the first answer, then at most every 50 ms. Return 0 to continue, any other value to end the work.
typedef int32_t (*FcProgress)(void *user, uint64_t done, uint64_t total);

// Progress and cancellation of a call. Where it is an argument, null means neither.
typedef struct FcControl {
    // The callback, or null.
    FcProgress progress;
    // The first argument of the callback.
    void *user;
} FcControl;

// Rows of numbers in memory of the caller, such as configurations or vertices. Row i, column j is at
// data[i * row_stride + j * column_stride].
typedef struct FcRows {
    // The first number; it may be null if there are no numbers.
    const double *data;
    // Number of rows.
    size_t n_rows;
    // Number of columns.
    size_t n_columns;
    // Numbers from a row to the next; 0 repeats the first row.
    ptrdiff_t row_stride;
    // Numbers from a column to the next.
    ptrdiff_t column_stride;
} FcRows;

// Rows of indices in memory of the caller, such as edges (two columns) or triangles (three columns).
typedef struct FcIndices {
    // The first index; it may be null if there are none.
    const uint32_t *data;
    // Number of rows.
    size_t n_rows;
    // Number of columns.
    size_t n_columns;
    // Indices from a row to the next.
    ptrdiff_t row_stride;
    // Indices from a column to the next.
    ptrdiff_t column_stride;
} FcIndices;

// A part of a triangle.
typedef int32_t FcFeature;

// One side of a contact. Unknown values are -1.
typedef struct FcSide {
    // The triangle, in file order: of an object, or over all shapes of a link.
    int64_t triangle;
    // Index of the shape of a link; -1 for an object.
    int32_t shape;
    // The part of the triangle.
    FcFeature feature;
    // Index of the vertex or edge, 0 for the face.
    int32_t index;
    // Reserved.
    int32_t reserved;
} FcSide;

// A place at which a link touches the scene or another link. If there is no such place, indices are -1 and numbers
// NaN.
typedef struct FcContact {
    // Index of the link, as in fc_engine_link_name; for two links, the first one.
    int32_t link;
    // Index of the object, or -1 if the other side is a link.
    int32_t object;
    // Index of the other link, or -1 if the other side is an object.
    int32_t other_link;
    // Reserved.
    int32_t reserved;
    // The side of the link.
    struct FcSide a;
    // The side of the object or the other link.
    struct FcSide b;
    // The contact point, in world coordinates.
    double point[3];
    // Unit vector from b towards a, in world coordinates.
    double normal[3];
} FcContact;

// The smallest distance between the robot and its obstacles along a trajectory.
typedef struct FcClearance {
    // The distance is at least the first number (guaranteed) and at most the second one, metres; the second number is
    // infinite if the distance is beyond the limit.
    double distance_m[2];
    // Segment of a time at which the distance is at most the second number; -1 if the distance is beyond the limit.
    int64_t segment;
    // That time, relative to the segment.
    double t;
    // The nearest features at that time; its point is the nearest point of side a, and its normal is NaN.
    struct FcContact nearest;
    // The nearest point of side b.
    double other_point[3];
} FcClearance;

// A sequence of clearances: the next one is stride_bytes after the last one.
typedef struct FcClearances {
    // The first one.
    const struct FcClearance *data;
    // Number of clearances.
    size_t length;
    // Bytes from one to the next.
    size_t stride_bytes;
} FcClearances;

// Kind of elementary queries.
typedef int32_t FcElementaryKind;

// Kind of an answer.
typedef int32_t FcVerdict;

// The answer to an elementary query.
typedef struct FcElementaryAnswer {
    // Kind of the answer.
    FcVerdict verdict;
    // A contact exists.
    bool proved;
    // A contact exists, and the enclosure of its time is as narrow as the tolerance.
    bool certified;
    // Enclosure of the time of first contact, as of FcAnswer; NaN without contact.
    double toc[2];
    // Nothing touches before this time: 1 if free.
    double clear_until;
} FcElementaryAnswer;

// The shapes of a link that are used.
typedef int32_t FcGeometry;

// The question that is answered for each motion.
typedef int32_t FcMode;

// Treatment of links that touch the scene at the start.
typedef int32_t FcInitial;

// Treatment of motions that start inside a closed object or link.
typedef int32_t FcSolids;

// Tests of links against links.
typedef int32_t FcSelfCollision;

// Reason for a missing answer.
typedef int32_t FcReason;

// The answer for a motion or trajectory.
typedef struct FcAnswer {
    // Kind of the answer.
    FcVerdict verdict;
    // Reason for a missing answer.
    FcReason reason;
    // Enclosure of the time of first contact: nothing touches before the first number, and if proved, something
    // touches at or before the second one. NaN without contact.
    double toc[2];
    // Nothing touches before this time: 1 if free.
    double clear_until;
    // A contact exists.
    bool proved;
    // A contact exists, and the enclosure of its time is as narrow as the tolerance.
    bool certified;
    // Something touches at the start.
    bool initial_overlap;
    // True if the motion starts inside a solid; the contact identifies the solid.
    bool inside;
    // Reserved.
    int32_t reserved;
    // The first contact.
    struct FcContact contact;
    // For a trajectory: the segment to which the lower end of toc, or clear_until, is relative.
    int64_t segment;
    // For a trajectory: the segment to which the upper end of toc is relative.
    int64_t segment_hi;
    // For a trajectory with times: toc in seconds, or clear_until in seconds in both entries; otherwise NaN.
    double time_s[2];
} FcAnswer;

// A sequence of answers: the next one is stride_bytes after the last one.
typedef struct FcAnswers {
    // The first one.
    const struct FcAnswer *data;
    // Number of answers.
    size_t length;
    // Bytes from one to the next.
    size_t stride_bytes;
} FcAnswers;

// A sequence of contacts: the next one is stride_bytes after the last one.
typedef struct FcContacts {
    // The first one.
    const struct FcContact *data;
    // Number of contacts.
    size_t length;
    // Bytes from one to the next.
    size_t stride_bytes;
} FcContacts;

// Counts and times of a check.
typedef struct FcStats {
    // Number of motions or trajectories.
    uint64_t motions;
    // Number with the verdict free.
    uint64_t free;
    // Number with a contact.
    uint64_t contact;
    // Number with a certified contact.
    uint64_t certified;
    // Number without an answer.
    uint64_t undecided;
    // Number that start inside a solid.
    uint64_t start_inside;
    // Time for checking, seconds.
    double wall_s;
    // Time for making the engine, seconds.
    double build_s;
} FcStats;

// A text that a function returns; it is also zero-terminated.
typedef struct FcText {
    // The first byte, UTF-8.
    const char *data;
    // Number of bytes, without the zero byte.
    size_t length;
} FcText;

// Kind of a column of configurations.
typedef int32_t FcColumnKind;

// Kind of a primitive shape.
typedef int32_t FcShape;

// Provides the next motions of a stream: writes starts and ends, of any number of rows, and returns 0. The arrays are
// copied when the callback returns. At the end of the stream it returns 1; any other value ends the work.
typedef int32_t (*FcSource)(void *user, struct FcRows *starts, struct FcRows *ends);

// Receives the answer for each motion of a stream, in the order of the motions; the answer is valid until the callback
// returns. Return 0 to continue, any other value to end the work.
typedef int32_t (*FcSink)(void *user, uint64_t motion, const struct FcAnswer *answer);

// Nothing touches at any time; this is guaranteed.
#define FC_FREE 0

// Something touches, or comes so close that contact can be neither proved nor excluded.
#define FC_CONTACT 1

// The search ended without an answer.
#define FC_UNDECIDED 2

// There is an answer.
#define FC_REASON_NONE -1

// The cap on evaluations was reached.
#define FC_REASON_EVALUATION_CAP 0

// There was not enough memory.
#define FC_REASON_MEMORY 1

// Unknown.
#define FC_FEATURE_NONE -1

// A vertex, the one with this index in the triangle.
#define FC_FEATURE_VERTEX 0

// The edge from the vertex with this index to the next one.
#define FC_FEATURE_EDGE 1

// The face.
#define FC_FEATURE_FACE 2

// A vertex, and the three vertices of a face.
#define FC_VERTEX_FACE 0

// The two ends of an edge, and those of another edge.
#define FC_EDGE_EDGE 1

// Collision shapes, or visual ones if a link has no collision shape.
#define FC_GEOMETRY_AUTO 0

// Collision shapes alone.
#define FC_GEOMETRY_COLLISION 1

// Visual shapes alone.
#define FC_GEOMETRY_VISUAL 2

// The first contact, to within the tolerance; the default.
#define FC_MODE_TOC 0

// The verdict alone: faster, without features.
#define FC_MODE_VERDICT 1

// The contact is reported; the default.
#define FC_INITIAL_REPORT 0

// The pair of link and object is ignored for the whole motion.
#define FC_INITIAL_IGNORE 1

// These motions are counted; the default.
#define FC_SOLIDS_WARN 0

// These motions have a contact at time 0.
#define FC_SOLIDS_CONTACT 1

// These motions are not detected.
#define FC_SOLIDS_OFF 2

// With an SRDF, all pairs that it does not disable; without one, no pairs. The default.
#define FC_SELF_COLLISION_AUTO 0

// No pairs.
#define FC_SELF_COLLISION_OFF 1

// With an SRDF, all pairs that it does not disable; without one, all pairs that are not adjacent.
#define FC_SELF_COLLISION_ON 2

// An angle, radians.
#define FC_COLUMN_ANGLE 0

// A length, metres.
#define FC_COLUMN_LENGTH 1

// One of the columns x y z qx qy qz qw of a free joint.
#define FC_COLUMN_FREE 2

// Edge lengths in x, y and z.
#define FC_SHAPE_BOX 0

// Radius, and length from end to end.
#define FC_SHAPE_CYLINDER 1

// Radius.
#define FC_SHAPE_SPHERE 2

// Radius, and length of the cylinder without its round ends.
#define FC_SHAPE_CAPSULE 3

// The call was successful.
#define FC_OK 0

// The caller requested something that does not exist, or a combination that is not possible.
#define FC_USAGE 1

// A file or a number is missing, malformed or outside the range that the engine accepts.
#define FC_INPUT 2

// The data or the work does not fit into the memory limit set by the caller.
#define FC_MEMORY 3

// No usable graphics adapter, or the device failed.
#define FC_GPU 4

// A callback ended the work.
#define FC_INTERRUPTED 5

// An output could not be written.
#define FC_OUTPUT 6

// Another process is writing the output.
#define FC_BUSY 7

// The reader of the output has closed it.
#define FC_CLOSED 8

// A fault of the library: please report it.
#define FC_INTERNAL 9

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Writes the certificates of all answers to a file, atomically, as the command line does; the command firstcontact
// verify checks them. The engine must have been made with fc_options_set_certificates. The number of answers for which
// no proof was found within the limits of the search is written to n_without, unless that pointer is null. The control
// may be null.
FcStatus fc_results_write_certificates(const struct FcResults *results,
                                       const char *file,
                                       const struct FcControl *control,
                                       uint64_t *n_without);

// Checks motions: in motion i, every joint moves linearly from its value in row i of the starts to its value in row i
// of the ends. The control may be null.
FcStatus fc_engine_check(const struct FcEngine *engine,
                         const struct FcRows *starts,
                         const struct FcRows *ends,
                         const struct FcControl *control,
                         struct FcResults **results);

// Checks the edges of a roadmap: rows of two indices of vertices, which are rows of configurations. The answers are in
// the order of the edges. The control may be null.
FcStatus fc_engine_check_edges(const struct FcEngine *engine,
                               const struct FcRows *vertices,
                               const struct FcIndices *edges,
                               const struct FcControl *control,
                               struct FcResults **results);

// Writes true for each motion that is certainly free, and false for contacts and motions without an answer. Values are
// stride_bytes apart; 1 leaves no gaps. No other answers are kept, which saves memory.
FcStatus fc_engine_are_free(const struct FcEngine *engine,
                            const struct FcRows *starts,
                            const struct FcRows *ends,
                            const struct FcControl *control,
                            bool *are_free,
                            ptrdiff_t stride_bytes);

// Returns whether a single motion of n columns is certainly free; false for a contact or if there is no answer. This
// is the quickest call for planners, and quicker still with FC_MODE_VERDICT.
FcStatus fc_engine_is_free(const struct FcEngine *engine,
                           const double *start,
                           const double *end,
                           size_t n,
                           bool *is_free);

// The time up to which a single motion of n columns is certainly free; 1 for a free motion.
FcStatus fc_engine_clear_until(const struct FcEngine *engine,
                               const double *start,
                               const double *end,
                               size_t n,
                               double *clear_until);

// Measures the smallest distance between the robot and its obstacles along each trajectory: an enclosure at most
// tolerance_m wide, metres, which begins at 0 for a trajectory with a contact. Distances beyond limit_m, which may be
// infinite, are not measured. The control may be null.
FcStatus fc_engine_clearance(const struct FcEngine *engine,
                             const struct FcTrajectory *const *trajectories,
                             size_t n_trajectories,
                             double tolerance_m,
                             double limit_m,
                             const struct FcControl *control,
                             struct FcClearanceResults **clearances);

// All clearances, valid until they are freed.
FcStatus fc_clearance_results_get(const struct FcClearanceResults *clearances, struct FcClearances *view);

// Frees clearances; null is not an error.
FcStatus fc_clearance_results_free(struct FcClearanceResults *clearances);

// Answers elementary queries: four points that move linearly. Row i of the starts and the ends has the coordinates of
// the points of query i, x y z of each. The answers are stride_bytes apart; sizeof(FcElementaryAnswer) leaves no gaps.
// The control may be null.
FcStatus fc_elementary(FcElementaryKind kind,
                       const struct FcRows *starts,
                       const struct FcRows *ends,
                       double tolerance,
                       double margin_m,
                       const struct FcControl *control,
                       struct FcElementaryAnswer *answers,
                       ptrdiff_t stride_bytes);

// Prepares a robot and a scene for any number of checks. The scene may be null if links are tested against each other.
FcStatus fc_engine_new(const struct FcRobot *robot,
                       const struct FcScene *scene,
                       const struct FcOptions *options,
                       struct FcEngine **engine);

// As fc_engine_new, but takes the scene and frees its handle, so that a large scene is in memory only once. The scene
// is freed even if the engine cannot be made, unless a handle is invalid.
FcStatus fc_engine_new_taking(const struct FcRobot *robot,
                              struct FcScene *scene,
                              const struct FcOptions *options,
                              struct FcEngine **engine);

// Frees an engine; null is not an error. Calls in other threads that use it continue until they finish.
FcStatus fc_engine_free(struct FcEngine *engine);

// Makes an engine for the same robot, attached objects and options in another scene; the robot's data is shared. Pairs
// that are never tested are carried over by name, if the other scene has objects with these names.
FcStatus fc_engine_with_scene(const struct FcEngine *engine, const struct FcScene *scene, struct FcEngine **other);

// Makes an engine for the same robot, scene and tested pairs with other options; all trees are shared. The new options
// for self-collision, allowed pairs and the tree cache are ignored.
FcStatus fc_engine_with_options(const struct FcEngine *engine,
                                const struct FcOptions *options,
                                struct FcEngine **other);

// Makes an engine with an object attached to a link, such as a box in a gripper; everything else is shared. The mesh
// is given as for fc_scene_add_mesh, but its pose is relative to the frame of the link. The object is tested against
// the scene, other attached objects, and links that move relative to it, but not against the n_touch_links links,
// attached objects and scene objects listed in touch_links, which may be null if there are none.
FcStatus fc_engine_with_attached(const struct FcEngine *engine,
                                 const char *name,
                                 const char *link,
                                 const struct FcRows *vertices,
                                 const struct FcIndices *triangles,
                                 const double *pose,
                                 const char *const *touch_links,
                                 size_t n_touch_links,
                                 struct FcEngine **other);

// Number of columns of a configuration.
FcStatus fc_engine_n_columns(const struct FcEngine *engine, size_t *n);

// Name of a column of configurations.
FcStatus fc_engine_column_name(const struct FcEngine *engine, size_t column, const char **name);

// The index of the column with this name.
FcStatus fc_engine_find_column(const struct FcEngine *engine, const char *name, size_t *column);

// Number of links with triangles and of attached objects; the attached objects come last.
FcStatus fc_engine_n_links(const struct FcEngine *engine, size_t *n);

// Name of a link or attached object.
FcStatus fc_engine_link_name(const struct FcEngine *engine, size_t link, const char **name);

// Number of the objects of the scene.
FcStatus fc_engine_n_objects(const struct FcEngine *engine, size_t *n);

// Name of an object of the scene.
FcStatus fc_engine_object_name(const struct FcEngine *engine, size_t object, const char **name);

// Number of pairs of links and attached objects that are tested against each other.
FcStatus fc_engine_n_link_pairs(const struct FcEngine *engine, size_t *n);

// The two links of a tested pair.
FcStatus fc_engine_link_pair(const struct FcEngine *engine, size_t i, size_t (*links)[2]);

// Name of the graphics adapter, or null if the engine runs on the CPU. The names of several adapters are separated by
// " + ".
FcStatus fc_engine_adapter(const struct FcEngine *engine, const char **name);

// Number of threads on the CPU.
FcStatus fc_engine_threads(const struct FcEngine *engine, size_t *n);

// Warning number i from building the engine, or the reason why "auto" runs on the CPU; FC_USAGE beyond the last one.
FcStatus fc_engine_warning(const struct FcEngine *engine, size_t i, const char **warning);

// The poses of all links and attached objects at a configuration of n columns, in the order of fc_engine_link_name:
// twelve numbers each, the rows of a 3×4 matrix from the frame of fc_robot_link_triangles to the world. There must be
// room for n_links poses.
FcStatus fc_engine_link_poses(const struct FcEngine *engine,
                              const double *configuration,
                              size_t n,
                              double (*poses)[12],
                              size_t n_links);

// Number of objects in all threads that have not been freed. Use it in tests to find handles that are never freed:
// tools that detect memory leaks cannot see them.
FcStatus fc_n_living(size_t *n);

// Makes options with their defaults.
FcStatus fc_load_options_new(struct FcLoadOptions **options);

// Frees options; null is not an error.
FcStatus fc_load_options_free(struct FcLoadOptions *options);

// Sets the pose of the robot's root link in the world: six numbers, x y z (metres), roll pitch yaw (radians).
FcStatus fc_load_options_set_base(struct FcLoadOptions *options, const double *base);

// Sets the shapes that are used.
FcStatus fc_load_options_set_geometry(struct FcLoadOptions *options, FcGeometry geometry);

// Sets the largest distance by which tessellated primitives may extend beyond the true shape, metres; 0.001 by
// default.
FcStatus fc_load_options_set_chord_error(struct FcLoadOptions *options, double chord_error_m);

// Adds a folder in which package://name/rest is looked up, as name/rest and as rest.
FcStatus fc_load_options_add_package_path(struct FcLoadOptions *options, const char *folder);

// Sets whether a free joint is inserted before the robot's root; its seven columns x y z qx qy qz qw are the first.
FcStatus fc_load_options_set_floating_root(struct FcLoadOptions *options, int32_t floating_root);

// Sets the memory that files and triangles may take, bytes; by default three quarters of the machine's.
FcStatus fc_load_options_set_memory(struct FcLoadOptions *options, uint64_t memory_bytes);

// Makes options with their defaults.
FcStatus fc_options_new(struct FcOptions **options);

// Frees options; null is not an error.
FcStatus fc_options_free(struct FcOptions *options);

// Sets the distance that counts as contact, metres; 0 by default.
FcStatus fc_options_set_margin(struct FcOptions *options, double margin_m);

// Sets the largest width of a certified time of contact, as a fraction of the motion; 1e-9 by default.
FcStatus fc_options_set_tolerance(struct FcOptions *options, double tolerance);

// Sets the device: "auto" (the default), a hardware adapter if there is one, otherwise the CPU; "cpu"; "gpu", any
// graphics adapter; "all", every hardware adapter, or every software adapter on a machine without hardware, with the
// motions divided among them; or a part of an adapter's name.
FcStatus fc_options_set_device(struct FcOptions *options, const char *device);

// Sets the question that is answered.
FcStatus fc_options_set_mode(struct FcOptions *options, FcMode mode);

// Sets the treatment of links that touch the scene at the start.
FcStatus fc_options_set_initial(struct FcOptions *options, FcInitial initial);

// Sets the treatment of motions that start inside a closed object or link.
FcStatus fc_options_set_solids(struct FcOptions *options, FcSolids solids);

// Sets the tests of links against links.
FcStatus fc_options_set_self_collision(struct FcOptions *options, FcSelfCollision self_collision);

// Sets whether all contacts that begin at the time of the first one are listed; false by default.
FcStatus fc_options_set_all_contacts(struct FcOptions *options, int32_t all_contacts);

// Sets the maximum number of evaluations for a motion, after which it is undecided; 65536 by default.
FcStatus fc_options_set_evaluation_cap(struct FcOptions *options, uint64_t evaluations);

// Sets the number of threads on the CPU; 0 for all cores, which is the default.
FcStatus fc_options_set_threads(struct FcOptions *options, size_t threads);

// Sets the memory for the work on motions, bytes; by default at most 1 GiB.
FcStatus fc_options_set_memory(struct FcOptions *options, uint64_t memory_bytes);

// Adds a pair that is never tested: a link and an object, or two links. The link and the object may each be "*" for
// all.
FcStatus fc_options_allow(struct FcOptions *options, const char *link, const char *other);

// Sets whether certificates can be written; false by default. fc_results_write_certificates then writes proofs of the
// answers, which the command firstcontact verify checks. The engine and its results keep the scene and the motions.
FcStatus fc_options_set_certificates(struct FcOptions *options, int32_t certificates);

// Sets a file in which the scene's tree is cached for later engines; worthwhile for millions of triangles.
FcStatus fc_options_set_tree_cache(struct FcOptions *options, const char *file);

// Frees results; null is not an error.
FcStatus fc_results_free(struct FcResults *results);

// All answers, valid until the results are freed.
FcStatus fc_results_answers(const struct FcResults *results, struct FcAnswers *answers);

// All contacts of answer i that begin at the time of the first contact; the first contact alone unless the engine
// lists all contacts (fc_options_set_all_contacts). Valid until the results are freed.
FcStatus fc_results_contacts(const struct FcResults *results, size_t i, struct FcContacts *contacts);

// Counts and times, valid until the results are freed.
FcStatus fc_results_stats(const struct FcResults *results, const struct FcStats **stats);

// Answer i as a line of JSON, as the command line writes it, for a motion with this number; valid until the next text
// that a function returns in this thread.
FcStatus fc_results_line(const struct FcResults *results, size_t i, uint64_t number, struct FcText *line);

// Writes all answers as lines of JSON to a file, atomically; the motions are numbered from first.
FcStatus fc_results_write(const struct FcResults *results, const char *file, uint64_t first);

// Reads a robot from a URDF file, and its semantic description from an SRDF file unless that is null. The columns of a
// configuration are the moving joints, in the order of the URDF; fixed and mimic joints have no column.
FcStatus fc_robot_from_files(const char *urdf,
                             const char *srdf,
                             const struct FcLoadOptions *options,
                             struct FcRobot **robot);

// Reads a robot from the text of a URDF, and from that of an SRDF unless it is null. The paths of meshes are resolved
// as if the URDF were a file in the folder; null is the current folder.
FcStatus fc_robot_from_texts(const char *urdf,
                             const char *srdf,
                             const char *folder,
                             const struct FcLoadOptions *options,
                             struct FcRobot **robot);

// Joins n robots into one, with a name for each. Columns and links are concatenated in the order of the robots, and
// are named name/joint and name/link. Links of different robots are always tested against each other.
FcStatus fc_robot_join(const char *const *names, const struct FcRobot *const *robots, size_t n, struct FcRobot **robot);

// Frees a robot; null is not an error.
FcStatus fc_robot_free(struct FcRobot *robot);

// Number of columns of a configuration.
FcStatus fc_robot_n_columns(const struct FcRobot *robot, size_t *n);

// Name of a column: that of its joint.
FcStatus fc_robot_column_name(const struct FcRobot *robot, size_t column, const char **name);

// The index of the column with this name.
FcStatus fc_robot_find_column(const struct FcRobot *robot, const char *name, size_t *column);

// Kind of a column, and its lower and upper limits, infinite if the joint has none; either pointer may be null.
FcStatus fc_robot_column(const struct FcRobot *robot, size_t column, FcColumnKind *kind, double (*limits)[2]);

// Number of the links that have triangles.
FcStatus fc_robot_n_links(const struct FcRobot *robot, size_t *n);

// Name of a link.
FcStatus fc_robot_link_name(const struct FcRobot *robot, size_t link, const char **name);

// Vertices of a link's triangles in the frame of fc_engine_link_poses, three rows of x y z for each triangle.
FcStatus fc_robot_link_triangles(const struct FcRobot *robot, size_t link, struct FcRows *vertices);

// Warning number i about the robot's files, one line; FC_USAGE beyond the last one.
FcStatus fc_robot_warning(const struct FcRobot *robot, size_t i, const char **warning);

// Writes the values of a named state of the SRDF into a configuration of n columns. Columns that are not part of the
// state keep their values. For joined robots, the name of the state is preceded by the name of a robot and a slash.
FcStatus fc_robot_state(const struct FcRobot *robot, const char *state, double *values, size_t n);

// Rows that follow one another without gaps.
struct FcRows fc_rows(const double *data, size_t n_rows, size_t n_columns);

// Rows of indices that follow one another without gaps.
struct FcIndices fc_indices(const uint32_t *data, size_t n_rows, size_t n_columns);

// Makes an empty scene.
FcStatus fc_scene_new(struct FcScene **scene);

// Reads a scene: a mesh file, in which each named group becomes an object; a scene.json; or a URDF at its zero pose.
FcStatus fc_scene_from_file(const char *file, const struct FcLoadOptions *options, struct FcScene **scene);

// Frees a scene; null is not an error.
FcStatus fc_scene_free(struct FcScene *scene);

// Adds an object to a scene. Vertices are rows of x y z in a frame whose pose in the world is given by twelve numbers,
// the rows of a 3×4 matrix; null is the world's frame. Triangles are rows of three vertex indices; null if every
// three consecutive vertices form a triangle. The index of the object is written to object, unless that pointer is
// null.
FcStatus fc_scene_add_mesh(struct FcScene *scene,
                           const char *name,
                           const struct FcRows *vertices,
                           const struct FcIndices *triangles,
                           const double *pose,
                           size_t *object);

// Adds a box, cylinder, sphere or capsule to a scene, as triangles that enclose it and are nowhere more than
// chord_error_m away from it; the command line uses 0.001. The shape is centred at the origin of a frame with this
// pose, as for fc_scene_add_mesh, with its axis along z. The FC_SHAPE_ constants list the n_sizes sizes, metres. The
// index of the object is written to object, unless that pointer is null.
FcStatus fc_scene_add_shape(struct FcScene *scene,
                            const char *name,
                            FcShape shape,
                            const double *sizes_m,
                            size_t n_sizes,
                            double chord_error_m,
                            const double *pose,
                            size_t *object);

// Number of the objects of a scene.
FcStatus fc_scene_n_objects(const struct FcScene *scene, size_t *n);

// Name of an object, valid until the next text that a function returns in this thread.
FcStatus fc_scene_object_name(const struct FcScene *scene, size_t object, const char **name);

// Vertices of an object's triangles in the world, three rows of x y z for each triangle; valid until the scene changes
// or is freed.
FcStatus fc_scene_object_triangles(const struct FcScene *scene, size_t object, struct FcRows *vertices);

// Returns whether an object is a closed surface.
FcStatus fc_scene_object_is_closed(const struct FcScene *scene, size_t object, bool *is_closed);

// Warning number i about the scene's file, one line, valid until the next text that a function returns in this thread;
// FC_USAGE beyond the last one.
FcStatus fc_scene_warning(const struct FcScene *scene, size_t i, const char **warning);

// The last error of this thread on one line: file, place, message and remedy. Empty before the first error; valid
// until the next error in this thread.
const char *fc_error_message(void);

// The file that the last error of this thread is about, or null.
const char *fc_error_file(void);

// The place in the file or in the call, such as a line or a motion, or null.
const char *fc_error_place(void);

// The remedy for the last error of this thread, or null.
const char *fc_error_remedy(void);

// Checks any number of motions in bounded memory: takes them from a source when they are needed, and passes each
// answer to a sink as soon as it is known. Both are called in this thread, with the user's pointer. The counts are
// written to stats, unless that pointer is null.
FcStatus fc_engine_stream(const struct FcEngine *engine,
                          FcSource source,
                          FcSink sink,
                          void *user,
                          struct FcStats *stats);

// A trajectory along straight lines between waypoints, one for each row. The times, one for each waypoint, seconds,
// may be null.
FcStatus fc_trajectory_from_waypoints(const struct FcRows *waypoints,
                                      const double *times_s,
                                      struct FcTrajectory **trajectory);

// A trajectory of piecewise polynomials. Between breakpoints i and i + 1, seconds, column c is the sum over k of the
// coefficient in row k * (n_breakpoints - 1) + i times (time - breakpoint i) to the power degree - k. The degree is at
// most 15.
FcStatus fc_trajectory_from_polynomials(const double *breakpoints_s,
                                        size_t n_breakpoints,
                                        const struct FcRows *coefficients,
                                        struct FcTrajectory **trajectory);

// A trajectory through the points of a joint trajectory, as the joint trajectory controller of ROS 2 interpolates
// them: quintic with velocities and accelerations, cubic with velocities alone, otherwise straight. There must be one
// time, seconds, for each row of positions; velocities and accelerations, per second, may be null.
FcStatus fc_trajectory_from_points(const double *times_s,
                                   const struct FcRows *positions,
                                   const struct FcRows *velocities,
                                   const struct FcRows *accelerations,
                                   struct FcTrajectory **trajectory);

// Frees a trajectory; null is not an error.
FcStatus fc_trajectory_free(struct FcTrajectory *trajectory);

// Number of segments and of columns of a trajectory; either may be null.
FcStatus fc_trajectory_size(const struct FcTrajectory *trajectory, size_t *n_segments, size_t *n_columns);

// Writes the configuration of n columns at a time of a segment, from 0 to 1, to within rounding.
FcStatus fc_trajectory_at(const struct FcTrajectory *trajectory,
                          size_t segment,
                          double t,
                          double *configuration,
                          size_t n);

// Checks trajectories. The joint tolerance has one number for each of n_columns columns, radians or metres: answers
// then hold for every execution that stays within the tolerance at each time. The joint tolerance and the control may
// be null.
FcStatus fc_engine_check_trajectories(const struct FcEngine *engine,
                                      const struct FcTrajectory *const *trajectories,
                                      size_t n_trajectories,
                                      const double *joint_tolerance,
                                      size_t n_columns,
                                      const struct FcControl *control,
                                      struct FcResults **results);

// The version of the loaded library, as major * 1000000 + minor * 1000 + patch.
uint32_t fc_version(void);

// Returns whether the loaded library is compatible with a program that was compiled with this version of the header:
// fc_is_compatible(FC_VERSION_MAJOR, FC_VERSION_MINOR).
bool fc_is_compatible(uint32_t major, uint32_t minor);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FIRSTCONTACT_H */
