// FCL 0.7.0: InterpMotion(tf1, tf2) never sets reference_p, so the pose half way depends on the previous contents of
// the memory.
//   g++ -O2 -std=c++17 -isystem /usr/include/eigen3 fcl_uninit.cpp -o fcl_uninit -lfcl -lccd && ./fcl_uninit
// The last three columns of a time should be the same in all blocks; they are not.
#include <fcl/fcl.h>
#include <cstdio>
#include <new>

int main() {
  fcl::Transform3d from = fcl::Transform3d::Identity(), to = from;
  from.linear() = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  to.linear() = Eigen::AngleAxisd(0.5, Eigen::Vector3d(0, 1, -0.5).normalized()).toRotationMatrix() * from.linear();
  to.translation() << 0.3, 0.2, 0.1;
  alignas(64) static unsigned char memory[sizeof(fcl::InterpMotion<double>)];
  for (double before : {0.0, 1.0, 5.0}) {
    for (size_t i = 0; i + sizeof before <= sizeof memory; i += sizeof before)
      *reinterpret_cast<double*>(memory + i) = before;
    auto* motion = new (memory) fcl::InterpMotion<double>(from, to);
    for (double t : {0.0, 0.5, 1.0}) {
      motion->integrate(t);
      fcl::Transform3d pose;
      motion->getCurrentTransform(pose);
      const auto& at = pose.translation();
      printf("memory held %.0f: t = %.1f, origin at %.3f %.3f %.3f\n", before, t, at.x(), at.y(), at.z());
    }
  }
}
