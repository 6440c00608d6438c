//! Files of costs and the options that go before them.

use super::assert_close;
use crate::cost::file::{CostSpec, Described, KEYS, TimesFile};
use crate::cost::{Source, Times, Uncertain, Work};
use proptest::prelude::*;

const COUNTS: &str = r#"
algorithm = "counts"
level = 0.8
parameters = { N = 2000 }
counts = { list_length = "N", send = "N", map = "3*N^2", fold = "N", receive = "N", compute = "4*N + 10" }
[machine]
latency = "15us"
overhead = "2us"
op_time = "29ns"
transfer_time = { value = "190ns", low = "150ns", high = "240ns" }
"#;

const TIMES: &str = r#"
algorithm = "times"
[times]
list_length = 5000
latency = "1.9us"
send = { value = "3.9us", low = "3.8us", high = "4.3us" }
work = "5.2ms"
fold = "2.1us"
receive = "4.0us"
compute = "14us"
"#;

fn resolved(text: &str, options: &[(&str, &str)]) -> Result<Described, String> {
    let mut spec = CostSpec::from_toml("costs.toml", text).map_err(|problems| problems.to_string())?;
    for (key, value) in options {
        spec.set(key, value).map_err(|problem| problem.to_string())?;
    }
    spec.resolve().map_err(|problems| problems.to_string())
}

fn problems(text: &str) -> String {
    resolved(text, &[]).expect_err("problems")
}

fn with(text: &str, options: &[(&str, &str)]) -> String {
    resolved(text, options).expect_err("problems")
}

#[test]
fn a_file_of_counts_is_read() {
    let found = resolved(COUNTS, &[]).expect("costs");
    let costs = found.model.costs();
    assert_eq!((found.algorithm.as_str(), &found.parameters[..]), ("counts", &[("N".to_owned(), 2000.0)][..]));
    assert_eq!((costs.list_length, costs.latency_s, costs.overhead_s), (2000, 15e-6, 2e-6));
    assert_close(costs.map_s.expect("a map"), 3.0 * 2000.0 * 2000.0 * 29e-9, 1e-15, "map");
    assert_close(costs.work_s, 4.0 * 2000.0 * 2000.0 * 29e-9, 1e-15, "work");
    assert_close(costs.send_s, 2000.0 * 190e-9, 1e-15, "send");
    assert_close(costs.compute_s, 8010.0 * 29e-9, 1e-15, "compute");
    assert_eq!(found.model.input_level(), 0.8);
    assert!(found.model.is_uncertain());
}

#[test]
fn a_file_of_times_is_read() {
    let found = resolved(TIMES, &[]).expect("costs");
    let costs = found.model.costs();
    assert_eq!((costs.list_length, costs.map_s, costs.work_s), (5000, None, 5.2e-3));
    assert_eq!((costs.overhead_s, costs.send_s, costs.receive_s), (costs.latency_s, 3.9e-6, 4e-6));
    assert_close(costs.latency_s, 1.9e-6, 1e-15, "latency");
    assert_close(costs.fold_s, 2.1e-6, 1e-15, "fold");
    assert_close(costs.compute_s, 14e-6, 1e-15, "compute");
    assert!(found.parameters.is_empty() && found.model.is_uncertain());
}

#[test]
fn options_go_before_the_file() {
    let costs = |options: &[(&str, &str)]| *resolved(TIMES, options).expect("costs").model.costs();
    assert_eq!(costs(&[("--latency", "3us")]).latency_s, 3e-6);
    assert_eq!(costs(&[("list-length", "70")]).list_length, 70);
    assert_eq!(costs(&[("send", "1us")]).send_s, 1e-6);
    assert!(!resolved(TIMES, &[("send", "1us")]).expect("costs").model.is_uncertain());
    // `map` takes the place of the file's `work`.
    assert_eq!(costs(&[("map", "1ms"), ("fold", "0")]).map_s, Some(1e-3));
    let counts = resolved(COUNTS, &[("parameters", "N=10"), ("count_list_length", "2*N"), ("count-map", "max(N, 5)")]);
    let counts = counts.expect("costs");
    assert_eq!(counts.model.costs().list_length, 20);
    assert_close(counts.model.costs().map_s.expect("a map"), 10.0 * 29e-9, 1e-15, "map");
    // Another algorithm leaves what only the file's one needs.
    let jacobi = resolved(COUNTS, &[("algorithm", "jacobi"), ("size", "1500"), ("overhead", "15us")]).expect("costs");
    assert_close(jacobi.model.costs().k_max().expect("a boundary"), 14.2407, 1e-5, "K_max");
    assert_eq!(jacobi.parameters, [("size".to_owned(), 1500.0)]);
}

#[test]
fn options_alone_are_enough() {
    let mut spec = CostSpec::default();
    for (key, text) in [
        ("algorithm", "cimmino"),
        ("size", "1500"),
        ("latency", "15us,10us,20us"),
        ("op-time", "29ns, 24ns, 35ns"),
        ("transfer-time", "190ns"),
        ("input-level", "80%"),
    ] {
        spec.set(key, text).expect("a key");
    }
    let found = spec.resolve().expect("costs");
    assert_eq!(found.parameters, [("size".to_owned(), 1500.0), ("inequalities".to_owned(), 3002.0)]);
    assert_close(found.model.costs().k_max().expect("a boundary"), 28.4956, 1e-5, "K_max");
    assert!(found.model.is_uncertain() && found.model.input_level() == 0.8);
}

#[test]
fn parameters_may_depend_on_each_other_in_any_order() {
    let text = COUNTS.replace("{ N = 2000 }", "{ N = \"M/2\", M = \"max(L, 3)*10\", L = 400 }");
    let found = resolved(&text, &[]).expect("costs");
    let expected = [("N", 2000.0), ("M", 4000.0), ("L", 400.0)].map(|(name, value)| (name.to_owned(), value));
    assert_eq!(found.parameters, expected);
    let circle = problems(&COUNTS.replace("{ N = 2000 }", "{ N = \"M\", M = \"2*N\" }"));
    assert!(circle.starts_with("costs.toml:4:20: /parameters/N: the value of N depends on itself"), "{circle}");
    let unknown = problems(&COUNTS.replace("{ N = 2000 }", "{ N = \"Q + 1\" }"));
    assert!(unknown.starts_with("costs.toml:4:21: /parameters/N: in the formula \"Q + 1\": unknown name"), "{unknown}");
}

/// What is in the file, what takes its place, and what must be said of it.
const WRONG: &[(&str, &str, &str)] = &[
    ("latency = \"1.9us\"", "latency = -1e-6", "costs.toml:5:11: /times/latency: -1e-6 is negative (allowed: a time"),
    ("latency = \"1.9us\"", "latency = nan", "costs.toml:5:11: /times/latency: \"nan\" does not begin with a number"),
    ("latency = \"1.9us\"", "latency = inf", "costs.toml:5:11: /times/latency: \"inf\""),
    ("latency = \"1.9us\"", "latency = 1e999", "costs.toml:5:11: /times/latency:"),
    ("latency = \"1.9us\"", "latency = \"1.9 m\"", "costs.toml:5:11: /times/latency: unknown unit"),
    ("latency = \"1.9us\"", "latency = true", "costs.toml:5:11: /times/latency: boolean where a time"),
    ("latency = \"1.9us\"", "latency = 1e200", "costs.toml:5:11: /times/latency: latency is 1e200 s (allowed: 0, or"),
    (
        "latency = \"1.9us\"",
        "latency = \"1,9us\"",
        "costs.toml:5:11: /times/latency: \"1,9us\" is neither one time nor",
    ),
    (
        "latency = \"1.9us\"",
        "",
        "costs.toml: /times/latency: latency is not given (allowed: a time of 0 or more, such as 15us)\nhint: add it to [times], or --latency",
    ),
    (
        "latency = \"1.9us\"",
        "latency = \"1.9us\"\noverhead = \"2us\"",
        "costs.toml:6:12: /times/overhead: overhead, 2e-6 s, is more",
    ),
    ("list_length = 5000", "list_length = 0", "costs.toml:4:15: /times/list_length: the count is 0 (allowed: a whole"),
    (
        "list_length = 5000",
        "list_length = 2.5",
        "costs.toml:4:15: /times/list_length: the count is 2.5 (allowed: a whole",
    ),
    ("list_length = 5000", "list_length = -3", "costs.toml:4:15: /times/list_length: the count is -3"),
    ("list_length = 5000", "list_length = \"1e300\"", "/times/list_length: the count is 1e300"),
    (
        "list_length = 5000",
        "list_length = \"N\"",
        "costs.toml:4:16: /times/list_length: in the formula \"N\": unknown name",
    ),
    (
        "low = \"3.8us\"",
        "low = \"3.95us\"",
        "/times/send: value 3.9e-6, low 3.95e-6, high 4.3e-6 are not an interval (allowed: 0 <",
    ),
    ("low = \"3.8us\"", "low = 0", "/times/send: value 3.9e-6, low 0, high"),
    ("low = \"3.8us\"", "low = \"-1us\"", "costs.toml:6:33: /times/send/low: -1us is negative"),
    ("low = \"3.8us\", ", "", "costs.toml:6:8: /times/send: send has no low"),
    (
        "low = \"3.8us\"",
        "lo = \"3.8us\"",
        "costs.toml:6:27: /times/send: \"lo\" is not part of a time (allowed: value, low, high)",
    ),
    ("low = \"3.8us\"", "low = [1]", "costs.toml:6:33: /times/send/low: array where a time"),
    ("work = \"5.2ms\"", "work = \"5.2ms\"\nmap = \"1ms\"", "costs.toml:7:8: /times/work: map and work are both given"),
    ("work = \"5.2ms\"", "", "/times/work: neither map nor work is given (allowed: one of map"),
    (
        "work = \"5.2ms\"",
        "wrok = \"5.2ms\"",
        "costs.toml:7:1: /times/wrok: \"wrok\" is not a key of [times] (allowed: list_length, latency",
    ),
    (
        "algorithm = \"times\"",
        "algorithm = \"tines\"",
        "costs.toml:2:13: /algorithm: \"tines\" is not an algorithm (allowed: jacobi, cimmino",
    ),
    ("algorithm = \"times\"", "", "costs.toml: /algorithm: no algorithm is given"),
    ("algorithm = \"times\"", "algorithm = 3", "costs.toml:2:13: /algorithm: integer where a string"),
    (
        "algorithm = \"times\"",
        "algorithm = \"jacobi\"\nsize = 5",
        "costs.toml:11:11: /times/compute: jacobi does not use it",
    ),
    (
        "algorithm = \"times\"",
        "algorithm = \"times\"\nlatency = 1",
        "costs.toml:3:1: /latency: \"latency\" is not a key of a file of costs",
    ),
    (
        "algorithm = \"times\"",
        "algorithm = \"times\"\nsize = 5",
        "costs.toml:3:8: /size: times does not use it (allowed: algorithm",
    ),
    (
        "algorithm = \"times\"",
        "algorithm = \"times\"\nmachine = 5",
        "costs.toml:3:11: /machine: integer where a table is expected",
    ),
    (
        "algorithm = \"times\"",
        "algorithm = \"times\"\nlevel = 1.5",
        "costs.toml:3:9: /level: the level is 1.5 (allowed: 0 < level < 1",
    ),
    ("algorithm = \"times\"", "algorithm = times", "costs.toml:2:13: "),
];

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (right, wrong, said) in WRONG {
        assert!(TIMES.contains(right), "{right}");
        let found = problems(&TIMES.replacen(right, wrong, 1));
        assert!(found.contains(said), "\"{said}\" is not said of {wrong}:\n{found}");
    }
}

#[test]
fn what_is_wrong_with_counts_is_told_with_its_place() {
    for (right, wrong, said) in [
        (
            "fold = \"N\"",
            "fold = \"N - 2001\"",
            "costs.toml:5:65: /counts/fold: \"N - 2001\" is -1 (allowed: a number of 0",
        ),
        ("fold = \"N\"", "fold = \"N^^2\"", "costs.toml:5:68: /counts/fold: in the formula \"N^^2\""),
        ("fold = \"N\"", "fold = \"0/0\"", "/counts/fold: \"0/0\" is not a number"),
        ("fold = \"N\"", "fold = \"1e300\"", "/counts/fold: fold is 2.9e292 s (allowed: 0, or"),
        (
            "fold = \"N\", ",
            "",
            "costs.toml: /counts/fold: fold is not given (allowed: a number of 0 or more, or a formula)\nhint: add it to [counts], or --count-fold FORMULA",
        ),
        ("list_length = \"N\"", "list_length = \"N/3\"", "/counts/list_length: \"N/3\" is 666.667 (allowed"),
        ("op_time = \"29ns\"", "op_time = 1e31", "/machine/op_time: op_time is 1e31 s"),
        (
            "op_time = \"29ns\"",
            "op_time = \"\"",
            "/machine/op_time: expected a number with or without a unit, found nothing",
        ),
        ("parameters = { N = 2000 }", "parameters = { \"2N\" = 2000 }", "/parameters/2N: \"2N\" cannot be the name"),
        ("parameters = { N = 2000 }", "parameters = { N = [1] }", "/parameters/N: array where a number"),
        ("parameters = { N = 2000 }", "parameters = 5", "costs.toml:4:14: /parameters: integer where a table such as"),
    ] {
        assert!(COUNTS.contains(right), "{right}");
        let found = problems(&COUNTS.replacen(right, wrong, 1));
        assert!(found.contains(said), "\"{said}\" is not said of {wrong}:\n{found}");
    }
}

#[test]
fn wrong_options_are_told_by_their_names() {
    assert!(with(TIMES, &[("latency", "-1us")]).starts_with("--latency: -1us is negative"));
    assert!(with(TIMES, &[("latency", "1us,2us")]).starts_with("--latency: \"1us,2us\" is neither one time nor three"));
    assert!(with(TIMES, &[("latency", "1us,2us,3us")]).starts_with("--latency: value 1e-6, low 2e-6, high 3e-6"));
    assert!(with(TIMES, &[("size", "5")]).starts_with("--size: times does not use it (allowed: --algorithm"));
    assert!(with(TIMES, &[("parameters", "N=5")]).starts_with("--parameters: times does not use it"));
    assert!(with(TIMES, &[("work", "1ms"), ("map", "1ms")]).starts_with("--work: map and work are both given"));
    assert!(
        with(COUNTS, &[("parameters", "N")]).starts_with("--parameters: \"N\" does not assign a value to a parameter")
    );
    assert!(with(COUNTS, &[("banana", "N")]).starts_with("banana: \"banana\" is not a key of costs"));
    let mut spec = CostSpec::default();
    assert!(spec.resolve().expect_err("nothing").to_string().starts_with("--algorithm: no algorithm is given"));
    spec.set("algorithm", "jacobi").expect("a key");
    let missing = spec.resolve().expect_err("nothing else").to_string();
    for option in ["--size", "--latency", "--op-time", "--transfer-time"] {
        assert!(missing.contains(&format!("{option}: ")), "{missing}");
    }
    for (size, said) in
        [("0", "not a whole number"), ("1.5", "not a whole number"), ("1e30", "from 1 to 9007199254740992")]
    {
        spec.set("size", size).expect("a key");
        let found = spec.resolve().expect_err("no size").to_string();
        assert!(
            found.contains(&format!("--size: \"{size}\" is not a whole number")) && found.contains(said),
            "{found}"
        );
    }
}

#[test]
fn what_is_for_people_is_not_looked_into() {
    let text = format!("{TIMES}[origin]\nprogram = \"jacobi\"\nwork = -1\n[[messages]]\nsize_bytes = 1\n");
    assert!(resolved(&text, &[]).is_ok());
}

#[test]
fn a_written_file_reads_back() {
    let uncertain = |value, low, high| Uncertain::new(value, low, high).expect("an interval");
    let times = Times {
        list_length: 5000,
        latency_s: uncertain(1.9e-6, 1.7e-6, 2.4e-6),
        overhead_s: Some(Uncertain::exact(1.25e-6)),
        send_s: uncertain(3.9e-6, 3.8e-6, 4.3e-6),
        receive_s: Uncertain::exact(4e-6),
        work: Work::Fused(uncertain(5.2e-3, 5.1e-3, 5.6e-3)),
        fold_s: Uncertain::exact(0.0),
        compute_s: Uncertain::exact(1.4e-5),
    };
    let origin = toml::Table::from_iter([("program".to_owned(), "jacobi".into()), ("size".to_owned(), 5000.into())]);
    let text = TimesFile { times, level: 0.9, origin }.to_text();
    assert!(text.ends_with("\n[origin]\nprogram = \"jacobi\"\nsize = 5000\n"), "{text}");
    let found = resolved(&text, &[]).expect("costs");
    let Source::Times(read) = found.model.source() else { panic!("{:?}", found.model) };
    let close = |one: f64, other: f64| (one - other).abs() <= 1e-15 * other;
    let same = |one: &Uncertain, other: &Uncertain| {
        close(one.value, other.value) && close(one.low, other.low) && close(one.high, other.high)
    };
    let mut written = Vec::new();
    times.map(|time| written.push(*time));
    read.map(|time| assert!(same(time, &written.remove(0)), "{time:?}"));
    assert!(written.is_empty());
    let mapped = Times { work: Work::Map(uncertain(1e3, 9e2, 2e5)), overhead_s: None, ..times };
    let text = TimesFile { times: mapped, level: 0.5, origin: toml::Table::new() }.to_text();
    assert!(resolved(&text, &[]).is_ok_and(|found| found.model.input_level() == 0.5), "{text}");
}

#[test]
fn every_key_has_a_name_of_its_own() {
    let mut options: Vec<String> = KEYS.iter().map(|key| key.option()).collect();
    options.sort();
    options.dedup();
    assert_eq!(options.len(), KEYS.len());
}

#[test]
fn hostile_files_are_answered() {
    let nested = format!("algorithm = {}", "[".repeat(100_000));
    let brackets = COUNTS.replace("3*N^2", &"(".repeat(100_000));
    let names: String = (0..1000).map(|index| format!("p{index} = 1\n")).collect();
    let many = COUNTS.replace("parameters = { N = 2000 }", "") + "[parameters]\n" + &names;
    for text in [nested, brackets, many, "\u{feff}".to_owned(), String::new(), "=".repeat(10_000)] {
        assert!(problems(&text).len() < 20_000);
    }
}

proptest! {
    #[test]
    fn any_value_at_any_key_is_answered(key in 0..KEYS.len(), value in ".{0,40}", quoted in any::<bool>()) {
        for text in [COUNTS, TIMES] {
            let mut spec = CostSpec::from_toml("costs.toml", text).expect("a file");
            let value = if quoted { format!("{value:?}") } else { value.clone() };
            let _ = spec.set(KEYS[key].name, &value);
            if let Ok(found) = spec.resolve() {
                let costs = found.model.costs();
                prop_assert!(costs.k_max().is_none_or(f64::is_finite) && costs.k_max_clamped() >= 1.0);
            }
        }
    }

    #[test]
    fn written_times_keep_their_order(value in -59.0..59.0f64, below in 1.0..1e4f64, above in 1.0..1e4f64) {
        // With its bounds within 1e-30 to 1e30 s, which is what a time may be.
        let value = value.exp();
        let time = Uncertain::new(value, value / below, value * above).expect("an interval");
        let times = Times {
            list_length: 1,
            latency_s: time,
            overhead_s: None,
            send_s: time,
            receive_s: time,
            work: Work::Map(time),
            fold_s: time,
            compute_s: time,
        };
        let text = TimesFile { times, level: 0.9, origin: toml::Table::new() }.to_text();
        let found = resolved(&text, &[]).expect("costs");
        prop_assert!((found.model.costs().latency_s / value - 1.0).abs() < 1e-5);
    }
}
