// Trajectories.

#ifndef FIRSTCONTACT_TRAJECTORY_HPP
#define FIRSTCONTACT_TRAJECTORY_HPP

#include "views.hpp"

FIRSTCONTACT_BEGIN_NAMESPACE

// A path of all columns: each segment is a polynomial of time for every column.
class Trajectory {
public:
    // Straight lines between waypoints, one for each row. Times, in seconds, are optional.
    static Result<Trajectory> from_waypoints(const Rows &waypoints, const Row &times_s = {}) {
        if (!times_s.empty() && times_s.size() != waypoints.n_rows()) {
            return wrong_size(times_s.size(), "times", waypoints.n_rows(), "waypoints");
        }
        Trajectory path;
        const double *times = times_s.empty() ? nullptr : times_s.data();
        const FcStatus status = fc_trajectory_from_waypoints(waypoints.get(), times, path.handle_.out());
        return detail::finish(status, std::move(path));
    }

    // Piecewise polynomials: row k * (n_breakpoints - 1) + i has the coefficients of (time - breakpoint i) to the
    // degree - k in segment i, for each column. Seconds.
    static Result<Trajectory> from_polynomials(const Row &breakpoints_s, const Rows &coefficients) {
        Trajectory path;
        const FcStatus status = fc_trajectory_from_polynomials(breakpoints_s.data(), breakpoints_s.size(),
                                                               coefficients.get(), path.handle_.out());
        return detail::finish(status, std::move(path));
    }

    // The points of a joint trajectory, as the joint trajectory controller of ROS 2 interpolates them: quintic with
    // velocities and accelerations, cubic with velocities alone, otherwise straight. Empty arrays count as missing.
    static Result<Trajectory> from_points(const Row &times_s, const Rows &positions, const Rows &velocities = {},
                                          const Rows &accelerations = {}) {
        if (times_s.size() != positions.n_rows()) {
            return wrong_size(times_s.size(), "times", positions.n_rows(), "points");
        }
        const auto or_null = [](const Rows &rows) { return rows.n_rows() == 0 ? nullptr : rows.get(); };
        Trajectory path;
        const FcStatus status = fc_trajectory_from_points(times_s.data(), positions.get(), or_null(velocities),
                                                          or_null(accelerations), path.handle_.out());
        return detail::finish(status, std::move(path));
    }

    std::size_t n_segments() const noexcept {
        std::size_t n = 0;
        fc_trajectory_size(get(), &n, nullptr);
        return n;
    }

    std::size_t n_columns() const noexcept {
        std::size_t n = 0;
        fc_trajectory_size(get(), nullptr, &n);
        return n;
    }

    // The configuration at a time of a segment, from 0 to 1, to within rounding.
    Result<std::vector<double>> at(std::size_t segment, double t) const {
        std::vector<double> configuration(n_columns());
        const FcStatus status = fc_trajectory_at(get(), segment, t, configuration.data(), configuration.size());
        return detail::finish(status, std::move(configuration));
    }

    const FcTrajectory *get() const noexcept { return handle_.get(); }

private:
    Trajectory() = default;

    static Result<Trajectory> wrong_size(std::size_t have, const char *what, std::size_t want, const char *of) {
        return detail::fail<Trajectory>(
            Error(FC_USAGE, std::to_string(have) + " " + what + " for " + std::to_string(want) + " " + of));
    }

    detail::Handle<FcTrajectory, fc_trajectory_free> handle_;
};

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_TRAJECTORY_HPP
