//! Programs with every method in one comparison: the examples, and what they need of the commands.

use crate::{Answer, Place, program};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs the script of an example into a folder, from its kept measurements.
fn made(name: &str) -> (Place, Answer) {
    let place = Place::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join("make.sh");
    let mut command = Command::new("sh");
    command.arg(script).arg("made").current_dir(place.path(".")).env("RUNCAST", program());
    let answer = Answer::of(&command.output().expect("there is a shell")).code(0);
    (place, answer)
}

#[test]
fn each_example_compares_its_methods_by_one_command() {
    let cases: [(&str, &[&str]); 3] = [
        ("jacobi", &["bsf", "fit", "llac", "sim", "wavefront"]),
        ("fft", &["bsp", "fit", "llac", "sim"]),
        ("async", &["wavefront", "bsp", "fit", "sim"]),
    ];
    for (name, methods) in cases {
        let (place, answer) = made(name);
        assert!(answer.out.contains("Ranked on") && answer.out.contains("combined, by weight"), "{}", answer.out);
        assert!(!answer.err.contains("says nothing"), "{name}: {}", answer.err);
        let forecasts = place.read("made/forecasts.csv");
        for method in methods {
            let of_method = forecasts.lines().filter(|line| line.starts_with(&format!("{method},"))).count();
            assert!(of_method > 0, "{name}: nothing of {method} in {forecasts}");
        }
        assert!(place.read(&format!("made/{name}.svg")).contains("<svg"));
        assert!(place.read(&format!("made/{name}.html")).contains("</html>"));
    }
}

const PIECES: &str = "algorithm = \"pieces\"\n[pieces]\nlist_length = 1000\nsend_bytes = 4000\nreceive_bytes = 8000\n\
    element_bytes = 8000\nmap = { in_cache = \"400ns\", out_of_cache = \"900ns\", cache = \"1MiB\" }\nfold = \"500ns\"\n\
    compute = \"2us\"\n[messages]\nsize_bytes = [1, 1024, 4096, 4097, 65536, 1048576]\n\
    time_s = [2e-6, 3e-6, 5e-6, 4e-5, 6e-5, 3e-4]\nbusy_s = [5e-7, 1.5e-6, 3e-6, 3.8e-5, 5.8e-5, 2.98e-4]\nswitches = [4096]\n";

/// Times of a simulation over workers.
fn simulated(place: &Place, costs: &str, workers: &str) -> Vec<f64> {
    place.run(&["sim", "new", "bsf", "--costs", costs, "-o", "model", "--force"]).code(0);
    let vary = format!("workers={workers}");
    let document = place.run(&["sim", "sweep", "model/experiment.toml", "--vary", &vary, "--json"]).code(0).document();
    let rows = document["rows"].as_array().expect("rows");
    rows.iter().map(|row| row["time_s"].as_f64().expect("a time")).collect()
}

/// Times of the cost model, flat.
fn modeled(place: &Place, costs: &str, workers: &str) -> Vec<f64> {
    let document = place.run(&["bsf", "predict", costs, "--workers", workers, "--json"]).code(0).document();
    let points = document["curves"][0]["points"].as_array().expect("points");
    points.iter().map(|point| point["time_s"].as_f64().expect("a time")).collect()
}

/// With one worker nobody computes while the master sends: the simulation is the model. With more it is never above, and
/// blocks that fit into the cache are as fast as there.
#[test]
fn costs_in_pieces_and_fits_are_simulated() {
    let place = Place::new();
    place.write("pieces.toml", PIECES);
    let (model, simulation) =
        (modeled(&place, "pieces.toml", "1,2,4,7,8"), simulated(&place, "pieces.toml", "1,2,4,7,8"));
    assert!((simulation[0] / model[0] - 1.0).abs() < 1e-6, "{simulation:?} {model:?}");
    assert!(simulation.iter().zip(&model).all(|(own, model)| *own <= model * (1.0 + 1e-6)), "{simulation:?} {model:?}");
    // 125 elements of 8,000 bytes fit into 1 MiB: 400 ns each, not 900.
    let step = |fits: &str| -> f64 {
        let arguments = ["sim", "run", "model/experiment.toml", "--set", "workers=8", "--set", fits, "--json"];
        place.run(&arguments).code(0).document()["time_s"].as_f64().expect("a time")
    };
    let gained = step("fits=0") - step("fits=131");
    assert!((gained - 62.5e-6).abs() < 1e-9, "{gained}");

    let runs: String = [1, 2, 4, 8, 16]
        .map(|workers| format!("{workers},{}\n", 2e-3 + 0.1 / f64::from(workers) + 1e-3 * f64::from(workers)))
        .concat();
    place.write("runs.csv", &format!("workers,time_s\n{runs}"));
    place.run(&["bsf", "validate", "runs.csv", "--fit", "-o", "fitted.toml"]).code(0);
    // The curve with the largest weight is the law of the runs.
    let simulation = simulated(&place, "fitted.toml", "1,2,4,8");
    for (own, run) in simulation.iter().zip([0.103, 0.054, 0.031, 0.0225]) {
        assert!((own / run - 1.0).abs() < 1e-3, "{simulation:?}");
    }
}

#[test]
fn processes_that_hold_a_master_are_workers_and_one() {
    let place = Place::new();
    let time = |workers: f64| 2e-3 + 0.1 / workers + 1e-3 * workers;
    let rows = |shift: u32| -> String {
        [1_u32, 2, 4, 8, 16].map(|workers| format!("{},{}\n", workers + shift, time(f64::from(workers)))).concat()
    };
    place.write("workers.csv", &format!("workers,time_s\n{}", rows(0)));
    place.write("p.csv", &format!("p,time_s\n1,0.1\n{}", rows(1)));
    let fitted = |arguments: &[&str]| -> Value {
        place.run(&[&["bsf", "validate", "--fit", "--json"], arguments].concat()).code(0).document()["curves"].clone()
    };
    assert_eq!(fitted(&["p.csv", "--process-param", "p"]), fitted(&["workers.csv"]));
    place.run(&["bsf", "validate", "--fit", "p.csv", "--process-param", "q"]).code(2);
}

const JACOBI: &str = "algorithm = \"jacobi\"\nsize = 1500\n[machine]\nlatency = \"15us\"\nop_time = \"29ns\"\n\
    transfer_time = \"190ns\"\n";

#[test]
fn a_cost_model_tells_processes_for_a_deadline_and_sizes_for_a_time() {
    let place = Place::new();
    place.write("costs.toml", JACOBI);
    let plan = ["plan", "--models", "costs.toml", "--json"];
    let deadline = [&plan[..], &["--deadline", "20ms", "--processes", "2,4,8,16,32"]].concat();
    let document = place.run(&deadline).code(0).document();
    assert_eq!(document["rows"][0]["at"]["p"], 16.0);
    let sizes = [&plan[..], &["--for-time", "20ms", "--size", "size", "--processes", "16"]].concat();
    let document = place.run(&sizes).code(0).document();
    let size = document["rows"][0]["at"]["size"].as_f64().expect("a size");
    let time_s = |size: f64| {
        let size = size.to_string();
        let arguments = ["bsf", "predict", "costs.toml", "--size", &size, "--workers", "15", "--json"];
        let document = place.run(&arguments).code(0).document();
        document["curves"][0]["points"][0]["time_s"].as_f64().expect("a time")
    };
    assert!(time_s(size) <= 0.02 && time_s(size + 2.0) > 0.02, "{size}: {}", time_s(size));
}

/// Of several saved models the one of the metric of the runs is asked, and a model has seen the runs that it learned from,
/// not others at the same numbers of processes.
#[test]
fn of_saved_models_the_one_of_the_metric_is_asked() {
    let place = Place::new();
    let rows = |factor: f64| -> String {
        [1, 2, 4, 8].map(|p| format!("{p},{},{}\n", factor * 100.0 / f64::from(p), 7.0)).concat()
    };
    place.write("runs.csv", &format!("p,time_s,cpu_s\n{}", rows(1.0)));
    place.write("others.csv", &format!("p,time_s,cpu_s\n{}", rows(1.1)));
    place.run(&["fit", "runs.csv", "-o", "models.json"]).code(0);
    let forecast = |runs: &str| -> Value {
        let arguments = ["compare", runs, "--predictions", "models.json", "--metric", "time_s", "--json"];
        place.run(&arguments).code(0).document()["configurations"][3]["forecasts"][0].clone()
    };
    let own = forecast("runs.csv");
    assert!((own["value"].as_f64().expect("a value") / 12.5 - 1.0).abs() < 0.05, "{own}");
    assert_eq!((&own["seen"], &forecast("others.csv")["seen"]), (&true.into(), &false.into()));
}

/// A model of phases answers for its own processes and the phases of the runs.
#[test]
fn a_wavefront_model_is_asked_about_phases() {
    let place = Place::new();
    place.write(
        "pair.toml",
        "[wavefront]\nstep = \"1s\"\nrho = 0.9\n[[process]]\nname = \"a\"\ncount = 2\n\
         update = { ticks = [1, 3], prob = [0.5, 0.5] }\n[network]\ndefault = { ticks = [0], prob = [1.0] }\n",
    );
    place.write("runs.csv", "p,phases,time_s\n2,10,26\n2,100,249\n");
    let document = place.run(&["compare", "runs.csv", "--predictions", "pair.toml", "--json"]).code(0).document();
    // A phase takes 1 + 2 Bernoulli(3/4).
    for (index, phases) in [10.0, 100.0].into_iter().enumerate() {
        let forecasts = document["configurations"][index]["forecasts"].as_array().expect("forecasts");
        assert_eq!(forecasts.len(), 1, "{document}");
        let value = forecasts[0]["value"].as_f64().expect("a value");
        assert!((value / (2.5 * phases) - 1.0).abs() < 1e-6, "{value}");
    }
    place.write("three.csv", "p,phases,time_s\n3,10,26\n3,100,249\n");
    let answer = place.run(&["compare", "three.csv", "--predictions", "pair.toml"]).code(1);
    assert!(answer.err.contains("a model of 2 processes"), "{}", answer.err);
}

#[test]
fn without_a_choice_the_exit_code_is_1() {
    let place = Place::with_runs();
    let advise = |objective: &str| place.run(&["advise", "processes", "runs.csv", "--objective", objective, "--json"]);
    assert!(advise("deadline:1us").code(1).document()["recommended"].is_null());
    advise("front").code(0);
    advise("time").code(0);
}
