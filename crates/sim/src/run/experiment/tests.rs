//! The file of the documentation, and what may be wrong with one.

use super::*;
use crate::noise::{Detour, Distribution};
use runcast_formula::Formula;

const WHOLE: &str = r#"
format = "runcast-experiment/1"
system = "galera.toml"
fidelity = "flow"
repetitions = 5
seed = 7
coeff = "coeff.toml"
use = { galera = "ethernet" }
checkpoint = { cost = "60s", restart = "60s", downtime = "10min" }
noise = { run = { kind = "exp", mean = 0.004 }, node = { kind = "uniform", max = 0.01 }, block = { kind = "discrete", values = [0, 1], prob = [0.9, 0.1] }, detour = { rate = "0.05/s", mean = "4ms" }, link = { kind = "normal", mean = 0.1, sd = 0.05 } }
[[app]]
file = "msort.luau"
params = { n = 536870912, p = 64, size = "1.6MB", mode = "fast" }
place = [ { label = "sorter", on = "node", per = 12, order = "cyclic" }, { label = "rest", list = [3, 1], count = 2 } ]
start = "10ms"
[[app]]
file = "heat.luau"
[vary]
p = [1, 2, 4]
q = "1..8*2"
"hardware.cpu" = ["intel-xeon-l5640", "intel-xeon-x5680"]
hardware.gpu = "catalogue:gpu"
fidelity = ["label", "flow"]
"#;

#[test]
fn every_key_is_read() {
    let experiment = read(WHOLE, "e.toml").expect("an experiment");
    assert_eq!((experiment.repetitions, experiment.seed), (Some(5), 7));
    assert_eq!(experiment.fidelity, Some(Fidelity::Flow));
    assert_eq!(
        experiment.system.as_ref().map(|system| (system.name.as_str(), system.spot.line)),
        Some(("galera.toml", 3))
    );
    assert_eq!(experiment.networks, [("galera".to_owned(), "ethernet".to_owned())]);
    let checkpoint = experiment.checkpoint.expect("there");
    assert_eq!((checkpoint.cost_s, checkpoint.restart_s, checkpoint.downtime_s), (60.0, 60.0, 600.0));
    let noise = experiment.noise.expect("there");
    assert_eq!(noise.run, Some(Distribution::Exponential { mean: 0.004 }));
    assert_eq!(noise.node, Some(Distribution::Uniform { min: 0.0, max: 0.01 }));
    assert_eq!(noise.detour, Some(Detour { rate_per_s: 0.05, mean_s: 0.004 }));
    let app = &experiment.apps[0];
    assert_eq!(
        app.params,
        [
            ("n".to_owned(), Value::Number(536_870_912.0)),
            ("p".to_owned(), Value::Number(64.0)),
            ("size".to_owned(), Value::Text("1.6MB".to_owned())),
            ("mode".to_owned(), Value::Text("fast".to_owned())),
        ]
    );
    assert_eq!(app.params[2].1.number(), Some(1.6e6));
    let formula = |text: &str| Formula::parse(text).expect("a formula");
    let place =
        |index: usize| (app.place[index].order.clone(), app.place[index].per.clone(), app.place[index].count.clone());
    assert_eq!((app.start_s, place(0)), (0.01, (Order::Cyclic, Some(formula("12")), None)));
    assert_eq!(place(1), (Order::List(vec![formula("3"), formula("1")]), None, Some(formula("2"))));
    let names: Vec<&str> = experiment.vary.iter().map(|varied| varied.name.as_str()).collect();
    assert_eq!(names, ["p", "q", "hardware.cpu", "hardware.gpu", "fidelity"]);
    assert_eq!(experiment.vary[1].values, [1.0, 2.0, 4.0, 8.0].map(Value::Number));
    assert_eq!(experiment.vary[3].values, [Value::Text("catalogue:gpu".to_owned())]);
}

#[test]
fn slips_are_told_with_their_place() {
    let cases = [
        (
            "format = \"runcast-experiment/1\"\n[[app]]\nfile = \"a.luau\"\nplaces = []",
            "unknown_key",
            4,
            "/app/0/places",
        ),
        ("format = \"runcast-experiment/2\"\n[[app]]\nfile = \"a.luau\"", "unknown_format", 1, "/format"),
        ("[[app]]\nfile = \"a.luau\"", "missing", 1, "/format"),
        ("format = \"runcast-experiment/1\"", "missing", 1, "/app"),
        ("format = \"runcast-experiment/1\"\n[[app]]\nparams = {}", "missing", 2, "/app/0/file"),
        (
            "format = \"runcast-experiment/1\"\nfidelity = \"flw\"\n[[app]]\nfile = \"a\"",
            "unknown_name",
            2,
            "/fidelity",
        ),
        (
            "format = \"runcast-experiment/1\"\nrepetitions = 0\n[[app]]\nfile = \"a\"",
            "out_of_range",
            2,
            "/repetitions",
        ),
        ("format = \"runcast-experiment/1\"\n[[app]]\nfile = \"a\"\nstart = \"10kg\"", "not_a_time", 4, "/app/0/start"),
        (
            "format = \"runcast-experiment/1\"\n[noise]\nrun = { kind = \"exp\", mean = -1 }\n[[app]]\nfile = \"a\"",
            "bad_distribution",
            3,
            "/noise/run/mean",
        ),
        ("format = \"runcast-experiment/1\"\n[[app]]\nfile = \"a\"\n[vary]\np = \"1..\"", "bad_list", 5, "/vary/p"),
        (
            "format = \"runcast-experiment/1\"\n[[app]]\nfile = \"a\"\nplace = [{ on = \"x\" }]",
            "missing",
            4,
            "/app/0/place/0/label",
        ),
        ("format = ", "toml", 1, ""),
    ];
    for (text, code, line, pointer) in cases {
        let problems = read(text, "e.toml").expect_err(text);
        let found =
            problems.0.iter().find(|problem| problem.code == code).unwrap_or_else(|| panic!("{text}: {problems:?}"));
        assert_eq!(found.line, Some(line), "{text}: {found:?}");
        assert_eq!(found.pointer.as_deref().unwrap_or(""), pointer, "{text}: {found:?}");
        assert_eq!(found.file.as_deref(), Some("e.toml"));
    }
}

#[test]
fn options_vary_too() {
    let varied = Varied::option("p=1..8*2", "--vary", 8.0).expect("values");
    assert_eq!((varied.name.as_str(), varied.values.len()), ("p", 4));
    let named = Varied::option("hardware.cpu=a,b", "--vary", 8.0).expect("values");
    assert_eq!(named.values, [Value::Text("a".to_owned()), Value::Text("b".to_owned())]);
    assert!(Varied::option("p", "--vary", 8.0).is_err() && Varied::option("p=1..", "--vary", 8.0).is_err());
}
