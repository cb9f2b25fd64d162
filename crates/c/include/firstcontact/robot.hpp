// Robots.

#ifndef FIRSTCONTACT_ROBOT_HPP
#define FIRSTCONTACT_ROBOT_HPP

#include "options.hpp"

FIRSTCONTACT_BEGIN_NAMESPACE

// A column of configurations.
struct Column {
    // Name of its joint.
    std::string name;
    // FC_COLUMN_ANGLE, FC_COLUMN_LENGTH or FC_COLUMN_FREE.
    FcColumnKind kind;
    // Lower and upper limit, infinite without limits.
    double lower, upper;
};

// A robot, with its semantic description if it has one; or several robots joined into one. The columns of a
// configuration are the moving joints, in the order of the URDF.
class Robot {
public:
    // Reads a URDF file, and an SRDF file unless its name is empty.
    static Result<Robot> from_files(const std::string &urdf, const std::string &srdf = {},
                                    const LoadOptions &options = {}) {
        return make(options, [&](const FcLoadOptions *read, FcRobot **to) {
            return fc_robot_from_files(urdf.c_str(), detail::or_null(srdf), read, to);
        });
    }

    // Reads texts. The paths of meshes are resolved as if the URDF were a file in the folder; an empty name is the
    // current folder.
    static Result<Robot> from_texts(const std::string &urdf, const std::string &srdf = {},
                                    const std::string &folder = {}, const LoadOptions &options = {}) {
        return make(options, [&](const FcLoadOptions *read, FcRobot **to) {
            return fc_robot_from_texts(urdf.c_str(), detail::or_null(srdf), detail::or_null(folder), read, to);
        });
    }

    // Several robots as one, whose columns and links are called name/joint and name/link.
    static Result<Robot> join(const std::vector<std::pair<std::string, const Robot *>> &parts) {
        std::vector<const char *> names;
        std::vector<const FcRobot *> robots;
        for (const auto &part : parts) {
            names.push_back(part.first.c_str());
            robots.push_back(part.second ? part.second->get() : nullptr);
        }
        Robot joined;
        const FcStatus status = fc_robot_join(names.data(), robots.data(), parts.size(), joined.handle_.out());
        return detail::finish(status, std::move(joined));
    }

    std::size_t n_columns() const noexcept {
        std::size_t n = 0;
        fc_robot_n_columns(get(), &n);
        return n;
    }

    std::vector<Column> columns() const {
        std::vector<Column> columns;
        const char *name = nullptr;
        while (fc_robot_column_name(get(), columns.size(), &name) == FC_OK) {
            double limits[2] = {0.0, 0.0};
            FcColumnKind kind = FC_COLUMN_ANGLE;
            fc_robot_column(get(), columns.size(), &kind, &limits);
            columns.push_back({name, kind, limits[0], limits[1]});
        }
        return columns;
    }

    // The index of the column with this name.
    Result<std::size_t> find_column(const std::string &name) const {
        std::size_t column = 0;
        const FcStatus status = fc_robot_find_column(get(), name.c_str(), &column);
        return detail::finish(status, column);
    }

    std::size_t n_links() const noexcept {
        std::size_t n = 0;
        fc_robot_n_links(get(), &n);
        return n;
    }

    // The links with triangles.
    std::vector<std::string> links() const {
        return detail::all_texts(
            [this](std::size_t i, const char **name) { return fc_robot_link_name(get(), i, name); });
    }

    // Vertices of a link's triangles, three rows of x y z for each, in the frame of Engine::link_poses; valid as long
    // as the robot.
    Result<Rows> link_triangles(std::size_t link) const {
        FcRows rows{};
        const FcStatus status = fc_robot_link_triangles(get(), link, &rows);
        return detail::finish(status, Rows(rows));
    }

    // A configuration with the values of a named state of the SRDF; columns that are not part of the state are 0.
    Result<std::vector<double>> state(const std::string &name) const {
        std::vector<double> values(n_columns());
        const FcStatus status = fc_robot_state(get(), name.c_str(), values.data(), values.size());
        return detail::finish(status, std::move(values));
    }

    // Warnings about the files, one line each.
    std::vector<std::string> warnings() const {
        return detail::all_texts([this](std::size_t i, const char **text) { return fc_robot_warning(get(), i, text); });
    }

    const FcRobot *get() const noexcept { return handle_.get(); }

private:
    Robot() = default;

    template <class Read>
    static Result<Robot> make(const LoadOptions &options, Read read) {
        if (auto error = detail::wrong_version()) {
            return detail::fail<Robot>(*error);
        }
        const detail::LoadSetters setters(options);
        Robot robot;
        const FcStatus status = setters.status() == FC_OK ? read(setters.get(), robot.handle_.out()) : setters.status();
        return detail::finish(status, std::move(robot));
    }

    detail::Handle<FcRobot, fc_robot_free> handle_;
};

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_ROBOT_HPP
