//! `wavefront sample`: counts and columns of what is measured on threads, diagnostics of tables, modes, wrong input.

use crate::Place;
use crate::wavefront_cases::{codes, list, number};
use serde_json::Value;
use std::fmt::Write;

/// A short measurement.
const SHORT: [&str; 8] = ["wavefront", "sample", "--work", "100us", "--updates", "60", "--messages", "25"];

/// Uniform numbers from 0 to 1.
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A table of two processes, with times made from a number each.
fn table(mut times: impl FnMut(usize, usize) -> f64, count: usize) -> String {
    let mut text = String::from("kind,process,peer,host,rep,start_s,time_s\n");
    for process in 0..2 {
        let mut clock = 0.0;
        for rep in 0..count {
            let time = times(process, rep);
            writeln!(text, "update,p{},,vm,{rep},{clock},{time}", process + 1).expect("text");
            clock += time;
        }
    }
    text
}

#[test]
fn threads_are_measured_as_often_as_asked() {
    let place = Place::new();
    let arguments = [&SHORT[..], &["--processes", "3", "--bytes", "1KiB", "--out", "s.csv", "--json"]].concat();
    let document = place.run(&arguments).code(0).document();
    assert_eq!((&document["kind"], &document["version"]), (&"wavefront-sample".into(), &1.into()));
    assert_eq!((&document["backend"], &document["size_bytes"]), (&"threads".into(), &1024.into()));
    let (processes, links) = (list(&document["processes"]), list(&document["links"]));
    assert_eq!((processes.len(), links.len()), (3, 6));
    for (entry, count) in processes.iter().map(|entry| (entry, 60)).chain(links.iter().map(|entry| (entry, 25))) {
        assert_eq!(entry["count"], count, "{entry}");
        let order = ["min_s", "p50_s", "p95_s", "p99_s", "max_s"].map(|key| number(&entry[key]));
        assert!(order[0] > 0.0 && order.windows(2).all(|pair| pair[0] <= pair[1]), "{entry}");
        assert!((order[0]..=order[4]).contains(&number(&entry["mean_s"])), "{entry}");
    }
    let diagnostics = &document["diagnostics"];
    assert_eq!(list(&diagnostics["lag1"]).len(), 9);
    assert_eq!(list(&diagnostics["cross"]).len(), 3);
    assert_eq!(list(&diagnostics["windows"]).len(), 3);
    // 3/sqrt(60) and 3/sqrt(25)
    assert!((number(&diagnostics["lag1"][0]["limit"]) - 0.387_298_334_6).abs() < 1e-9);
    assert_eq!(diagnostics["lag1"][3]["limit"], 0.6);
    assert!(codes(&document["hints"]).contains(&"few_samples"));

    let text = place.read("s.csv");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["kind", "process", "peer", "host", "rep", "start_s", "time_s"]);
    assert_eq!(rows.len(), 1 + 3 * 60 + 6 * 25);
    let of = |whose: [&str; 3]| -> Vec<usize> {
        rows.iter().filter(|row| row[..3] == whose).map(|row| row[4].parse().expect("a rep")).collect()
    };
    assert!(of(["update", "p2", ""]).into_iter().eq(0..60));
    assert!(of(["message", "p3", "p1"]).into_iter().eq(0..25));
    assert!(rows[1..].iter().all(|row| !row[3].is_empty() && row[6].parse::<f64>().expect("a time") > 0.0));
    // The same table says the same.
    let again = place.run(&["wavefront", "sample", "--check", "s.csv", "--json"]).code(0).document();
    assert_eq!((&again["source"], &again["table"]), (&"table".into(), &"s.csv".into()));
    for key in ["processes", "links", "diagnostics", "hints"] {
        assert_eq!(again[key], document[key], "{key}");
    }
}

/// Without a word about messages it is the real loop; the model says what it took against the laws, and what work it did.
#[test]
fn the_real_loop_corrects_its_own_model() {
    let place = Place::new();
    let sample = ["wavefront", "sample", "--processes", "2", "--work", "100us", "--updates", "400", "--json"];
    let files = ["-o", "s.csv", "--write-model", "m.toml"];
    let document = place.run(&[&sample[..], &files].concat()).code(0).document();
    assert_eq!((&document["as"], document["messages"].as_u64()), (&"loop".into(), Some(400)));
    let pilot = list(&document["pilot"]);
    assert_eq!((pilot.len(), &pilot[0]["process"]), (2, &"p1".into()));
    assert!(number(&pilot[0]["factor"]) > 0.0 && number(&pilot[0]["log_sd"]) > 0.0, "{pilot:?}");
    let model = place.read("m.toml");
    assert!(model.contains("[pilot]") && model.contains("time = \"100us\"\noperations = "), "{model}");
    // What 200 phases are to take is half of what 400 took, whatever the machine did.
    let rows: Vec<(f64, f64)> = place
        .read("s.csv")
        .lines()
        .filter(|line| line.starts_with("update,p1,"))
        .map(|line| line.split(',').skip(5).take(2).map(|cell| cell.parse().expect("a number")).collect::<Vec<f64>>())
        .map(|cells| (cells[0], cells[1]))
        .collect();
    let took_s = rows[rows.len() - 1].0 - rows[0].0;
    let half_s = took_s / 399.0 * 200.0;
    let solved = place.run(&["wavefront", "solve", "m.toml", "--phases", "200", "--json"]).code(0).document();
    let time = &solved["time"];
    let base_s = number(&(if time["base"].is_null() { time } else { &time["base"] })["mean_s"]);
    assert!((base_s / half_s - 1.0).abs() < 0.05, "{base_s} {half_s}");
    // A run makes the work of the samples, whatever a core can do by now.
    let run = ["wavefront", "run", "m.toml", "--phases", "50", "--json"];
    assert_eq!(number(&place.run(&run).code(0).document()["work_s"]), 1e-4);

    let busy = place.run(&[&sample[..], &["--as", "busy", "--messages", "40"], &files].concat()).code(0).document();
    assert_eq!((&busy["as"], list(&busy["pilot"]).len()), (&"busy".into(), 2));
    assert_eq!(place.read("s.csv").lines().filter(|line| line.starts_with("update,p2,")).count(), 400);
}

/// The loop has the degree that was asked for, and so has its model.
#[test]
fn the_loop_has_a_degree() {
    let place = Place::new();
    let sample = ["wavefront", "sample", "--processes", "2", "--work", "100us", "--updates", "200", "--json"];
    let files = ["-o", "s.csv", "--write-model", "m.toml"];
    let document = place.run(&[&sample[..], &["--degrees", "1:2/1"], &files].concat()).code(0).document();
    assert_eq!((&document["as"], &document["degree"]), (&"loop".into(), &"1:2/1".into()));
    let model = place.read("m.toml");
    assert!(model.contains("A = 1\nB = 1\n") && model.contains("A = 2\nB = 1\n"), "{model}");
    // The second process makes two updates a phase, and one more where there is time; what is overtaken is no sample.
    let rows = |process: &str| place.read("s.csv").lines().filter(|line| line.starts_with(process)).count();
    assert!((200..=400).contains(&rows("update,p1,")) && (400..=600).contains(&rows("update,p2,")));
    place.run(&["wavefront", "solve", "m.toml", "--phases", "10"]).code(0);
    for wrong in [&["--degrees", "0,1"][..], &["--degrees", "1", "--messages", "10"], &["--degrees", "x"]] {
        let refused = place.run(&[&sample[..], wrong].concat()).code(2).document();
        assert_eq!(refused["problems"][0]["pointer"], "--degrees", "{refused}");
    }
}

#[test]
fn rounds_are_added_to_a_table_and_go_on_where_it_was_cut() {
    let place = Place::new();
    let sample = ["wavefront", "sample", "--processes", "2", "--work", "50us", "--updates", "20", "--every", "200ms"];
    let call = |lasting: &str| {
        let arguments = [&sample[..], &["--for", lasting, "-o", "r.csv", "--write-model", "m.toml", "--json"]].concat();
        place.run(&arguments).code(0).document()
    };
    let starts = || -> Vec<f64> {
        let text = place.read("r.csv");
        let own = text.lines().filter(|line| line.starts_with("update,p1,"));
        own.map(|line| line.split(',').nth(5).and_then(|cell| cell.parse().ok()).expect("a start")).collect()
    };
    call("500ms");
    let first = starts();
    // At 0, 200 and 400 ms, unless the machine was busy.
    assert!([20, 40, 60].contains(&first.len()), "{}", first.len());
    // Killed in the middle of a line.
    let whole = place.read("r.csv");
    place.write("r.csv", &format!("{whole}update,p1,,vm,60,0.5"));
    let document = call("4s");
    let both = starts();
    assert!(both.len() > first.len() && both.len() % 20 == 0 && both[..first.len()] == first, "{both:?}");
    assert!(both.windows(2).all(|pair| pair[0] < pair[1]), "{both:?}");
    assert_eq!(document["processes"][0]["count"].as_u64(), Some(both.len() as u64));
    assert!(place.read("m.toml").contains("[pilot]"));
    for wrong in [&["--for", "1s"][..], &["--for", "1s", "-o", "-"], &["--for", "1s", "-o", "x.csv", "--as", "busy"]] {
        place.run(&[&sample[..], wrong].concat()).code(2);
    }
}

#[test]
fn an_operator_is_swept_and_stands_in_the_model() {
    let place = Place::new();
    let mut matrix = String::from("%%MatrixMarket matrix coordinate real general\n6 6 11\n");
    (1..=6).for_each(|row| writeln!(matrix, "{row} {row} 0.25").expect("text"));
    (1..=5).for_each(|row| writeln!(matrix, "{row} {} 0.25", row + 1).expect("text"));
    place.write("data/m.mtx", &matrix);
    std::fs::create_dir(place.path("tables")).expect("a folder");
    std::fs::create_dir(place.path("models")).expect("a folder");
    let options = ["--operator", "data/m.mtx", "--pieces", "2,4", "--out", "tables/s.csv", "--json"];
    let arguments = [&SHORT[..], &options, &["--write-model", "models/lab.toml"]].concat();
    let document = place.run(&arguments).code(0).document();
    assert_eq!(document["pieces"], serde_json::json!([2, 4]));
    let model = place.read("models/lab.toml");
    for line in
        ["matrix = \"../data/m.mtx\"", "pieces = [2, 4]", "samples = \"../tables/s.csv\"", "from = \"p2\", to = \"p1\""]
    {
        assert!(model.contains(line), "{line}\n{model}");
    }
    assert!(!model.contains("rho ="), "{model}");

    let polynomial =
        ["--operator", "polynomial", "--variables", "9", "--processes", "2", "--seed", "4", "--out", "p.csv"];
    place.run(&[&SHORT[..], &polynomial, &["--write-model", "p.toml"]].concat()).code(0);
    let model = place.read("p.toml");
    assert!(model.contains("polynomial = { variables = 9, seed = 4 }\npieces = [4, 5]"), "{model}");
}

#[test]
fn the_result_for_people_tells_times_and_advice() {
    let place = Place::new();
    let answer = place.run(&[&SHORT[..], &["--processes", "2", "--plot", "p.svg"]].concat()).code(0);
    assert!(
        answer.out.starts_with("2 processes on threads: 60 updates each, 25 messages of 800 bytes"),
        "{}",
        answer.out
    );
    assert!(answer.out.contains("\np1 -> p2 "), "{}", answer.out);
    assert!(answer.err.contains("--write-model"), "{}", answer.err);
    assert!(place.read("p.svg").contains("Times of updates"));
    place.write(
        "iid.csv",
        &table(
            {
                let mut next = uniform(1);
                move |_, _| 1.0 + next()
            },
            2500,
        ),
    );
    let answer = place.run(&["wavefront", "sample", "--check", "iid.csv"]).code(0);
    assert!(answer.out.contains("the samples look independent"), "{}", answer.out);
    assert!(!answer.err.contains("warning"), "{}", answer.err);
}

#[test]
fn a_correlation_is_found_and_its_price_told() {
    let place = Place::new();
    let (mut next, mut state) = (uniform(7), 0.0);
    // AR(1) with r = 0.6: sigma is off by sqrt(1.6/0.4) = 2.
    let times = move |process: usize, _: usize| {
        state = 0.6 * state + next() - 0.5;
        if process == 0 { 10.0 + state } else { 10.0 + next() }
    };
    place.write("s.csv", &table(times, 20_000));
    let document = place.run(&["wavefront", "sample", "--check", "s.csv", "--json"]).code(0).document();
    let lag1 = list(&document["diagnostics"]["lag1"]);
    assert!((number(&lag1[0]["r"]) - 0.6).abs() < 0.03 && number(&lag1[1]["r"]).abs() < 0.05, "{lag1:?}");
    assert_eq!((&lag1[0]["process"], &lag1[0]["limit"]), (&"p1".into(), &0.1.into()));
    assert!((number(&document["spread_factor"]) - 2.0).abs() < 0.1, "{document}");
    assert_eq!(codes(&document["warnings"]), ["not_independent"]);
    let message = document["warnings"][0]["message"].as_str().expect("a text");
    assert!(message.contains("p1") && message.contains("too small") && message.contains("--fit-modes"), "{message}");

    let mut next = uniform(8);
    place.write("drift.csv", &table(move |_, rep| if rep < 1000 { 1.0 } else { 1.4 } + 0.1 * next(), 2000));
    let document = place.run(&["wavefront", "sample", "--check", "drift.csv", "--json"]).code(0).document();
    assert!(codes(&document["warnings"]).contains(&"not_stationary"), "{document}");
    let ratio = number(&document["diagnostics"]["windows"][0]["ratio"]);
    assert!((ratio - 1.45 / 1.05).abs() < 0.02, "{ratio}");
}

#[test]
fn modes_are_found_written_and_told() {
    let place = Place::new();
    let mut next = uniform(3);
    let is_busy = |rep: usize| (rep / 100) % 4 == 3;
    place.write("s.csv", &table(move |_, rep| (if is_busy(rep) { 3.0 } else { 1.0 }) * (0.9 + 0.2 * next()), 4000));
    let options = ["--fit-modes", "2", "--out", "m.csv", "--write-model", "m.toml", "--json"];
    let document = place.run(&[&["wavefront", "sample", "--check", "s.csv"], &options[..]].concat()).code(0).document();
    let modes = &document["modes"];
    assert_eq!(modes["states"], serde_json::json!(["calm", "busy"]));
    for row in list(&modes["Q"]) {
        assert!((list(row).iter().map(number).sum::<f64>() - 1.0).abs() < 1e-9, "{row}");
    }
    // 300 calm updates, then 100 busy ones.
    let [leaves_calm, leaves_busy] = [&modes["Q"][0][1], &modes["Q"][1][0]].map(number);
    assert!((1.0 / leaves_calm / 300.0 - 1.0).abs() < 0.2 && (1.0 / leaves_busy / 100.0 - 1.0).abs() < 0.2, "{modes}");
    let means = &modes["update_mean_s"];
    assert!((number(&means[0][0]) - 1.0).abs() < 0.02 && (number(&means[1][1]) - 3.0).abs() < 0.05, "{means}");
    assert!(number(&modes["bic_gain"]) > 100.0);

    assert!(place.read("m.csv").starts_with("kind,process,peer,host,rep,start_s,time_s,mode\n"));
    let model = place.read("m.toml");
    for part in [
        "states = [\"calm\", \"busy\"]",
        "mode = \"busy\"",
        "samples = \"m.csv\"",
        "state = \"busy\", process = \"p2\"",
    ] {
        assert!(model.contains(part), "{part}\n{model}");
    }
    let text = place.run(&["wavefront", "sample", "--check", "s.csv", "--fit-modes", "2"]).code(0).out;
    assert!(text.contains("\ncalm ") && text.contains("\nbusy "), "{text}");
}

#[test]
fn damaged_tables_are_told_by_line() {
    let place = Place::new();
    let good = table(|_, _| 1.0, 3);
    for (text, code, line) in [
        (good.replacen(",1\n", ",x1\n", 1), "not_a_number", Some(2)),
        (good.replace("update,p2,,vm,1", "updat,p2,,vm,1"), "unknown_kind", Some(6)),
        (good.replace("update,p2,,vm,1", "message,p2,,vm,1"), "no_peer", Some(6)),
        (good.replace("update,p2,,vm,2", "message,p2,p2,vm,2"), "own_peer", Some(7)),
        (good.replacen(",1\n", ",-1\n", 1), "negative_time", Some(2)),
        (good.replace("time_s", "time"), "no_column", None),
        (String::new(), "empty_table", None),
    ] {
        place.write("bad.csv", &text);
        let document = place.run(&["wavefront", "sample", "--check", "bad.csv", "--json"]).code(2).document();
        let problem = &document["problems"][0];
        assert_eq!((&problem["code"], &problem["file"]), (&code.into(), &"bad.csv".into()), "{problem}");
        assert_eq!(problem["line"].as_u64(), line, "{problem}");
    }
    place.run(&["wavefront", "sample", "--check", "none.csv"]).code(2);
}

#[test]
fn wrong_usage_measures_nothing() {
    let place = Place::new();
    place.write("m.csv", "0.5,0.1\n0.1,0.5\n");
    for (arguments, code) in [
        ("--processes 0", "processes"),
        ("--processes 100000", "processes"),
        ("--updates 0 --messages 0", "nothing"),
        ("--updates 1000000000", "too_many"),
        ("--processes 200 --messages 18446744073709551615", "too_many"),
        ("--write-model m.toml", "no_table"),
        ("--write-model m.toml --out -", "no_table"),
        ("--operator m.csv --pieces 1,2", "pieces"),
        ("--operator m.csv --pieces 1,1 --processes 3", "pieces"),
        ("--operator m.csv --processes 3", "pieces"),
        ("--operator m.csv --pieces 2,0", "pieces"),
        ("--operator polynomial --variables 2", "out_of_range"),
        ("--operator none.mtx", "cannot_read"),
    ] {
        let words: Vec<&str> =
            ["wavefront", "sample"].into_iter().chain(arguments.split(' ')).chain(["--json"]).collect();
        let document = place.run(&words).code(2).document();
        assert_eq!(document["problems"][0]["code"], code, "{arguments} {document}");
    }
    for usage in [
        "--bytes 1.5",
        "--bytes -1",
        "--work 0s",
        "--fit-modes 4",
        "--window 3",
        "--pieces 1,2",
        "--check a --work 2ms",
    ] {
        let words: Vec<&str> = ["wavefront", "sample"].into_iter().chain(usage.split(' ')).collect();
        place.run(&words).code(2);
    }
    place.write("s.csv", &table(|_, _| 1.0, 30));
    let arguments = ["wavefront", "sample", "--check", "s.csv", "--fit-modes", "2", "--json"];
    assert_eq!(place.run(&arguments).code(1).document()["problems"][0]["code"], "no_modes");
    let arguments = [&arguments[..], &["--write-model", "m.toml"]].concat();
    assert_eq!(place.run(&arguments).code(2).document()["problems"][0]["code"], "no_table");
    // Nobody can make a model of updates that take no time.
    place.write("zero.csv", &table(|_, _| 0.0, 30));
    let arguments = ["wavefront", "sample", "--check", "zero.csv", "--write-model", "m.toml", "--json"];
    assert_eq!(place.run(&arguments).code(1).document()["problems"][0]["code"], "no_law");
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_measured() {
    use std::process::{Command, Stdio};
    let place = Place::new();
    let program = crate::program().display().to_string();
    let options = "wavefront sample --work 1ms --updates 1000000 --messages 5 --processes 2 --out s.csv --json";
    let mut command = Command::new("timeout");
    command.args(["--foreground", "--signal=INT", "--kill-after=20", "--preserve-status", "2", &program]);
    command.args(options.split(' ')).current_dir(place.path("")).stdin(Stdio::null());
    let output = command.output().expect("timeout is installed");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!((output.status.code(), &document["status"]), (Some(1), &"interrupted".into()), "{document}");
    assert!(codes(&document["warnings"]).contains(&"interrupted"));
    assert!(place.read("s.csv").lines().count() > 100);
}

/// Two processes that slow down together by 30 %, half way.
#[test]
fn a_slowdown_in_common_is_found_written_and_solved() {
    let place = Place::new();
    let mut table = String::from("kind,process,peer,start_s,time_s\n");
    for index in 0..600 {
        let slow = if (index / 100) % 2 == 0 { 1.0 } else { 1.3 };
        for (process, own) in [("a", 0.01), ("b", 0.02)] {
            let jitter = 1.0 + 0.01 * f64::from((index * 7) % 11 - 5);
            table.push_str(&format!("update,{process},,{},{}\n", 0.05 * f64::from(index), own * slow * jitter));
        }
    }
    place.write("s.csv", &table);
    let sample = ["wavefront", "sample", "--check", "s.csv", "--write-model", "m.toml"];
    let answer = place.run(&[&sample[..], &["--json"]].concat()).code(0).document();
    let level = &answer["level"];
    assert_eq!((&level["windows"], level["forecast"].as_array().map(Vec::len)), (&24.into(), Some(4)), "{level}");
    assert!(level["no_level_probability"].as_f64().expect("a probability") < 0.01, "{level}");
    assert!(place.read("m.toml").contains("[level]"), "{}", place.read("m.toml"));
    let solved = place.run(&["wavefront", "solve", "m.toml", "--phases", "100", "--json"]).code(0).document();
    assert_eq!(solved["time"]["method"], "level_recursion", "{}", solved["time"]);
    let (narrow, wide) = (&solved["time"]["base"]["sd_s"], &solved["time"]["sd_s"]);
    assert!(wide.as_f64().expect("a spread") > 3.0 * narrow.as_f64().expect("a spread"), "{narrow} {wide}");
    let text = place.run(&sample).code(0);
    assert!(text.out.contains("machines slow down together: by"), "{}", text.out);
}

#[test]
fn the_real_loop_gives_an_update_a_phase_and_the_messages_that_were_waited_for() {
    let place = Place::new();
    let arguments =
        [&SHORT[..], &["--processes", "2", "--as", "loop", "-o", "s.csv", "--write-model", "m.toml", "--json"]];
    let document = place.run(&arguments.concat()).code(0).document();
    assert_eq!((&document["as"], &document["status"]), (&"loop".into(), &"done".into()));
    for process in list(&document["processes"]) {
        assert!(process["count"] == 60 && number(&process["min_s"]) > 20e-6, "{process}");
    }
    // One of both waits in each phase: a message of each link was seen.
    assert_eq!(list(&document["links"]).len(), 2);
    assert!(place.read("m.toml").contains("s.csv"));
    place.run(&["wavefront", "solve", "m.toml", "--method", "monte-carlo", "--json"]).code(0);
}
