//! Many visits: spills, aggregates, the bound on memory.

use crate::support::{C, Place, Trace, build, for_c, number};
use std::collections::BTreeMap;

const MIB: f64 = 1024.0;

/// A run of `work.c`, and its peak of memory in KiB.
fn run(arguments: &str, flags: &str, variables: &[(&str, &str)]) -> (Trace, f64) {
    let place = Place::new();
    let ran = place.run(&build(C[0], &["work.c"], flags), arguments, variables);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments}");
    (place.trace("p.cll.0.csv"), ran.stdout.trim().parse().expect("a peak"))
}

/// What a program needs without samples.
fn least() -> f64 {
    run("", "", &[]).1
}

/// Number, least, greatest and mean by the values.
fn summary(trace: &Trace) -> BTreeMap<String, (f64, f64, f64, f64)> {
    let mut summaries = BTreeMap::new();
    for row in trace.of("F") {
        let visits = number(row, "visits");
        let bound = |column: &str| if visits > 1.0 { number(row, column) } else { number(row, "time_s") };
        let entry = summaries.entry(format!("{},{},{}", row["n"], row["k"], row["level"])).or_insert((
            0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.0,
        ));
        entry.0 += visits;
        entry.1 = f64::min(entry.1, bound("time_min_s"));
        entry.2 = f64::max(entry.2, bound("time_max_s"));
        entry.3 += visits * number(row, "time_s");
    }
    summaries.values_mut().for_each(|entry| entry.3 /= entry.0);
    summaries
}

#[test]
fn ten_million_visits_stay_within_the_bound() {
    let (trace, peak) = run("visits 10000000 5", "", &[]);
    assert!(peak < least() + 64.0 * MIB, "{peak} KiB");
    // 100,000 as they came, then 16 of each, then one row for the rest of each.
    assert_eq!(trace.rows.len(), 100_000 + 5 * 16 + 5);
    let visits: f64 = trace.rows.iter().map(|row| number(row, "visits")).sum();
    assert_eq!(visits, 1e7);
    assert_eq!(trace.end()["spill_s"], 0);
}

#[test]
fn aggregates_say_what_the_rows_say() {
    let small = ("CLL_MEM", "1MiB");
    let (rows, peak) = run("visits 100000 5", "", &[("CLL_MODE", "trace"), small]);
    assert!(peak < least() + 1.5 * MIB, "{peak} KiB");
    let (aggregates, _) = run("visits 100000 5", "", &[("CLL_MODE", "aggregate"), small]);
    assert_eq!((rows.rows.len(), aggregates.rows.len()), (100_000, 5 * 17));
    let (rows, aggregates) = (summary(&rows), summary(&aggregates));
    assert_eq!(rows.len(), 5);
    for (key, row) in &rows {
        let aggregate = aggregates[key];
        assert_eq!((row.0, row.1, row.2), (aggregate.0, aggregate.1, aggregate.2), "{key}");
        assert!((row.3 / aggregate.3 - 1.0).abs() < 1e-9, "{key}: {row:?} {aggregate:?}");
    }
}

/// The spread, by the definition.
#[test]
fn the_standard_deviation_is_that_of_the_samples() {
    let (rows, _) = run("visits 5000 1", "", &[("CLL_MODE", "trace")]);
    let (aggregates, _) = run("visits 5000 1", "", &[("CLL_MODE", "aggregate")]);
    let times: Vec<f64> = rows.rows.iter().skip(16).map(|row| number(row, "time_s")).collect();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    let expected = (squares / (times.len() - 1) as f64).sqrt();
    let row = aggregates.rows.last().expect("a row");
    assert!((number(row, "time_sd_s") / expected - 1.0).abs() < 1e-9, "{row:?} {expected}");
    assert_eq!(row["visit"], "16");
}

/// All values differ: the table is written and begun anew, in bounded memory.
#[test]
fn aggregates_of_ever_new_values_are_bounded() {
    let (trace, peak) = run("visits 200000 0", "", &[("CLL_MODE", "aggregate"), ("CLL_MEM", "2MiB")]);
    assert!(peak < least() + 3.0 * MIB, "{peak} KiB");
    let visits: f64 = trace.rows.iter().map(|row| number(row, "visits")).sum();
    assert_eq!(visits, 200_000.0);
    assert_eq!(trace.end()["lost"], 0);
}

/// What `chains.c` prints.
fn chains(arguments: &str) -> Vec<String> {
    let ran = Place::new().run(&build(C[0], &["chains.c"], ""), arguments, &[]);
    assert_eq!(ran.code, Some(0), "{arguments}: {ran:?}");
    ran.stdout.split_whitespace().map(str::to_owned).collect()
}

/// A visit finds its entry at once, whatever the values are: doubles of integers differ in their upper bits alone.
#[test]
fn chains_stay_short() {
    for (family, count) in [
        ("integers", 10_000),
        ("integers", 100_000),
        ("negative", 10_000),
        ("multiples", 50_000),
        ("large", 20_000),
        ("powers", 2_000),
        ("eighths", 20_000),
        ("tenths", 20_000),
        ("grid", 50_000),
    ] {
        let printed = chains(&format!("{family} {count}"));
        let numbers: Vec<f64> = printed.iter().map(|number| number.parse().expect("a number")).collect();
        assert_eq!(numbers[0], f64::from(count), "{family}");
        // By chance alone, at most 1.5 and about 8.
        assert!(numbers[1] < 1.6 && numbers[2] <= 12.0, "{family} {count}: {numbers:?}");
    }
}

/// Computed independently, by the definition.
#[test]
fn hashes_are_the_defined_ones() {
    assert_eq!(chains(""), ["0f60b00e18ef6a80", "cd3b0a8492844e98", "16fe7b851172cad3"]);
}

/// Rows of aggregates come in the order of first visits, whatever the hash is.
#[test]
fn aggregates_are_in_the_order_of_first_visits() {
    let (trace, _) = run("visits 30000 1000", "", &[("CLL_MODE", "aggregate")]);
    let first: Vec<f64> =
        trace.rows.iter().filter(|row| row["visits"] != "1").map(|row| number(row, "visit")).collect();
    assert_eq!(first.len(), 1000);
    assert!(first.is_sorted(), "{first:?}");
}

#[test]
fn only_small_regions_turn_to_aggregates() {
    let rows = |flags: &str, variables: &[(&str, &str)]| run("visits 150000 1", flags, variables).0.rows.len();
    assert_eq!(rows("", &[]), 100_000 + 16 + 1);
    assert_eq!(rows("-DSLOWER=20000", &[]), 150_000);
    assert_eq!(rows("-DFLAGS=CLL_MODE_TRACE", &[]), 150_000);
    assert_eq!(rows("-DFLAGS=CLL_MODE_AGGREGATE", &[]), 17);
    assert_eq!(rows("-DFLAGS=CLL_MODE_TRACE", &[("CLL_MODE", "aggregate")]), 17);
}

/// A region around 30,000 others, whose rows are written out many times, is as long as where nothing is written.
#[test]
fn the_time_of_writing_is_taken_out() {
    for compiler in for_c() {
        let place = Place::new();
        let program = build(compiler, &["work.c"], "-DCPU");
        let mut run = 0;
        // Times of the region, as they were and without the writing.
        let mut around = |memory: &str| {
            let ran = place.run(&program, "around 30000 3", &[("CLL_MODE", "trace"), ("CLL_MEM", memory)]);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            let trace = place.trace(&format!("p.cll.{run}.csv"));
            run += 1;
            let spill = trace.end()["spill_s"].as_f64().expect("a number");
            assert_eq!(spill > 1e-3, memory == "256KiB", "{spill}");
            let row = trace.of("G")[0];
            let (raw, time) = (number(row, "raw_s"), number(row, "time_s"));
            assert!(raw - time >= spill, "{row:?} {spill}");
            (raw, time)
        };
        // The shortest of both by turns, until one of each was left alone: caches are shared with all that runs beside.
        let (mut undisturbed, mut raw, mut time) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let taken_out = (0..15).any(|_| {
            undisturbed = undisturbed.min(around("64MiB").0);
            let written = around("256KiB");
            (raw, time) = (raw.min(written.0), time.min(written.1));
            raw > 1.2 * undisturbed && time - undisturbed < 0.2 * (raw - undisturbed)
        });
        assert!(taken_out, "{time} of {raw}, undisturbed {undisturbed}");
    }
}

#[test]
fn sizes_of_memory_are_read() {
    for (text, good) in
        [("1MiB", true), ("2 GiB", true), ("5000000", true), ("1.5M", true), ("much", false), ("1MiX", false)]
    {
        let ran = Place::new().run(&build(C[0], &["work.c"], ""), "visits 10 1", &[("CLL_MEM", text)]);
        assert_eq!((ran.code, ran.stderr.is_empty()), (Some(0), good), "{text}: {ran:?}");
    }
}
