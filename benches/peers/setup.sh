#!/bin/sh
# Builds the peers that `firstcontact bench peers --peers BUILD` uses: coal, fcl, tesseract and vamp, in BUILD; Python
# packages of fixed versions are installed into VENV. Anything that cannot be built is reported, and the rest is built
# nevertheless.
#   benches/peers/setup.sh VENV BUILD
# Needed: python3 with venv, g++, and from the system FCL 0.7 and Eigen 3:
#   apt-get install g++ python3-venv libfcl-dev libeigen3-dev
set -eu
if [ $# != 2 ]; then
    echo "usage: $0 VENV BUILD" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" "$2"
venv=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
missing=0
complain() {
    echo "$1" >&2
    missing=1
}

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --requirement "$here/requirements.txt" ||
    complain "pip could not install the packages into $venv"
eigen=${EIGEN:-/usr/include/eigen3}
[ -d "$eigen/Eigen" ] || complain "no Eigen in $eigen: apt-get install libeigen3-dev, or set EIGEN"
flags="-O3 -march=native -DNDEBUG -std=c++17 -Wall -isystem $eigen"

# coal's libraries and headers, including boost's, are part of the Python package.
prefix=$(echo "$venv"/lib/python3*/site-packages/cmeel.prefix)
echo "building coal"
g++ $flags -isystem "$prefix/include" "$here/coal.cpp" -o "$build/coal" \
    -L"$prefix/lib" -lcoal -Wl,-rpath,"$prefix/lib" ||
    complain "coal was not built"
echo "building fcl"
g++ $flags "$here/fcl.cpp" -o "$build/fcl" -lfcl -lccd -loctomap -loctomath ||
    complain "fcl was not built: apt-get install libfcl-dev"

# VAMP's source package. Its own build downloads from GitHub, so only its headers are used, and the models of its
# robots. What it takes from outside is Eigen and, for point clouds, which have no part here, a sort.
vamp_version=0.6.4
vamp=$build/vamp_planner-$vamp_version
echo "building vamp"
[ -d "$vamp" ] || {
    "$venv/bin/pip" download --quiet --no-deps --no-binary vamp-planner --dest "$build" vamp-planner==$vamp_version &&
        tar -xzf "$vamp.tar.gz" -C "$build"
} || complain "vamp-planner $vamp_version could not be downloaded"
mkdir -p "$build/vamp-robots" "$build/vamp-include"
for robot in panda ur5; do
    cp -R "$vamp/resources/$robot" "$build/vamp-robots" || complain "no model of VAMP's $robot"
done
cat >"$build/vamp-include/pdqsort.h" <<END
#pragma once
#include <algorithm>
template <class I, class Less> void pdqsort_branchless(I from, I to, Less less) { std::sort(from, to, less); }
END
# The flags are those of its CMake files.
g++ $flags -Wno-ignored-attributes -mavx2 -fno-math-errno -fno-signed-zeros -fno-trapping-math -fno-rounding-math \
    -ffp-contract=fast -fassociative-math -isystem "$vamp/src/impl" -isystem "$build/vamp-include" \
    -DVAMP_VERSION="\"$vamp_version\"" "$here/vamp.cpp" -o "$build/vamp" ||
    complain "vamp was not built: it needs a processor with AVX2"

cp "$here/problem.py" "$here/tesseract.py" "$build"
cat >"$build/tesseract" <<END
#!/bin/sh
exec "$venv/bin/python" "$build/tesseract.py" "\$@"
END
chmod +x "$build/tesseract"
"$venv/bin/python" -c 'import tesseract_robotics, scipy' || {
    rm "$build/tesseract"
    complain "tesseract-robotics cannot be imported"
}
exit $missing
