#!/usr/bin/env bash
# The skeleton for those who use it: CPU seconds of the first build of a Rust project on runcast-bsf, and k-means in C beside a
# loop written by hand with OpenMP. Prints the rows of docs/benchmarks.md. Needs cargo, a C compiler with OpenMP, awk.
#
#   bash benches/skeleton.sh [build|kmeans..]     both unless named
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
all=" ${*:-build kmeans} "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%U %S'

if [[ $all == *" build "* ]]; then
    mkdir -p user/src
    printf '[package]\nname = "user"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\nruncast-bsf = { path = "%s/crates/bsf" }\n' "$root" > user/Cargo.toml
    cp "$root/crates/bsf/examples/jacobi.rs" user/src/main.rs
    cp "$root/Cargo.lock" user/
    (cd user && cargo fetch --quiet)
    spent=$({ time (cd user && CARGO_TARGET_DIR=$work/target cargo build --quiet --release) 2> build.txt; } 2>&1)
    awk -v spent="$spent" 'BEGIN { split(spent, s, " "); cpu = s[1] + s[2]
        printf "| first build of a project on `runcast-bsf` | %.1f CPU s | 20 CPU s | %s |\n", cpu, (cpu <= 20 ? "met" : "missed") }'
fi

if [[ $all == *" kmeans "* ]]; then
    CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target} cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p runcast-bsf --features c
    lib=${CARGO_TARGET_DIR:-$root/target}/release
    # The program of the guide, with 3,000,000 points.
    sed 's/N = 3000,/N = 3000000,/' "$root/crates/bsf/tests/c/programs/kmeans.c" > kmeans.c
    cat > loop.c <<'END'
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 3000000, C = 3, D = 2, ITERATIONS = 60 };
static double pt[N][D];
static int less(const void *a, const void *b) { double d = *(const double *)a - *(const double *)b; return (d > 0) - (d < 0); }
int main(int argc, char **argv) {
  double x[C * D] = {1, 1, 9, 9, 18, 18}, times[ITERATIONS];
  omp_set_num_threads(argc > 1 ? atoi(argv[1]) : 1);
  for (int i = 0; i < N; i++)
    for (int k = 0; k < D; k++) pt[i][k] = i % 3 * 10 + (i * 7919L + k * 104729L) % 1000 / 1000.0;
  for (int it = 0; it < ITERATIONS; it++) {
    double sum[C * D + C] = {0}, start = omp_get_wtime();
#pragma omp parallel
    {
      double s[C * D + C] = {0};
#pragma omp for schedule(static)
      for (int i = 0; i < N; i++) {
        int best = 0;
        double least = 1e300;
        for (int c = 0; c < C; c++) {
          double d = 0;
          for (int k = 0; k < D; k++) d += (pt[i][k] - x[c * D + k]) * (pt[i][k] - x[c * D + k]);
          if (d < least) least = d, best = c;
        }
        for (int k = 0; k < D; k++) s[best * D + k] += pt[i][k];
        s[C * D + best] += 1;
      }
#pragma omp critical
      for (int j = 0; j < C * D + C; j++) sum[j] += s[j];
    }
    for (int j = 0; j < C * D; j++) x[j] = sum[C * D + j / D] > 0 ? sum[j] / sum[C * D + j / D] : x[j];
    times[it] = omp_get_wtime() - start;
  }
  qsort(times, ITERATIONS, sizeof *times, less);
  printf("%.9f\n", times[ITERATIONS / 2]);
  return 0;
}
END
    cc -O2 kmeans.c -I"$lib" "$lib/libbsf.a" -lpthread -ldl -lm -o kmeans
    cc -O2 -fopenmp loop.c -o loop
    for workers in 1 2; do
        # In turns, so that a slow minute hits both; the least of five medians.
        : > ours.txt; : > hand.txt
        for _ in 1 2 3 4 5; do
            ./kmeans --workers $workers --backend threads --iterations 60 --timings times.csv > out.txt
            awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["region"] == "iteration" && $at["rank"] == 0 { print $at["time_s"] }' times.csv >> ours.txt
            ./loop $workers >> hand.txt
        done
        awk -v workers=$workers -v ours="$(sort -g ours.txt | head -1)" -v hand="$(sort -g hand.txt | head -1)" 'BEGIN {
            more = 100*(ours/hand - 1)
            printf "| k-means in C, %d worker%s | %.2f ms an iteration, by hand %.2f ms: %+.1f %% | 5 %% | %s |\n", workers,
                (workers > 1 ? "s" : ""), 1e3*ours, 1e3*hand, more, (more <= 5 ? "met" : "missed") }'
    done
fi
