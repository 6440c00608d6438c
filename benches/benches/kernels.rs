//! Kernels of `runcast_bsf`, for every width of vectors that this processor has: bytes of the columns per second.
//!
//! The smaller matrix stays in the second cache, so that the loop itself is seen; the larger one comes from memory.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use runcast_bsf::kernels::{Vectors, add_columns_by, dot_by};

fn columns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("add_columns");
    group.sample_size(20);
    for size in [256_usize, 5000] {
        let (matrix, factors) = (vec![0.5; size * size], vec![0.25; size]);
        let mut sum = vec![0.0; size];
        group.throughput(Throughput::Bytes(8 * (size * size) as u64));
        for vectors in Vectors::available() {
            let id = BenchmarkId::new(vectors.name(), size);
            group.bench_function(id, |bencher| {
                bencher.iter(|| add_columns_by(vectors, black_box(&mut sum), black_box(&matrix), &factors));
            });
        }
    }
    group.finish();
}

fn products(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("dot");
    for length in [1500_usize, 1 << 24] {
        let (a, b) = (vec![0.5; length], vec![0.25; length]);
        group.throughput(Throughput::Bytes(16 * length as u64));
        group.sample_size(20);
        for vectors in Vectors::available() {
            let id = BenchmarkId::new(vectors.name(), length);
            group.bench_function(id, |bencher| bencher.iter(|| dot_by(vectors, black_box(&a), black_box(&b))));
        }
    }
    group.finish();
}

criterion_group!(benches, columns, products);
criterion_main!(benches);
