//! Rows per second of compiled formulas, beside the same arithmetic written in Rust.
//!
//! `plain` is a closure called for each row, `program` the blocks of [`Program::columns`], `row` one row at a time.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use runcast_formula::{Column, Formula, Program};

const ROWS: usize = 1 << 20;

/// A formula of p and N, and the same as a closure.
type Case = (&'static str, fn(f64, f64) -> f64);

const CASES: [Case; 5] = [
    ("2*p + N/p", |p, n| 2.0 * p + n / p),
    ("2/3*N^3/p + 0.02*sqrt(p)", |p, n| 2.0 / 3.0 * (n * n * n) / p + 0.02 * p.sqrt()),
    ("66.95 + 2.573*log2(p)", |p, _| 66.95 + 2.573 * p.log2()),
    ("1.3*p^0.7*N^1.1", |p, n| 1.3 * p.powf(0.7) * n.powf(1.1)),
    ("p <= 64 and N > 100 or p == 1", |p, n| f64::from(u8::from(p <= 64.0 && n > 100.0 || p == 1.0))),
];

fn compiled(text: &str) -> Program {
    let formula = Formula::parse(text).expect("the formulas of the benchmark are correct");
    formula.compile(&["p", "N"]).expect("p and N are all their names")
}

fn evaluate(criterion: &mut Criterion) {
    let p: Vec<f64> = (0..ROWS).map(|row| (row % 4096 + 1) as f64).collect();
    let n: Vec<f64> = (0..ROWS).map(|row| (row % 1000 * 100 + 50) as f64).collect();
    for (text, plain) in CASES {
        let program = compiled(text);
        let mut group = criterion.benchmark_group(text);
        group.throughput(Throughput::Elements(ROWS as u64));
        group.sample_size(20);
        let mut out = vec![0.0; ROWS];
        group.bench_function("plain", |bencher| {
            bencher.iter(|| {
                for ((out, &p), &n) in out.iter_mut().zip(&p).zip(&n) {
                    *out = plain(p, n);
                }
                black_box(&out);
            });
        });
        group.bench_function("program", |bencher| {
            bencher.iter(|| {
                let inputs = [Column::Number(black_box(&p)), Column::Number(black_box(&n))];
                program.columns(&inputs, &mut out).expect("the columns have equal lengths");
                black_box(&out);
            });
        });
        group.bench_function("row", |bencher| {
            bencher.iter(|| {
                for ((out, &p), &n) in out.iter_mut().zip(&p).zip(&n) {
                    *out = program.row(&[p, n]);
                }
                black_box(&out);
            });
        });
        group.finish();
    }
}

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    let nested = "(".repeat(100_000);
    let chain = format!("{}1", "a*p^2 + ".repeat(20_000));
    for (name, text) in [("short", CASES[1].0), ("nested", &nested), ("chain", &chain)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| text, |text| Formula::parse(black_box(text)), BatchSize::SmallInput);
        });
    }
    group.finish();
}

criterion_group!(benches, evaluate, parse);
criterion_main!(benches);
