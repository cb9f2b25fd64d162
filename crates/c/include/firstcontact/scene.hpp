// Scenes.

#ifndef FIRSTCONTACT_SCENE_HPP
#define FIRSTCONTACT_SCENE_HPP

#include "options.hpp"

FIRSTCONTACT_BEGIN_NAMESPACE

// Named objects of triangles. Later changes to a scene do not affect engines that were made with it.
class Scene {
public:
    // An empty scene.
    static Result<Scene> empty() {
        if (auto error = detail::wrong_version()) {
            return detail::fail<Scene>(*error);
        }
        Scene scene;
        const FcStatus status = fc_scene_new(scene.handle_.out());
        return detail::finish(status, std::move(scene));
    }

    // Reads a mesh file, in which each named group becomes an object; a scene.json; or a URDF at its zero pose.
    static Result<Scene> from_file(const std::string &file, const LoadOptions &options = {}) {
        if (auto error = detail::wrong_version()) {
            return detail::fail<Scene>(*error);
        }
        const detail::LoadSetters setters(options);
        Scene scene;
        const FcStatus status = setters.status() == FC_OK
                                    ? fc_scene_from_file(file.c_str(), setters.get(), scene.handle_.out())
                                    : setters.status();
        return detail::finish(status, std::move(scene));
    }

    // Adds an object: rows of x y z, and rows of three indices of vertices. Returns its index.
    Result<std::size_t> add_mesh(const std::string &name, const Rows &vertices, const Indices &triangles,
                                 const Pose &pose = {}) {
        return added([&](std::size_t *object) {
            return fc_scene_add_mesh(get(), name.c_str(), vertices.get(), triangles.get(), pose.data(), object);
        });
    }

    // Adds an object in which every three consecutive vertices form a triangle.
    Result<std::size_t> add_mesh(const std::string &name, const Rows &vertices, const Pose &pose = {}) {
        return added([&](std::size_t *object) {
            return fc_scene_add_mesh(get(), name.c_str(), vertices.get(), nullptr, pose.data(), object);
        });
    }

    // Adds a shape as triangles that enclose it, nowhere more than the chord error away from it: FC_SHAPE_BOX with its
    // edges in x, y, z; FC_SHAPE_CYLINDER with radius and length; FC_SHAPE_SPHERE with its radius; FC_SHAPE_CAPSULE
    // with radius and length without the round ends; metres. Its centre is the origin, its axis z.
    Result<std::size_t> add_shape(const std::string &name, FcShape shape, const Row &sizes_m, const Pose &pose = {},
                                  double chord_error_m = 1e-3) {
        return added([&](std::size_t *object) {
            return fc_scene_add_shape(get(), name.c_str(), shape, sizes_m.data(), sizes_m.size(), chord_error_m,
                                      pose.data(), object);
        });
    }

    std::size_t n_objects() const noexcept {
        std::size_t n = 0;
        fc_scene_n_objects(get(), &n);
        return n;
    }

    // Names of the objects.
    std::vector<std::string> objects() const {
        return detail::all_texts(
            [this](std::size_t i, const char **name) { return fc_scene_object_name(get(), i, name); });
    }

    // Vertices of an object's triangles in the world, three rows of x y z for each; valid until the scene changes.
    Result<Rows> triangles(std::size_t object) const {
        FcRows rows{};
        const FcStatus status = fc_scene_object_triangles(get(), object, &rows);
        return detail::finish(status, Rows(rows));
    }

    // Returns whether an object is a closed surface.
    Result<bool> is_closed(std::size_t object) const {
        bool is_closed = false;
        const FcStatus status = fc_scene_object_is_closed(get(), object, &is_closed);
        return detail::finish(status, is_closed);
    }

    // Warnings about the file, one line each.
    std::vector<std::string> warnings() const {
        return detail::all_texts([this](std::size_t i, const char **text) { return fc_scene_warning(get(), i, text); });
    }

    FcScene *get() const noexcept { return handle_.get(); }
    // Releases the handle, for functions that take the scene.
    FcScene *release() noexcept { return handle_.release(); }

private:
    Scene() = default;

    template <class Add>
    Result<std::size_t> added(Add add) {
        std::size_t object = 0;
        const FcStatus status = add(&object);
        return detail::finish(status, object);
    }

    detail::Handle<FcScene, fc_scene_free> handle_;
};

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_SCENE_HPP
