//! The six questions on the samples, and what is refused.

use super::*;
use crate::remote::InMemory;
use runcast_sim::templates;
use std::sync::Arc;

fn file(path: &str) -> String {
    let path = format!("{}/../server/templates/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn context(more: &[(&str, &str)]) -> Context {
    let system = |name: &str| templates::find(name).expect("a template").system.to_owned();
    let heat = templates::find("heat").expect("a template");
    let mut files = vec![
        (samples::RUNS, file("heat.csv")),
        (samples::APPLICATION, heat.app.to_owned()),
        (samples::SYSTEMS[0], heat.system.to_owned()),
        (samples::SYSTEMS[1], system("spmd-2d")),
        (samples::EXPERIMENT, file("heat-experiment.toml")),
        (samples::WAVEFRONT, file("shared-machines.toml")),
    ];
    files.extend(more.iter().map(|(path, text)| (*path, (*text).to_owned())));
    let files = files.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text.into_bytes())));
    Context::of_files(Box::new(InMemory::new(files)))
}

fn ask(which: Which, fields: Value, more: &[(&str, &str)]) -> Result<Told, Failure> {
    let Value::Object(fields) = fields else { panic!("no fields") };
    answer(&Question { question: which, fields }, &[], &mut context(more))
}

fn none() -> Value {
    Value::Object(Map::new())
}

/// Every question answers without a field, shows a picture, and its commands say the same.
#[test]
fn every_question_begins_with_an_answered_sample() {
    for (which, begins, commands) in [
        (Which::Processes, "Ask for 256 processes: ", 1),
        (Which::Machine, "cluster is faster: ", 2),
        (Which::Limits, "Computing limits it: ", 1),
        (Which::Network, "Twice the bandwidth saves ", 3),
        (Which::Larger, "About ", 2),
    ] {
        let told = ask(which, none(), &[]).unwrap_or_else(|failure| panic!("{which:?}: {failure:?}"));
        assert!(told.sentence.starts_with(begins) && told.sentence.ends_with('.'), "{which:?}: {}", told.sentence);
        assert_eq!((told.commands.len(), told.documents.len()), (commands, commands), "{which:?}");
        assert!(!told.picture.points.is_empty() || told.picture.bars.len() > 1, "{which:?}");
        assert!(!told.fields.is_empty() && !told.view.is_empty(), "{which:?}");
    }
}

/// The simulated times of the two machines, as `sim run` gives them each by itself.
#[test]
fn machines_are_ranked_by_what_is_asked() {
    let told = ask(Which::Machine, serde_json::json!({"by": "energy"}), &[]).expect("an answer");
    let energies: Vec<f64> = told.documents.iter().map(|document| document["energy_j"].as_f64().expect("J")).collect();
    assert_eq!(told.value, energies.iter().copied().reduce(f64::min));
    let failure = ask(Which::Machine, serde_json::json!({"systems": "systems/galera.toml"}), &[]).expect_err("one");
    assert_eq!(failure.problems.0[0].pointer.as_deref(), Some("/fields/systems"));
}

#[test]
fn a_larger_run_takes_the_size_and_the_processes_that_are_asked() {
    let runs = "p,N,solve_s\n1,1000,10\n2,1000,5.1\n4,1000,2.6\n8,1000,1.4\n16,1000,0.8\n";
    let asked = serde_json::json!({"source": "runs.csv", "p": "64"});
    let told = ask(Which::Larger, asked, &[("runs.csv", runs)]).expect("an answer");
    assert_eq!(told.documents[0]["predictions"][0]["at"]["p"], 64);
    assert!(told.sentence.contains("on 64 processes") && told.sentence.contains("4 times beyond"), "{}", told.sentence);
    assert_eq!(told.commands[0], "runcast predict runs.csv --at p=64,N=1000");
    assert_eq!((told.picture.measured_to, told.unit.as_str()), (Some(16.0), "s"));
    assert_eq!(told.value, told.documents[0]["predictions"][0]["value"].as_f64());
}

/// Of several times that of the whole run is asked for, and the answer says so.
#[test]
fn of_several_times_that_of_the_run_is_meant() {
    let runs =
        "nranks,kernel_ms,halo_ms,wall_ms\n1,79.1,0.15,173\n2,39.6,23.2,89.5\n4,19.7,50.7,50.6\n8,9.9,60.1,31.2\n";
    let fields = serde_json::json!({"source": "mine.csv", "p": 16});
    let told = ask(Which::Larger, fields, &[("mine.csv", runs)]).expect("an answer");
    assert_eq!(told.picture.y, "wall_ms");
    assert!(told.commands[0].contains("--metric wall_ms"), "{:?}", told.commands);
    assert!(
        told.assumptions.iter().any(|one| one.starts_with("wall_ms is the time of a run")),
        "{:?}",
        told.assumptions
    );
    // Two of them are not told apart.
    let runs = runs.replace("kernel_ms", "total_ms");
    assert!(ask(Which::Larger, serde_json::json!({"source": "mine.csv"}), &[("mine.csv", &runs)]).is_err());
}

#[test]
fn a_table_without_processes_asks_which_column_counts_them() {
    let runs = "depth,width,time_s\n1.5,10,5\n2.5,10,6\n1.5,20,9\n2.5,20,11\n3.5,20,14\n3.5,10,8\n";
    let asked = |fields| ask(Which::Processes, fields, &[("runs.csv", runs)]);
    let failure = asked(serde_json::json!({"source": "runs.csv"})).expect_err("no processes");
    let problem = &failure.problems.0[0];
    assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("no_processes", Some("/fields/column")));
    assert_eq!(problem.allowed.as_deref(), Some("depth, width"));
    let told = asked(serde_json::json!({"source": "runs.csv", "column": "width"})).expect("mended");
    assert!(told.sentence.starts_with("Ask for "), "{}", told.sentence);
}

#[test]
fn fields_that_are_wrong_are_named() {
    for (which, fields, at) in [
        (Which::Processes, serde_json::json!({"max_p": -3}), "max_p"),
        (Which::Processes, serde_json::json!({"goal": "fun"}), "goal"),
        (Which::Processes, serde_json::json!({"nonsense": 1}), "nonsense"),
        (Which::Larger, serde_json::json!({"source": "nowhere.csv"}), "source"),
        (Which::Network, serde_json::json!({"what": "color"}), "what"),
        (Which::Machine, serde_json::json!({"by": "price"}), "by"),
        (Which::Limits, serde_json::json!({"source": 7}), "source"),
    ] {
        let failure = ask(which, fields, &[]).expect_err(at);
        let pointer = format!("/fields/{at}");
        assert_eq!(failure.problems.0[0].pointer.as_deref(), Some(pointer.as_str()), "{failure:?}");
    }
}

#[test]
fn the_degrees_are_compared_for_so_many_processes_and_digits() {
    let asked = serde_json::json!({"p": 3, "digits": 4});
    let told = ask(Which::Asynchronous, asked, &[]).expect("an answer");
    assert_eq!((told.documents[0]["model"]["processes"].as_f64(), told.files.len()), (Some(3.0), 1));
    assert!(told.sentence.contains("for 4 digits") && told.picture.bars.len() == 4, "{}", told.sentence);
}

/// What is launched as jobs says all that the question says, and nothing is simulated to know it.
#[test]
fn command_lines_keep_the_options_of_the_question() {
    let noted = |which, fields: Value| {
        let Value::Object(fields) = fields else { panic!("no fields") };
        let lines = lines(&Question { question: which, fields }, &[], &mut context(&[]));
        lines
            .unwrap_or_else(|failure| panic!("{which:?}: {failure:?}"))
            .iter()
            .map(|line| line.join(" "))
            .collect::<Vec<_>>()
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let processes = noted(Which::Processes, json(r#"{"max_p": 512, "goal": "efficiency:50"}"#));
    assert!(processes[0].starts_with("advise processes") && processes[0].contains("--max-p 512"), "{processes:?}");
    assert!(processes[0].contains("--objective efficiency:50"), "{processes:?}");
    assert_eq!(noted(Which::Machine, none()).len(), 2);
    let limits = noted(Which::Limits, json(r#"{"p": 27}"#));
    assert!(limits.len() == 1 && limits[0].contains("--set p=27") && limits[0].ends_with("--explain"), "{limits:?}");
    let network = noted(Which::Network, json(r#"{"what": "latency", "factor": 4}"#));
    assert!(
        network.len() == 3 && network[1].contains(".latency=") && network[2].contains(".bandwidth="),
        "{network:?}"
    );
    let larger = noted(Which::Larger, json(r#"{"p": 300}"#));
    assert!(larger[0].starts_with("predict") && larger[0].contains("p=300"), "{larger:?}");
    let degrees = noted(Which::Asynchronous, json(r#"{"digits": 7}"#));
    assert!(degrees[0].contains("omega=7") && degrees[0].contains("--degrees"), "{degrees:?}");
}
