/* K-means of 3,000 points around three centers; C and C++. Options of bsf_options_from_args. */
#include "bsf.h"

#include <stdio.h>
#include <string.h>

enum { N = 3000, C = 3, D = 2 };

static double pt[N][D];

static int64_t map_fold(void *data, void *block, uint64_t first, uint64_t last, const void *xv, void *sum) {
  const double *x = (const double *)xv;
  double *s = (double *)sum; /* C*D sums, then C counts */
  (void)data, (void)block;
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
  return (int64_t)(last - first);
}

static int compute(void *data, void *xv, const void *sum, const bsf_at *at, double *norm, int32_t *next) {
  double *x = (double *)xv;
  const double *s = (const double *)sum;
  (void)data, (void)at, (void)next;
  for (int j = 0; j < C * D; j++) {
    double n = s[C * D + j / D], y = n > 0 ? s[j] / n : x[j];
    *norm += (y - x[j]) * (y - x[j]);
    x[j] = y;
  }
  return *norm < 1e-18 ? BSF_STOP : BSF_CONTINUE;
}

int main(int argc, char **argv) {
  double x[C * D] = {1, 1, 9, 9, 18, 18};
  bsf_job job;
  bsf_algorithm algorithm;
  bsf_options options;
  bsf_outcome outcome;

  for (int i = 0; i < N; i++)
    for (int k = 0; k < D; k++) pt[i][k] = i % 3 * 10 + (i * 7919L + k * 104729L) % 1000 / 1000.0;
  memset(&job, 0, sizeof job);
  job.abi = BSF_ABI, job.size = sizeof job;
  job.list_length = N, job.partial_bytes = (C * D + C) * sizeof(double);
  job.map_fold = map_fold, job.compute = compute;
  memset(&algorithm, 0, sizeof algorithm);
  algorithm.abi = BSF_ABI, algorithm.size = sizeof algorithm;
  algorithm.name = "kmeans", algorithm.jobs = &job, algorithm.job_count = 1, algorithm.x_bytes = sizeof x;

  bsf_options_init(&options);
  if (bsf_options_from_args(&options, &argc, argv) == BSF_USAGE) {
    fprintf(stderr, "%s\n", bsf_message());
    return 2;
  }
  if (bsf_run(&algorithm, &options, x, &outcome) >= BSF_FAILED) {
    fprintf(stderr, "%s\n", outcome.message);
    return outcome.status == BSF_USAGE ? 2 : 1;
  }
  if (outcome.is_master) {
    printf("status %d after %d of %d elements\n", (int)outcome.status, (int)outcome.iterations, (int)outcome.counter);
    for (int c = 0; c < C; c++) printf("%.4f %.4f\n", x[c * D], x[c * D + 1]);
  }
  for (int i = 1; i < argc; i++) printf("left %s\n", argv[i]);
  return 0;
}
