#!/usr/bin/env sh
# K-means by the C interface of the skeleton against a loop of OpenMP written by hand: benches/peers/openmp/make.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
target=${CARGO_TARGET_DIR:-$root/target}
(cd "$root" && cargo build --release --quiet -p runcast-bsf --features c)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
${CC:-cc} -O3 -march=native -fopenmp -I"$target/release" "$here/kmeans.c" -o "$program" \
    "$target/release/libbsf.a" -lpthread -ldl -lm
"$program"
