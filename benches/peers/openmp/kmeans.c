/* K-means by the skeleton and by a loop of OpenMP, time of an iteration, the least of 15 runs; and an iteration in which
 * nothing is computed. Built and run by make.sh. */
#include "bsf.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { N = 1000000, C = 8, D = 4, ITERATIONS = 20 };
static double pt[N][D];
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static inline void block_of(uint64_t first, uint64_t last, const double *x, double *s) {
  for (uint64_t i = first; i < last; i++) {
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
}
static int64_t map_fold(void *data, void *block, uint64_t first, uint64_t last, const void *x, void *sum) {
  (void)data, (void)block;
  block_of(first, last, x, sum);
  return (int64_t)(last - first);
}
static double step(double *x, const double *s) {
  double norm = 0;
  for (int j = 0; j < C * D; j++) {
    double n = s[C * D + j / D], y = n > 0 ? s[j] / n : x[j];
    norm += (y - x[j]) * (y - x[j]);
    x[j] = y;
  }
  return norm;
}
static int compute(void *data, void *x, const void *sum, const bsf_at *at, double *norm, int32_t *next) {
  (void)data, (void)at, (void)next;
  *norm = step(x, sum);
  return BSF_CONTINUE;
}
static void start(double *x) {
  for (int j = 0; j < C * D; j++) x[j] = pt[j / D * 1000][j % D];
}

static void must(bsf_status status, const bsf_outcome *out) {
  if (status < BSF_FAILED) return;
  fprintf(stderr, "%s\n", out->message);
  exit(1);
}

static double by_skeleton(int threads, double *x) {
  bsf_job job = { .abi = BSF_ABI, .size = sizeof job, .list_length = N, .map_fold = map_fold, .compute = compute };
  job.partial_bytes = (C * D + C) * sizeof(double);
  bsf_algorithm a = { .abi = BSF_ABI, .size = sizeof a, .name = "kmeans", .jobs = &job, .job_count = 1 };
  a.x_bytes = C * D * sizeof(double);
  bsf_options o;
  bsf_outcome out;
  bsf_options_init(&o);
  o.workers = threads, o.iterations = ITERATIONS;
  start(x);
  double begun = now();
  must(bsf_run(&a, &o, x, &out), &out);
  return (now() - begun) / ITERATIONS;
}
static double by_hand(int threads, double *x) {
  start(x);
  double begun = now();
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    double s[C * D + C] = { 0 };
#pragma omp parallel num_threads(threads)
    {
      double own[C * D + C] = { 0 };
      int t = omp_get_thread_num(), all = omp_get_num_threads();
      block_of((uint64_t)N * t / all, (uint64_t)N * (t + 1) / all, x, own);
#pragma omp critical
      for (int j = 0; j < C * D + C; j++) s[j] += own[j];
    }
    step(x, s);
  }
  return (now() - begun) / ITERATIONS;
}

static int64_t nothing(void *data, void *block, uint64_t first, uint64_t last, const void *x, void *sum) {
  (void)data, (void)block, (void)x, (void)sum;
  return (int64_t)(last - first);
}

static int go_on(void *data, void *x, const void *sum, const bsf_at *at, double *norm, int32_t *next) {
  (void)data, (void)x, (void)sum, (void)at, (void)next;
  *norm = 1;
  return BSF_CONTINUE;
}

/* Nanoseconds of an iteration over one element: one call of map_fold, one of compute. */
static double empty(uint64_t iterations) {
  bsf_job job = { .abi = BSF_ABI, .size = sizeof job, .list_length = 1, .map_fold = nothing, .compute = go_on };
  job.partial_bytes = 8;
  bsf_algorithm a = { .abi = BSF_ABI, .size = sizeof a, .name = "empty", .jobs = &job, .job_count = 1 };
  a.x_bytes = 8;
  bsf_options o;
  bsf_outcome out;
  double x = 0;
  bsf_options_init(&o);
  o.backend = 1, o.workers = 1, o.iterations = iterations; /* serial */
  double begun = now();
  must(bsf_run(&a, &o, &x, &out), &out);
  return 1e9 * (now() - begun) / iterations;
}
int main(void) {
  double x[C * D], y[C * D];
  for (int i = 0; i < N; i++)
    for (int k = 0; k < D; k++) pt[i][k] = i % C * 10 + (i * 7919L + k * 104729L) % 1000 / 1000.0;
  for (int threads = 1; threads <= 2; threads++) {
    double a = 1e9, b = 1e9;
    for (int run = 0; run < 15; run++) {
      double t = by_skeleton(threads, x);
      if (t < a) a = t;
      t = by_hand(threads, y);
      if (t < b) b = t;
    }
    double off = 0;
    for (int j = 0; j < C * D; j++) off += (x[j] - y[j]) * (x[j] - y[j]);
    printf("%d threads: skeleton %.2f ms, by hand %.2f ms, %+.1f %%; ", threads, 1e3 * a, 1e3 * b, 100 * (a / b - 1));
    printf("square distance of the centers %g\n", off);
  }
  double e = 1e9, t;
  for (int run = 0; run < 10; run++)
    if ((t = empty(200000)) < e) e = t;
  printf("an iteration that computes nothing, serial: %.0f ns\n", e);
  return 0;
}
