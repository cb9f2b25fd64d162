// Options: those that are not set have the defaults of the library.

#ifndef FIRSTCONTACT_OPTIONS_HPP
#define FIRSTCONTACT_OPTIONS_HPP

#include "views.hpp"

FIRSTCONTACT_BEGIN_NAMESPACE

// Options for reading robots and scenes.
struct LoadOptions {
    // The pose of the root link in the world: x y z (metres), roll pitch yaw (radians).
    std::optional<std::array<double, 6>> base;
    // FC_GEOMETRY_AUTO, FC_GEOMETRY_COLLISION or FC_GEOMETRY_VISUAL.
    std::optional<FcGeometry> geometry;
    // Largest distance by which tessellated primitives may extend beyond the true shape, metres.
    std::optional<double> chord_error_m;
    // Folders in which package://name/rest is looked up.
    std::vector<std::string> package_paths;
    // A free joint before the root, whose seven columns x y z qx qy qz qw are the first.
    bool floating_root = false;
    // Memory that files and triangles may take, bytes.
    std::optional<std::uint64_t> memory_bytes;
};

// Options of engines.
struct Options {
    // The distance that counts as contact, metres.
    std::optional<double> margin_m;
    // The largest width of a certified time of contact, as a fraction of the motion.
    std::optional<double> tolerance;
    // "auto", "cpu", "gpu", or a part of an adapter's name.
    std::string device;
    // FC_MODE_TOC or FC_MODE_VERDICT.
    std::optional<FcMode> mode;
    // FC_INITIAL_REPORT or FC_INITIAL_IGNORE.
    std::optional<FcInitial> initial;
    // FC_SOLIDS_WARN, FC_SOLIDS_CONTACT or FC_SOLIDS_OFF.
    std::optional<FcSolids> solids;
    // FC_SELF_COLLISION_AUTO, FC_SELF_COLLISION_OFF or FC_SELF_COLLISION_ON.
    std::optional<FcSelfCollision> self_collision;
    // Pairs that are never tested: a link and an object, or two links. The link and the object may each be "*" for all.
    std::vector<std::pair<std::string, std::string>> allow;
    // Results list all contacts that begin at the time of the first one.
    bool all_contacts = false;
    // Results can write certificates.
    bool certificates = false;
    // Maximum number of evaluations for a motion.
    std::optional<std::uint64_t> evaluation_cap;
    // Number of threads on the CPU, 0 for all cores.
    std::size_t threads = 0;
    // Memory for the work on motions, bytes.
    std::optional<std::uint64_t> memory_bytes;
    // A file in which the scene's tree is cached for later engines.
    std::string tree_cache;
};

namespace detail {

// Options as the library takes them, and the status of setting them.
template <class T, FcStatus (*New)(T **), FcStatus (*Free)(T *)>
class Setters {
public:
    Setters() { status_ = New(handle_.out()); }

    // Sets an option, unless there was an error.
    template <class Set, class... Values>
    void set(Set setter, const Values &...values) {
        if (status_ == FC_OK) {
            status_ = setter(handle_.get(), values...);
        }
    }

    template <class Set, class Value>
    void set_if(Set setter, const std::optional<Value> &value) {
        if (value) {
            set(setter, *value);
        }
    }

    FcStatus status() const noexcept { return status_; }
    const T *get() const noexcept { return handle_.get(); }

private:
    Handle<T, Free> handle_;
    FcStatus status_;
};

class LoadSetters : public Setters<FcLoadOptions, fc_load_options_new, fc_load_options_free> {
public:
    explicit LoadSetters(const LoadOptions &of) {
        if (of.base) {
            set(fc_load_options_set_base, of.base->data());
        }
        set_if(fc_load_options_set_geometry, of.geometry);
        set_if(fc_load_options_set_chord_error, of.chord_error_m);
        for (const std::string &folder : of.package_paths) {
            set(fc_load_options_add_package_path, folder.c_str());
        }
        set(fc_load_options_set_floating_root, static_cast<std::int32_t>(of.floating_root));
        set_if(fc_load_options_set_memory, of.memory_bytes);
    }
};

class EngineSetters : public Setters<FcOptions, fc_options_new, fc_options_free> {
public:
    explicit EngineSetters(const Options &of) {
        set_if(fc_options_set_margin, of.margin_m);
        set_if(fc_options_set_tolerance, of.tolerance);
        if (!of.device.empty()) {
            set(fc_options_set_device, of.device.c_str());
        }
        set_if(fc_options_set_mode, of.mode);
        set_if(fc_options_set_initial, of.initial);
        set_if(fc_options_set_solids, of.solids);
        set_if(fc_options_set_self_collision, of.self_collision);
        for (const auto &pair : of.allow) {
            set(fc_options_allow, pair.first.c_str(), pair.second.c_str());
        }
        set(fc_options_set_all_contacts, static_cast<std::int32_t>(of.all_contacts));
        set(fc_options_set_certificates, static_cast<std::int32_t>(of.certificates));
        set_if(fc_options_set_evaluation_cap, of.evaluation_cap);
        set(fc_options_set_threads, of.threads);
        set_if(fc_options_set_memory, of.memory_bytes);
        if (!of.tree_cache.empty()) {
            set(fc_options_set_tree_cache, of.tree_cache.c_str());
        }
    }
};

}  // namespace detail

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_OPTIONS_HPP
