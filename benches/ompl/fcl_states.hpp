// States that FCL checks: trees of oriented boxes over the triangles that the engine has, in the same pairs.

#ifndef FCL_STATES_HPP
#define FCL_STATES_HPP

#include <fcl/fcl.h>
#include <firstcontact_ompl.hpp>

#include "problems.hpp"

namespace fcl_states {

namespace fc = firstcontact;
namespace ob = ompl::base;

class Checker : public ob::StateValidityChecker {
public:
    Checker(const ob::SpaceInformationPtr &si, const problems::Problem &problem, const fc::Robot &robot,
            std::shared_ptr<const fc::Engine> engine, fc::planning::Configurations configurations)
        : ob::StateValidityChecker(si), engine_(std::move(engine)), configurations_(std::move(configurations)) {
        for (std::size_t link = 0; link < robot.links().size(); link++) {
            const fc::Rows rows = robot.link_triangles(link);
            std::vector<fcl::Vector3d> vertices;
            std::vector<fcl::Triangle> faces;
            for (std::size_t i = 0; i < rows.n_rows(); i++) {
                vertices.emplace_back(rows(i, 0), rows(i, 1), rows(i, 2));
                if (i % 3 == 2) {
                    faces.emplace_back(i - 2, i - 1, i);
                }
            }
            links_.push_back(tree(vertices, faces));
        }
        for (const problems::Mesh &mesh : problem.meshes) {
            std::vector<fcl::Vector3d> vertices;
            std::vector<fcl::Triangle> faces;
            for (const auto &v : mesh.vertices) {
                vertices.emplace_back(v[0], v[1], v[2]);
            }
            for (const auto &face : mesh.faces) {
                faces.emplace_back(face[0], face[1], face[2]);
            }
            obstacles_.push_back(tree(vertices, faces));
        }
        pairs_ = engine_->link_pairs();
        poses_.resize(links_.size());
    }

    bool isValid(const ob::State *state) const override {
        place(state);
        for (const auto &link : links_) {
            for (const auto &obstacle : obstacles_) {
                if (touch(*link, *obstacle)) {
                    return false;
                }
            }
        }
        return std::none_of(pairs_.begin(), pairs_.end(),
                            [this](const auto &pair) { return touch(*links_[pair[0]], *links_[pair[1]]); });
    }

    // Moves the links; the kinematics are the engine's.
    void place(const ob::State *state) const {
        double start[16], end[16];
        configurations_(state, state, start, end);
        fc_engine_link_poses(engine_->get(), start, engine_->n_columns(),
                             reinterpret_cast<double(*)[12]>(poses_.data()), poses_.size());
        for (std::size_t i = 0; i < links_.size(); i++) {
            fcl::Transform3d pose = fcl::Transform3d::Identity();
            for (int k = 0; k < 12; k++) {
                pose.matrix()(k / 4, k % 4) = poses_[i][static_cast<std::size_t>(k)];
            }
            links_[i]->setTransform(pose);
            links_[i]->computeAABB();
        }
    }

private:
    using Object = std::unique_ptr<fcl::CollisionObjectd>;

    static Object tree(const std::vector<fcl::Vector3d> &vertices, const std::vector<fcl::Triangle> &faces) {
        auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
        model->beginModel(static_cast<int>(faces.size()), static_cast<int>(vertices.size()));
        model->addSubModel(vertices, faces);
        model->endModel();
        auto object = std::make_unique<fcl::CollisionObjectd>(model);
        object->computeAABB();
        return object;
    }

    static bool touch(const fcl::CollisionObjectd &a, const fcl::CollisionObjectd &b) {
        if (!a.getAABB().overlap(b.getAABB())) {
            return false;
        }
        const fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        return fcl::collide(&a, &b, request, result) > 0;
    }

    std::shared_ptr<const fc::Engine> engine_;
    fc::planning::Configurations configurations_;
    std::vector<Object> links_, obstacles_;
    std::vector<std::array<std::size_t, 2>> pairs_;
    mutable std::vector<std::array<double, 12>> poses_;
};

}  // namespace fcl_states

#endif  // FCL_STATES_HPP
