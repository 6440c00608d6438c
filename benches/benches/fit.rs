//! Reading files and fitting their series: what the time of `runcast fit` goes into.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use runcast_benches::{random, synthetic};
use runcast_core::roles::TableOptions;
use runcast_core::series::series_of;
use runcast_core::{Series, Table};
use runcast_fit::{FitOptions, Model, registry};
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;

const KERNELS: usize = 1000;

fn table(name: &str, text: &str) -> Table {
    Table::read(name, text.as_bytes(), &Default::default()).expect("the files of the benchmark are correct")
}

fn series(name: &str, text: &str) -> Vec<Arc<Series>> {
    let set = series_of(&table(name, text), &TableOptions::default()).expect("the roles of the columns are clear");
    set.series.into_iter().map(Arc::new).collect()
}

fn fit_all(series: &[Arc<Series>], model: &str) {
    let regression = registry::find(model).expect("a model of this name");
    for series in series {
        black_box(Model::fit(black_box(series), regression, &FitOptions::default()).expect("a fit"));
    }
}

/// Weak scaling in several problem sizes, as application codes are measured: `p, N, time_s`, three repetitions.
fn panel() -> String {
    let mut random = random::Random::new(7);
    let mut text = String::from("p,N,rep,time_s\n");
    for size in [1e4, 2e4, 4e4, 8e4, 16e4] {
        for p in [8.0, 27.0, 64.0, 125.0, 216.0] {
            for rep in 1..=3 {
                let time_s = 1e-4 * size * (1.0 + 0.05 * f64::log2(p)) * (1.0 + 0.02 * random.normal());
                let _ = writeln!(text, "{p},{},{rep},{time_s}", p * size);
            }
        }
    }
    text
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    let text = synthetic::wide_terms(KERNELS, 1).text;
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    group.bench_function("1000 kernels, Extra-P text", |bencher| bencher.iter(|| table("b.txt", black_box(&text))));
    group.bench_function("1000 kernels, to series", |bencher| bencher.iter(|| series("b.txt", black_box(&text))));
    group.finish();
}

fn fit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fit");
    group.sample_size(10);
    let one = series("b.txt", &synthetic::wide_terms(KERNELS, 1).text);
    group.throughput(Throughput::Elements(one.len() as u64));
    for model in ["pmnf", "pmnf-pt", "power", "auto"] {
        group.bench_function(format!("{model}, 1000 series"), |bencher| bencher.iter(|| fit_all(&one, model)));
    }
    let two = series("c.txt", &synthetic::two_parameters(KERNELS / 10, 3));
    group.throughput(Throughput::Elements(two.len() as u64));
    group.bench_function("pmnf, 100 series on a 5 x 5 grid", |bencher| bencher.iter(|| fit_all(&two, "pmnf")));
    let panel = series("panel.csv", &panel());
    group.throughput(Throughput::Elements(panel.len() as u64));
    group.bench_function("auto, 5 sizes x 5 processes", |bencher| bencher.iter(|| fit_all(&panel, "auto")));
    group.finish();
}

criterion_group!(benches, read, fit);
criterion_main!(benches);
