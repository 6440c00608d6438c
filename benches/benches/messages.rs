//! A million numbers into the bytes of a message and back, as the skeleton does it, beside plain copies of them.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn messages(criterion: &mut Criterion) {
    let numbers: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let mut bytes = postcard::to_extend(&numbers, Vec::new()).expect("encoded");
    let mut copy = bytes.clone();
    let mut place = numbers.clone();
    let mut group = criterion.benchmark_group("a million numbers");
    group.throughput(Throughput::Bytes(8 * numbers.len() as u64));
    group.sample_size(50);
    group.bench_function("plain copy", |bencher| bencher.iter(|| copy.copy_from_slice(black_box(&bytes))));
    group.bench_function("encode", |bencher| {
        bencher.iter(|| {
            bytes.clear();
            bytes = postcard::to_extend(black_box(&numbers), std::mem::take(&mut bytes)).expect("encoded");
        });
    });
    group.bench_function("decode in place", |bencher| {
        bencher.iter(|| {
            let mut decoder = postcard::Deserializer::from_bytes(black_box(&bytes));
            serde::Deserialize::deserialize_in_place(&mut decoder, &mut place).expect("decoded");
        });
    });
    group.bench_function("decode", |bencher| {
        bencher.iter(|| postcard::from_bytes::<Vec<f64>>(black_box(&bytes)).expect("decoded"));
    });
    group.finish();
}

criterion_group!(benches, messages);
criterion_main!(benches);
