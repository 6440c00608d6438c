//! `wavefront run`: its document and tables, what runs, what is refused, and runs that are interrupted.
//!
//! The machine may be busy: counts and structure are exact, bounds on times generous.

use crate::wavefront_cases::{codes, number};
use crate::{Answer, Place, program};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Two processes of 10 and 20 ms on a network of 15 ms.
const PAIR: &str = "\
[wavefront]
name = 'pair'
step = '5ms'
rho = 0.5
[[process]]
name = 'fast'
update = { constant = '10ms' }
[[process]]
name = 'slow, heavy'
update = { constant = '20ms' }
[network]
default = { constant = '15ms' }
";

fn pair() -> Place {
    let place = Place::new();
    place.write("pair.toml", PAIR);
    place
}

fn run(place: &Place, arguments: &str) -> Answer {
    let words: Vec<&str> = ["wavefront", "run"].into_iter().chain(arguments.split_whitespace()).collect();
    place.run(&words)
}

fn problem(answer: &Answer) -> (i32, String) {
    let document = answer.document();
    let code = document["problems"][0]["code"].as_str().unwrap_or_else(|| panic!("{document}"));
    (answer.code.expect("a code"), code.to_owned())
}

/// By hand: both start at 0. Slow ends alpha at 20 ms and the message of fast (10 + 15) is there at 25; fast waits for that
/// of slow (20 + 15) until 35. So slow starts 10 ms earlier; both end alpha 10 ms after the start of fast, and the phase
/// is over for both at 25 ms: they start together again. Phases of 35 and 25 ms take turns: 30 ms on average.
#[test]
fn an_emulated_run_is_what_the_chain_says() {
    let place = pair();
    let answer = run(&place, "pair.toml --emulate --phases 20 --runs 2 --out runs --json").code(0);
    let document = answer.document();
    for (field, expected) in [
        ("kind", Value::from("wavefront-run")),
        ("version", 1.into()),
        ("status", "done".into()),
        ("backend", "threads".into()),
        ("emulated", true.into()),
        ("phases", 20.into()),
        ("runs", 2.into()),
        ("semantics", "abort".into()),
        ("validated", "all".into()),
        ("validated_phases", 40.into()),
    ] {
        assert_eq!(document[field], expected, "{field}");
    }
    let (measured, predicted) = (&document["measured"], &document["predicted"]);
    assert!((number(&predicted["phase_mean_s"]) - 0.030).abs() < 1e-12, "{predicted}");
    assert!((number(&predicted["time_s"]) - 0.6).abs() < 1e-9);
    let off = number(&predicted["phase_mean_s"]) / number(&measured["phase_mean_s"]) - 1.0;
    assert!((number(&document["relative_error"]["phase_mean_s"]) - off).abs() < 1e-12);
    assert!((-0.4..0.01).contains(&off), "sleeps are too long, never too short: {off}");
    // All entries of the matrix are 0.5 / 20: after the first phase the error halves.
    for rate in [&measured["rate_per_phase"], &predicted["rate_per_phase"]] {
        assert!((number(rate) - 2.0_f64.log10()).abs() < 1e-6, "{rate}");
    }
    assert_eq!(document["operator"]["kind"], "uniform");
    assert!(number(&document["wavefront_tv"]) <= 1.0);
    assert!(number(&measured["time_sd_s"]) >= 0.0 && number(&document["overshoot"]["mean_s"]) > 0.0);

    let runs = place.read("runs/runs.csv");
    let lines: Vec<&str> = runs.lines().collect();
    assert_eq!(lines[0], "processes,phases,rep,time_s,status");
    assert!(
        lines[1].starts_with("2,20,0,0.") && lines[2].starts_with("2,20,1,0.") && lines[2].ends_with(",ok"),
        "{runs}"
    );
    assert_eq!(place.read("runs/phases.csv").lines().count(), 1 + 2 * 2 * 20);
    assert_eq!(place.read("runs/messages.csv").lines().count(), 1 + 2 * 2 * 20);
    assert_eq!(place.read("runs/updates.csv").lines().count(), 1 + 2 * 2 * 20);
    assert!(place.read("runs/phases.csv").lines().nth(21).expect("a row").starts_with("0,\"slow, heavy\",1,0."));
}

#[test]
fn real_work_is_predicted_from_the_first_half() {
    let place = pair();
    let document = run(&place, "pair.toml --phases 200 --work 200us --B 1 --json").code(0).document();
    assert_eq!((&document["validated"], &document["validated_phases"]), (&"second_half".into(), &100.into()));
    assert_eq!((&document["emulated"], &document["work_s"]), (&false.into(), &0.0002.into()));
    let measured = &document["measured"];
    assert!(number(&measured["phase_mean_s"]) > 1e-4, "{measured}");
    assert!(number(&document["predicted"]["phase_mean_s"]) > 1e-4);
    assert!(measured["time_sd_s"].is_null() && codes(&document["warnings"]).contains(&"one_run"));
    // The range of a run, and whether this one is in it.
    let predicted = &document["predicted"];
    let range = number(&predicted["time_low_s"])..=number(&predicted["time_high_s"]);
    let is_in = range.contains(&number(&measured["time_s"]));
    assert!(range.start() <= range.end() && document["interval_level"] == 0.9, "{predicted}");
    assert_eq!((&document["covered"], &document["covered_runs"]), (&is_in.into(), &u64::from(is_in).into()));
    // 200 phases halve the error: it is at rounding after 40, and the rate is that of the phases before.
    assert!((number(&measured["rate_per_phase"]) - 2.0_f64.log10()).abs() < 0.05, "{measured}");
}

#[test]
fn people_see_measured_beside_predicted() {
    let answer = run(&pair(), "pair.toml --emulate --phases 6 --B 1 --semantics complete").code(0);
    assert!(answer.out.starts_with("pair: 2 processes (threads), A = 1, B = 1, complete, times of the model\n"));
    for words in ["1 run of 6 phases", "measured  predicted", "updates of slow, heavy", "spread of the time"] {
        assert!(answer.out.contains(words), "{words}:\n{}", answer.out);
    }
    assert!(answer.err.contains("few_phases"), "{}", answer.err);
}

#[test]
fn the_operator_of_the_model_runs() {
    let place = pair();
    let with = |operator: &str| PAIR.replace("rho = 0.5\n", "") + operator;
    place.write("gradient.toml", &with("[operator]\npolynomial = { variables = 30, seed = 1 }\npieces = [10, 20]\n"));
    place.write("m.csv", "0.25,0.25,0\n0.25,-0.25,0.25\n0,0.25,0.25\n");
    place.write("matrix.toml", &with("[operator]\nmatrix = 'm.csv'\npieces = [1, 2]\n"));
    for (file, kind, dimension) in [("gradient.toml", "polynomial", 30), ("matrix.toml", "linear", 3)] {
        let document = run(&place, &format!("{file} --phases 60 --json")).code(0).document();
        let operator = &document["operator"];
        assert_eq!((&operator["kind"], &operator["dimension"]), (&kind.into(), &dimension.into()));
        let rate = number(&document["measured"]["rate_per_phase"]);
        assert!(rate > 0.05, "{kind}: {rate}");
    }
}

#[test]
fn wrong_input_is_told_before_anything_runs() {
    let place = pair();
    place.write("bad.toml", &PAIR.replace("rho = 0.5", "rho = 1.5"));
    for (arguments, exit) in [
        ("pair.toml --B 1,2,3", 2),
        ("bad.toml", 2),
        ("missing.toml", 2),
        ("pair.toml --phases 0", 2),
        ("pair.toml --emulate --work 2ms", 2),
    ] {
        let answer = run(&place, &format!("{arguments} --out runs --json"));
        assert_eq!(answer.code, Some(exit), "{arguments}: {}{}", answer.out, answer.err);
        assert!(!place.path("runs").exists(), "{arguments}");
    }
    place.write("taken", "a file");
    let answer = run(&place, "pair.toml --emulate --phases 2 --out taken --json");
    assert_eq!(problem(&answer), (1, "cannot_write".to_owned()));
}

#[test]
fn without_mpi_that_is_told() {
    let place = pair();
    if place.run(&["--version"]).out.contains("MPI") {
        return; // All of the workspace was built with it.
    }
    let answer = run(&place, "pair.toml --backend mpi --json");
    assert_eq!(problem(&answer), (2, "without_mpi".to_owned()));
    assert_eq!(answer.document()["problems"][0]["allowed"], "threads");
}

#[test]
fn an_interrupted_run_tells_what_it_has() {
    let place = pair();
    let start = Instant::now();
    let child = Command::new(program())
        .args(["wavefront", "run", "pair.toml", "--emulate", "--phases", "100000", "--out", "runs", "--json"])
        .current_dir(place.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    while !place.path("runs/runs.csv").exists() {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(700));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    let answer = Answer::of(&child.wait_with_output().expect("a child of ours")).code(1);
    assert!(start.elapsed() < Duration::from_secs(30));
    let document = answer.document();
    assert_eq!(document["status"], "interrupted");
    assert!(codes(&document["warnings"]).contains(&"interrupted"));
    let phases = document["validated_phases"].as_u64().expect("some");
    assert!((2..1000).contains(&phases), "{phases}");
    assert!(number(&document["measured"]["phase_mean_s"]) > 0.02);
    assert!(number(&document["predicted"]["phase_mean_s"]) > 0.02, "people want to see what there is");
    assert_eq!(place.read("runs/phases.csv").lines().count() as u64, 1 + 2 * phases);
    assert!(place.read("runs/runs.csv").lines().nth(1).expect("a row").ends_with(",interrupted"));
}

/// The table of a run and that of predictions are joined by `evaluate`.
#[test]
fn runs_are_held_against_a_table_of_predictions() {
    let place = pair();
    let solve = ["wavefront", "solve", "pair.toml", "--phases", "20", "--table", "predicted.csv"];
    place.run(&solve).code(0);
    run(&place, "pair.toml --emulate --phases 20 --runs 3 --out runs").code(0);
    let evaluate = ["evaluate", "--predictions", "predicted.csv", "--runs", "runs/runs.csv", "--json"];
    let document = place.run(&evaluate).code(0).document();
    assert!(document.to_string().contains("\"phases\""), "{document}");
}

/// The documented way from samples to `evaluate`, with less of everything.
#[test]
fn the_whole_way_of_the_example() {
    let place = Place::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/wavefront/forecast.sh");
    let output = Command::new("sh")
        .arg(script)
        .args(["forecast", "100", "60"])
        .current_dir(place.path("."))
        .env("RUNCAST", program())
        .output()
        .expect("there is a shell");
    let answer = Answer::of(&output).code(0);
    for words in
        ["times of  samples", "degree   A  B", "Time of 60 phases", "second half of the phases", "model   points"]
    {
        assert!(answer.out.contains(words), "{words}: {}", answer.out);
    }
    assert_eq!(place.read("forecast/runs/runs.csv").lines().filter(|line| line.starts_with("2,60,")).count(), 3);
    assert!(place.read("forecast/predicted.csv").contains("phases,2,60,"));
}

/// All entries of the matrix are 0.5 / 20: the first phase leaves half of the mean of the error, and every other one half
/// of that. So a run gains log10(2) digits a phase but for the first one, which gains at least as much.
#[test]
fn a_campaign_runs_every_degree_until_its_digits_are_gained() {
    let place = pair();
    let arguments =
        "pair.toml --emulate --phases 5 --degrees 0,1 --until 2 --repetitions 2 -o out --plot times.svg --json";
    let found = run(&place, arguments).code(0).document();
    for (field, expected) in
        [("kind", "wavefront-campaign".into()), ("status", "done".into()), ("digits", 2.0.into()), ("runs", 2.into())]
    {
        let expected: Value = expected;
        assert_eq!(found[field], expected, "{field}");
    }
    let degrees = found["degrees"].as_array().expect("degrees");
    assert_eq!((&degrees[0]["name"], &degrees[1]["name"]), (&"1/0".into(), &"1/1".into()));
    let half = 2.0_f64.log10();
    for degree in degrees {
        assert_eq!((&degree["runs"], &degree["reached"]), (&2.into(), &2.into()), "{degree}");
        let (phases, time_s) = (number(&degree["phases_mean"]), number(&degree["time_mean_s"]));
        // Phases of 35 and 25 ms take turns; sleeps are never too short.
        assert!((1.0..=7.0).contains(&phases) && time_s >= 0.025 * phases && time_s < 0.3 * phases, "{degree}");
        let histogram: f64 =
            degree["histogram"].as_array().expect("bars").iter().map(|bar| number(&bar["count"])).sum();
        assert_eq!((histogram, degree["times_s"].as_array().map(Vec::len)), (2.0, Some(2)));
        assert_eq!(degree["estimates"].as_array().map(Vec::len), Some(5));
    }
    // Synchronous: an iteration a phase, and the published rates are all log10(2).
    let sync = &degrees[0];
    assert_eq!(sync["iterations_mean"], sync["phases_mean"]);
    let rate = number(&sync["rate_per_iteration"]);
    assert!(rate >= half - 1e-9, "{rate}");
    for estimate in sync["estimates"].as_array().expect("estimates") {
        assert!((number(&estimate["rate_per_iteration"]) - half).abs() < 1e-9, "{estimate}");
        assert!((number(&estimate["rate_error"]) - (half / rate - 1.0).abs()).abs() < 1e-9, "{estimate}");
    }
    let table = place.read("out/campaign.csv");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[0], "degree,A,B,processes,rep,start_s,phases,iterations,time_s,status");
    assert_eq!((rows.len(), rows[1].starts_with("1/0,1,0,2,0,"), rows[4].starts_with("1/1,1,1,2,1,")), (5, true, true));
    assert!(place.read("times.svg").contains("1/0") && place.read("out/1-1/phases.csv").lines().count() > 4);
}

/// Three digits more are 3 / log10(2) = 9.97 phases more; a run that is too short is made again, up to 8 times as long.
#[test]
fn a_run_that_is_too_short_is_made_again() {
    let place = pair();
    let phases = |arguments: &str| {
        let found = run(&place, &format!("pair.toml --emulate {arguments} --json")).code(0).document();
        assert_eq!(found["degrees"][0]["name"], "1/0");
        (found["degrees"][0]["phases_mean"].as_f64(), codes(&found["warnings"]).contains(&"not_reached"))
    };
    let (few, many) = (phases("--until 2 --phases 10"), phases("--until 5 --phases 4"));
    let more = many.0.expect("reached") - few.0.expect("reached");
    assert!((9.0..=11.0).contains(&more) && !many.1, "{more}");
    assert_eq!(phases("--until 5 --phases 1"), (None, true));
}
