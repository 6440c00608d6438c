//! `wavefront solve`: the golden cases, every option, every error, the document, the table, the pictures and the page.

use crate::wavefront_cases::{BARRIER, LAB, case, codes, golden};
use crate::{Answer, Place};
use serde_json::{Map, Value, json};

/// The input of a golden case as a model file.
fn model(input: &Value) -> String {
    let law = |law: &Value| {
        let pairs = law.as_object().expect("a law");
        let ticks: Vec<&str> = pairs.keys().map(String::as_str).collect();
        let prob: Vec<String> = pairs.values().map(Value::to_string).collect();
        format!("{{ ticks = [{}], prob = [{}] }}", ticks.join(", "), prob.join(", "))
    };
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let mut text = format!(
        "[wavefront]\nstep = \"{}s\"\nomega = {}\nrho = {}\nsemantics = {}\n",
        input["step"], input["omega"], input["rho"], input["semantics"]
    );
    if let Some(tie) = input.get("tie") {
        text.push_str(&format!("tie = {tie}\n"));
    }
    if let Some(start) = input.get("x0") {
        text.push_str(&format!("x0 = {start}\n"));
    }
    for (index, update) in list(&input["update"]).iter().enumerate() {
        let (name, a, b) = (index + 1, &input["A"][index], &input["B"][index]);
        text.push_str(&format!("[[process]]\nname = \"p{name}\"\nA = {a}\nB = {b}\nupdate = {}\n", law(update)));
    }
    for (from, row) in list(&input["msg"]).iter().enumerate() {
        for (to, message) in list(row).iter().enumerate().filter(|(_, message)| !message.is_null()) {
            let (from, to) = (from + 1, to + 1);
            text.push_str(&format!("[[network.link]]\nfrom = \"p{from}\"\nto = \"p{to}\"\ntime = {}\n", law(message)));
        }
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("lab.toml", LAB);
    place.write("barrier.toml", BARRIER);
    place.write("two-point.toml", &model(&case("p2-two-point")["input"]));
    place
}

fn solved(place: &Place, arguments: &[&str]) -> Answer {
    place.run(&[&["wavefront", "solve"], arguments].concat())
}

#[track_caller]
fn document(place: &Place, arguments: &[&str]) -> Value {
    solved(place, &[arguments, &["--json"]].concat()).code(0).document()
}

#[track_caller]
fn close(found: &Value, expected: f64, what: &str) {
    near(found, expected, 1e-9, what);
}

#[track_caller]
fn near(found: &Value, expected: f64, relative: f64, what: &str) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{what}: {found} is no number"));
    let allowed = (relative * expected.abs()).max(1e-12);
    assert!((found - expected).abs() <= allowed, "{what}: expected {expected}, found {found}");
}

#[track_caller]
fn law(found: &Value, key: impl Fn(&Value) -> String, expected: &Map<String, Value>, what: &str) {
    let entries = found.as_array().unwrap_or_else(|| panic!("{what}: {found}"));
    assert_eq!(entries.len(), expected.len(), "{what}: {entries:?}");
    for entry in entries {
        let key = key(entry);
        let probability = expected.get(&key).and_then(Value::as_f64).unwrap_or_else(|| panic!("{what}: {key}"));
        close(&entry["prob"], probability, &format!("{what} {key}"));
    }
}

/// What a field of the golden file is called in the document.
const FIELDS: [(&str, &str); 19] = [
    ("/n_states", "/states/reachable"),
    ("/n_recurrent", "/states/recurrent"),
    ("/n_closed", "/states/closed_classes"),
    ("/period", "/states/period"),
    ("/E_phi", "/phase_mean_s"),
    ("/var_phi", "/phase_var_s2"),
    ("/E_N", "/iterations_mean"),
    ("/var_N", "/iterations_var"),
    ("/cov_N_phi", "/cov_iterations_phase_s"),
    ("/N_min", "/iterations_min"),
    ("/N_max", "/iterations_max"),
    ("/speed", "/speed_per_s"),
    ("/asym/var_phi", "/asymptotic/phase_var_s2"),
    ("/asym/var_N", "/asymptotic/iterations_var"),
    ("/asym/cov", "/asymptotic/cov_s"),
    ("/phases_avg", "/phases_needed"),
    ("/sigma_phase_fixed", "/sd_fixed_phases_s"),
    ("/absorption/0", "/classes/0/weight"),
    ("/phases_avg", "/estimates/average/phases"),
];

#[test]
fn the_golden_cases_hold() {
    let place = Place::new();
    for case in golden() {
        let (name, expected) = (case["name"].as_str().expect("a name"), &case["expected"]);
        place.write("model.toml", &model(&case["input"]));
        let found = document(&place, &["model.toml", "--pmf", "--wavefront", "all"]);
        for (from, to) in FIELDS {
            if let Some(expected) = expected.pointer(from).and_then(Value::as_f64) {
                close(found.pointer(to).unwrap_or(&Value::Null), expected, &format!("{name} {to}"));
            }
        }
        let estimates = [
            ("R", "rate_per_iteration"),
            ("theta1", "time_s"),
            ("sigma2_iid", "sd_published_s"),
            ("sigma2_autocov", "sd_autocov_s"),
        ];
        for (from, to) in estimates {
            for (estimate, value) in expected[from].as_object().into_iter().flatten() {
                let what = format!("{name} {estimate} {to}");
                match value.as_f64() {
                    Some(value) => close(&found["estimates"][estimate][to], value, &what),
                    None => assert!(found["estimates"][estimate][to].is_null(), "{what}"),
                }
            }
        }
        for (index, mean) in expected["E_N_per_proc"].as_array().into_iter().flatten().enumerate() {
            close(&found["updates_mean"][index], mean.as_f64().expect("a number"), &format!("{name} updates_mean"));
        }
        let number = |field: &'static str| move |entry: &Value| entry[field].to_string();
        let laws = [("iterations_pmf", "pmf_N", "iterations"), ("phase_pmf", "pmf_phi_ticks", "ticks")];
        for (field, golden, key) in laws {
            law(&found[field], number(key), expected[golden].as_object().expect("a law"), &format!("{name} {field}"));
        }
        let offsets = |entry: &Value| {
            let ticks = entry["x_ticks"].as_array().expect("offsets");
            ticks.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
        };
        law(&found["wavefront"], offsets, expected["pi"].as_object().expect("a law"), &format!("{name} wavefront"));
        // The same as a model file of this project.
        let file = format!("{}/../../testdata/wavefront/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let same = document(&place, &[&file]);
        close(&same["phase_mean_s"], found["phase_mean_s"].as_f64().expect("a number"), &file);
        close(&same["iterations_mean"], found["iterations_mean"].as_f64().expect("a number"), &file);
    }
}

/// The names of all fields, depth first; of a list those of its first entry.
fn shape(value: &Value, at: &str, names: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                names.push(format!("{at}{name}"));
                shape(value, &format!("{at}{name}."), names);
            }
        }
        Value::Array(entries) => entries.first().into_iter().for_each(|entry| shape(entry, at, names)),
        _ => {}
    }
}

#[test]
fn the_document_has_these_fields() {
    let place = place();
    let all = ["--pmf", "--degrees", "model", "--sensitivity", "--phases", "131", "--tail", "160s"];
    let found = document(&place, &[&["lab.toml"], all.as_slice()].concat());
    assert_eq!((&found["kind"], &found["version"]), (&json!("wavefront-solve"), &json!(1)));
    assert_eq!(found["schema"], "runcast.wavefront.solve/1");
    let mut names = Vec::new();
    shape(&found, "", &mut names);
    insta::assert_snapshot!(names.join("\n"));
}

#[test]
fn what_is_not_asked_for_is_absent() {
    let found = document(&place(), &["lab.toml"]);
    for field in ["phase_pmf", "time", "degrees", "ranking", "sensitivity", "ci"] {
        assert!(found.get(field).is_none(), "{field}");
    }
    assert_eq!(found["method"], "exact");
    assert_eq!(found["extremes"], "exact");
    assert_eq!(found["warnings"], json!([]));
    assert!(found["estimates"].get("operator").is_none());
    assert!(found["wavefront"].as_array().is_some_and(|list| list.len() <= 20));
}

#[test]
fn both_rules_for_ties_are_told() {
    let place = place();
    let found = document(&place, &["lab.toml"]);
    close(&found["iterations_mean_ties"]["counts"], 1.79215214232, "counts");
    close(&found["iterations_mean_ties"]["discards"], 1.59105514226, "discards");
    let other = document(&place, &["lab.toml", "--tie", "discards"]);
    close(&other["iterations_mean"], 1.59105514226, "discards");
    close(&other["phase_mean_s"], 1.10848192944, "the phase does not change");
    let text = solved(&place, &["lab.toml"]).code(0).out;
    assert!(text.contains("1.792") && text.contains("1.591"), "{text}");
    let complete = document(&place, &["lab.toml", "--semantics", "complete"]);
    assert!(complete.get("iterations_mean_ties").is_none());
}

#[test]
fn options_go_before_the_file() {
    let place = place();
    let sync = document(&place, &["lab.toml", "--B", "0"]);
    assert_eq!(sync["model"]["B"], json!([0, 0, 0]));
    close(&sync["iterations_mean"], 1.0, "one iteration a phase");
    let each = document(&place, &["lab.toml", "--A", "1,2,1", "--B", "0,1,2"]);
    assert_eq!((&each["model"]["A"], &each["model"]["B"]), (&json!([1, 2, 1]), &json!([0, 1, 2])));
    let twice = document(&place, &["lab.toml", "--omega", "12"]);
    close(&twice["estimates"]["average"]["time_s"], 2.0 * 145.350881247, "twice the digits");
    let slower = document(&place, &["lab.toml", "--rho", "0.95"]);
    close(&slower["model"]["contraction_log10"], -(0.95f64.log10()), "L");
    let text = BARRIER.replace("ticks = [1, 3]", "values = ['1s', '3s']");
    place.write("values.toml", &text);
    let finer = document(&place, &["values.toml", "--step", "0.5s"]);
    close(&finer["phase_mean_s"], 2.5, "the same phase on a finer lattice");
    assert_eq!(finer["model"]["step_s"], json!(0.5));
}

#[test]
fn the_bound_is_told_before_any_work() {
    let place = place();
    for arguments in [&["lab.toml"][..], &["lab.toml", "--json"]] {
        let answer = solved(&place, arguments).code(0);
        assert!(answer.err.contains("at most 10 states"), "{}", answer.err);
    }
    let found = document(&place, &["lab.toml"]);
    assert_eq!((&found["states"]["bound"], &found["states"]["reachable"]), (&json!(10), &json!(10)));
}

#[test]
fn the_law_of_the_time_is_that_of_the_closed_form() {
    // T = 62 + 2 Binomial(62, 3/4)
    let place = place();
    let found = document(&place, &["barrier.toml", "--phases", "auto", "--tail", "1.1x"]);
    let time = &found["time"];
    assert_eq!((&time["method"], &time["phases"]), (&json!("exact"), &json!(62)));
    close(&time["mean_s"], 155.0, "mean");
    near(&time["sd_s"], 6.81909085, 1e-8, "sd");
    let quantiles = time["quantiles"].as_array().expect("quantiles");
    let told: Vec<(&Value, &Value)> = quantiles.iter().map(|one| (&one["q"], &one["time_s"])).collect();
    let expected = [(0.05, 144.0), (0.5, 156.0), (0.95, 166.0), (0.99, 170.0)];
    for ((q, time_s), (level, seconds)) in told.iter().zip(expected) {
        assert_eq!(q.as_f64(), Some(level));
        close(time_s, seconds, "quantile");
    }
    let tail = &time["tails"][0];
    close(&tail["threshold_s"], 170.5, "threshold");
    near(&tail["probability"], 0.00617727483, 1e-8, "probability");
    near(&tail["rate"], 0.0482384473, 1e-8, "rate");
    near(&tail["theta_per_tick"], 0.4236489302, 1e-8, "theta");
    near(&tail["chernoff"], 0.0502480403, 1e-8, "chernoff");
    let other = document(&place, &["barrier.toml", "--phases", "62", "--quantiles", "90%", "--tail", "155s,170.5s"]);
    assert_eq!(other["time"]["quantiles"].as_array().map(Vec::len), Some(1));
    assert_eq!(other["time"]["tails"].as_array().map(Vec::len), Some(2));
    close(&other["time"]["tails"][1]["probability"], tail["probability"].as_f64().expect("a number"), "the same");
}

#[test]
fn what_limits_is_the_critical_path() {
    let place = place();
    let found = document(&place, &["lab.toml", "--sensitivity"]);
    let processes = found["sensitivity"]["processes"].as_array().expect("processes");
    let shares = [0.204125, 0.352866, 0.443009];
    let times = [0.138267, 0.249426, 0.433664];
    for ((process, share), time_s) in processes.iter().zip(shares).zip(times) {
        let found = |field: &str| process[field].as_f64().expect("a number");
        assert!((found("critical_share") - share).abs() < 1e-6, "{process}");
        assert!((found("critical_time_s") - time_s).abs() < 1e-6, "{process}");
        assert!(found("gain_s") > 0.0, "{process}");
    }
    let links = found["sensitivity"]["links"].as_array().expect("links");
    let total: f64 = processes.iter().chain(links).map(|part| part["critical_time_s"].as_f64().unwrap_or(0.0)).sum();
    assert!((total - 1.10848192944).abs() < 1e-9, "{total}");
    let text = solved(&place, &["lab.toml", "--sensitivity"]).code(0).out;
    assert!(text.contains("ws3 limits: 44 % of the critical path"), "{text}");
    let two = document(&place, &["two-point.toml", "--sensitivity"]);
    let share = |pointer: &str| two["sensitivity"].pointer(pointer).and_then(Value::as_f64).expect("a share");
    assert!((share("/processes/0/critical_share") - 0.460068).abs() < 1e-6);
    assert!((share("/links/0/critical_share") - 0.448926).abs() < 1e-6);
    assert!((share("/links/1/critical_share") - 0.448926).abs() < 1e-6);
}

#[test]
fn without_an_operator_degrees_are_shown_and_not_ranked() {
    let place = place();
    let found = document(&place, &["lab.toml", "--degrees", "1/0,1/1,1/2"]);
    let ranking = &found["ranking"];
    assert_eq!((&ranking["by"], &ranking["order"], &ranking["time_ratio"]), (&Value::Null, &json!([]), &json!([])));
    assert!(ranking["reason"].as_str().is_some_and(|reason| reason.contains("same for every B")), "{ranking}");
    let degrees = found["degrees"].as_array().expect("degrees");
    let names: Vec<&Value> = degrees.iter().map(|degree| &degree["name"]).collect();
    assert_eq!(names, ["1/0", "1/1", "1/2"]);
    for degree in degrees {
        close(&degree["estimates"]["average"]["time_s"], 145.350881247, "the average prefers no B");
    }
    near(&degrees[1]["estimates"]["worst"]["time_s"], 162.208194, 1e-8, "worst");
    let text = solved(&place, &["lab.toml", "--degrees", "model"]).code(0).out;
    assert!(text.contains("No degree is recommended") && text.contains("async 1"), "{text}");
}

/// A tridiagonal matrix of 6 rows as rows of numbers.
fn matrix(off: f64) -> String {
    let entry = |row: usize, column: usize| match row.abs_diff(column) {
        0 => "0.5".to_owned(),
        1 => off.to_string(),
        _ => "0".to_owned(),
    };
    let row = |row: usize| (0..6).map(|column| entry(row, column)).collect::<Vec<_>>().join(",");
    (0..6).map(|index| row(index) + "\n").collect()
}

/// The laboratory with a matrix in place of rho.
fn with_operator(off: f64, more: &str) -> Place {
    let place = place();
    place.write("m.csv", &matrix(off));
    let operator = format!("[operator]\nmatrix = \"m.csv\"\npieces = [2, 2, 2]\n{more}");
    place.write("operator.toml", &(LAB.replace("rho = 0.9\n", "") + &operator));
    place
}

/// rho of the tridiagonal matrix: 0.5 + 2 off cos(pi/7).
fn radius(off: f64) -> f64 {
    0.5 + 2.0 * off * (std::f64::consts::PI / 7.0).cos()
}

#[test]
fn with_an_operator_degrees_are_ranked() {
    let place = with_operator(0.2, "");
    let found = document(&place, &["operator.toml", "--degrees", "model"]);
    close(&found["model"]["rho"], radius(0.2), "rho");
    let degrees = found["degrees"].as_array().expect("degrees");
    let operator = |degree: &Value, field: &str| degree["estimates"]["operator"][field].clone();
    // Synchronous, M >= 0: one application a phase, whatever the distributions.
    close(&operator(&degrees[0], "rate_per_phase"), -radius(0.2).log10(), "r = L");
    assert_eq!(operator(&degrees[0], "kind"), "first_moment");
    assert_eq!(operator(&degrees[0], "sd_published_s"), Value::Null);
    let times: Vec<f64> = degrees.iter().map(|one| operator(one, "time_s").as_f64().expect("a time")).collect();
    assert!(times[1] < times[0], "more updates of M >= 0 lose nothing: {times:?}");
    assert_eq!(found["ranking"]["by"], "operator");
    assert_eq!(found["ranking"]["order"], json!(["async 1", "sync"]));
    close(&found["ranking"]["time_ratio"][1], times[0] / times[1], "ratio");
    let text = solved(&place, &["operator.toml", "--degrees", "model"]).code(0).out;
    assert!(text.contains("async 1 finishes ") && text.contains(" % sooner than sync ("), "{text}");
}

#[test]
fn one_process_gains_with_every_update() {
    let place = Place::new();
    place.write("m.csv", "0.6,0.1\n0.1,0.6\n");
    let text = "[wavefront]\nstep = '1s'\nomega = 6\n[[process]]\nA = 3\nupdate = { constant = '2s' }\n\
                [operator]\nmatrix = 'm.csv'\npieces = [2]\n";
    place.write("one.toml", text);
    let found = document(&place, &["one.toml"]);
    close(&found["estimates"]["operator"]["rate_per_phase"], -3.0 * 0.7f64.log10(), "r = 3L");
    close(&found["estimates"]["average"]["rate_per_phase"], -(0.7f64.log10()), "L a phase");
    close(&found["phase_mean_s"], 6.0, "three updates");
}

#[test]
fn a_signed_operator_has_an_interval() {
    let place = with_operator(-0.2, "");
    let found = document(&place, &["operator.toml", "--degrees", "1/0,1/0,1/1"]);
    let operator = &found["estimates"]["operator"];
    assert_eq!(operator["kind"], "lyapunov");
    let [low, high] = [0, 1].map(|end| operator["ci_rate_per_phase"][end].as_f64().expect("an end"));
    let rate = operator["rate_per_phase"].as_f64().expect("a rate");
    assert!(low <= rate && rate <= high && low < high, "{operator}");
    let bound = operator["bound_rate_per_phase"].as_f64().expect("a bound");
    assert!(bound <= high, "{operator}");
    assert_eq!(found["ranking"]["tied"][0], json!(false));
    // A degree that stands there twice is tied with itself.
    let order = found["ranking"]["order"].as_array().expect("an order");
    let twin = order.windows(2).position(|pair| pair == [json!("1/0"), json!("1/0")]).expect("side by side");
    assert_eq!(found["ranking"]["tied"][twin + 1], json!(true), "{}", found["ranking"]);
}

#[test]
fn what_does_not_contract_has_no_rates() {
    // rho(|M|) = 0.5 + 0.6 cos(pi/7) > 1
    let place = with_operator(0.3, "");
    let found = document(&place, &["operator.toml"]);
    assert!(found["estimates"]["average"]["rate_per_iteration"].is_null());
    assert!(found["phases_needed"].is_null() && found["model"]["contraction_log10"].is_null());
    let codes = codes(&found["warnings"]);
    assert_eq!(codes.iter().filter(|code| **code == "no_contraction").count(), 1, "{codes:?}");
    place.write("none.toml", &LAB.replace("rho = 0.9\n", ""));
    let none = document(&place, &["none.toml"]);
    assert!(none["estimates"]["average"]["time_s"].is_null() && none["model"]["rho"].is_null());
    assert!(!none["warnings"].as_array().expect("warnings").is_empty());
    close(&none["phase_mean_s"], 1.10848192944, "the phase is known all the same");
    let text = solved(&place, &["none.toml"]).code(0).out;
    assert!(text.contains("is not known without rho or an operator"), "{text}");
}

#[test]
fn what_ends_after_finitely_many_steps_is_not_said_to_diverge() {
    let place = Place::new();
    place.write("nilpotent.csv", "0,1\n0,0\n");
    let operator = "[operator]\nmatrix = \"nilpotent.csv\"\npieces = [1, 1]\n";
    place.write("model.toml", &(BARRIER.replace("rho = 0.8\n", "") + operator));
    let document = document(&place, &["model.toml"]);
    let codes = codes(&document["warnings"]);
    assert!(codes.contains(&"nilpotent") && !codes.contains(&"no_contraction"), "{codes:?}");
}

#[test]
fn many_processes_are_refused_before_their_meetings_are_listed() {
    let place = Place::new();
    let model = BARRIER
        .replace("count = 2", "count = 14")
        .replace("[1, 3], prob = [0.5, 0.5]", "[4, 5, 8], prob = [0.5, 0.3, 0.2]");
    let model = model.replace("constant = \"0s\"", "dist = \"uniform\", lower = \"1s\", upper = \"30s\"");
    place.write("model.toml", &model);
    let answer = solved(&place, &["model.toml", "--method", "exact"]).code(1);
    assert!(answer.err.contains("10^20.4 states"), "{}", answer.err);
}

/// Messages take no time, updates 2 s; in "busy" process 1 takes 6 s.
const MODES: &str = r#"
[wavefront]
step = "1s"
omega = 6
rho = 0.8
[[process]]
name = "a"
update = { constant = "2s" }
[[process]]
name = "b"
update = { constant = "2s" }
[network]
default = { constant = "0s" }
[[modes]]
"#;

#[test]
fn modes_have_their_closed_form() {
    let place = Place::new();
    let two = "states = ['calm', 'busy']\nQ = [[0.99, 0.01], [0.03, 0.97]]\n\
               override = [ { state = 'busy', process = 'a', update = { constant = '6s' } } ]\n";
    place.write("two.toml", &format!("{MODES}{two}"));
    let found = document(&place, &["two.toml", "--wavefront", "all"]);
    close(&found["phase_mean_s"], 3.0, "mean");
    close(&found["phase_var_s2"], 3.0, "variance");
    close(&found["asymptotic"]["phase_var_s2"], 147.0, "asymptotic variance");
    assert_eq!(found["model"]["modes"], json!(["calm", "busy"]));
    assert_eq!(found["wavefront"][0]["mode"], "calm");
    close(&found["wavefront"][0]["prob"], 0.75, "calm");
    let three = "states = ['lost', 'calm', 'busy']\nQ = [[0, 0.25, 0.75], [0, 1, 0], [0, 0, 1]]\n\
                 override = [ { state = 'busy', process = 'a', update = { constant = '6s' } } ]\n";
    place.write("three.toml", &format!("{MODES}{three}"));
    let found = document(&place, &["three.toml"]);
    close(&found["phase_mean_s"], 5.0, "weighted mean");
    close(&found["classes"][0]["weight"], 0.75, "weight");
    close(&found["classes"][0]["phase_mean_s"], 6.0, "mean in the class");
    close(&found["classes"][1]["phase_mean_s"], 2.0, "mean in the class");
    assert!(found["asymptotic"].is_null() && found["sd_fixed_phases_s"].is_null());
    assert!(found["estimates"]["average"]["sd_autocov_s"].is_null());
    assert!(codes(&found["warnings"]).contains(&"several_classes"));
    let text = solved(&place, &["three.toml"]).code(0).out;
    assert!(text.contains("Several closed classes"), "{text}");
}

#[test]
fn a_simulation_has_intervals_that_hold() {
    let place = place();
    let found = document(&place, &["lab.toml", "--method", "monte-carlo", "--seed", "3"]);
    assert_eq!((&found["method"], &found["extremes"]), (&json!("monte_carlo"), &json!("analytic")));
    assert_eq!(found["ci"]["level"], json!(0.95));
    let [low, high] = [0, 1].map(|end| found["ci"]["phase_mean_s"][end].as_f64().expect("an end"));
    // Four standard errors: 1.96 of them are the half-width.
    let slack = 1.05 * (high - low);
    assert!(low - slack < 1.10848192944 && 1.10848192944 < high + slack, "{low} to {high}");
    assert!(high - low < 0.05, "{low} to {high}");
    assert_eq!((&found["iterations_min"], &found["iterations_max"]), (&json!(1), &json!(2)));
    assert!(found["states"]["reachable"].is_null());
    assert!(codes(&found["warnings"]).contains(&"simulated"));
    let again = document(&place, &["lab.toml", "--method", "monte-carlo", "--seed", "3", "--threads", "1"]);
    assert_eq!(found, again, "the same seed, whatever the number of threads");
}

#[test]
fn too_large_for_the_exact_method() {
    let place = place();
    let answer = solved(&place, &["lab.toml", "--method", "exact", "--max-states", "5"]).code(1);
    assert!(
        answer.err.contains("error:") && answer.err.contains("10") && answer.err.contains("hint:"),
        "{}",
        answer.err
    );
    let answer = solved(&place, &["lab.toml", "--method", "exact", "--max-states", "5", "--json"]).code(1);
    assert_eq!(answer.document()["kind"], "error");
    let auto = document(&place, &["lab.toml", "--max-states", "5"]);
    assert_eq!(auto["method"], "monte_carlo");
}

#[test]
fn equal_processes_are_lumped_unless_told_not_to() {
    let place = Place::new();
    let text = "[wavefront]\nstep = '1s'\nomega = 6\nrho = 0.9\n[[process]]\ncount = 5\nname = 'ws'\n\
                update = { ticks = [4, 5, 8], prob = [0.5, 0.3, 0.2] }\n\
                [network]\ndefault = { ticks = [1, 2, 3, 4, 5, 6], prob = [0.1, 0.2, 0.2, 0.2, 0.2, 0.1] }\n";
    place.write("equal.toml", text);
    let lumped = document(&place, &["equal.toml", "--wavefront", "all"]);
    let apart = document(&place, &["equal.toml", "--wavefront", "all", "--no-lump"]);
    let solved = |found: &Value| found["states"]["solved"].as_u64().expect("a count");
    assert!(solved(&lumped) < solved(&apart), "{} and {}", solved(&lumped), solved(&apart));
    assert_eq!(lumped["states"]["reachable"], apart["states"]["reachable"]);
    for field in ["phase_mean_s", "phase_var_s2", "iterations_mean", "cov_iterations_phase_s"] {
        close(&lumped[field], apart[field].as_f64().expect("a number"), field);
    }
    assert_eq!(lumped["wavefront"].as_array().map(Vec::len), apart["wavefront"].as_array().map(Vec::len));
    assert_eq!(lumped["model"]["process_names"], json!(["ws-1", "ws-2", "ws-3", "ws-4", "ws-5"]));
}

#[test]
fn the_table_is_evaluated_against_runs() {
    let place = place();
    let answer = solved(&place, &["lab.toml", "--phases", "131", "--table", "predicted.csv"]).code(0);
    assert!(answer.err.contains("predicted.csv"), "{}", answer.err);
    let table = place.read("predicted.csv");
    let header = table.lines().next().expect("a header");
    assert_eq!(header, "method,model,processes,phases,time_s,time_low_s,time_high_s,interval_level,verdict,horizon");
    assert!(table.lines().any(|line| line.starts_with("wavefront,phases,3,131,145.")), "{table}");
    place.write("runs.csv", "processes,phases,rep,time_s\n3,131,1,146.0\n3,131,2,144.5\n3,131,3,147.0\n");
    let evaluated = place.run(&["evaluate", "--predictions", "predicted.csv", "--runs", "runs.csv", "--json"]).code(0);
    let found = evaluated.document();
    assert_eq!(found["points"].as_array().map(Vec::len), Some(1), "{found}");
    close(&found["points"][0]["measured"], 146.0, "the median of the runs");
    assert_eq!(found["points"][0]["covered"], json!(true));
}

#[test]
fn pictures_and_a_page_are_made_of_it() {
    let place = with_operator(0.2, "");
    let asked = ["--degrees", "model", "--phases", "auto", "--tail", "1.1x", "--sensitivity"];
    let arguments = [&["operator.toml", "--json", "--plot", "degrees.svg"], asked.as_slice()].concat();
    let answer = solved(&place, &arguments).code(0);
    assert!(place.read("degrees.svg").contains("async 1"));
    solved(&place, &["operator.toml", "--phases", "auto", "--plot", "law.svg"]).code(0);
    assert!(place.read("law.svg").contains("runs that have ended"));
    place.write("answer.json", &answer.out);
    place.run(&["report", "answer.json", "-o", "page.html"]).code(0);
    let page = place.read("page.html");
    for words in
        ["lab: 3 processes", "Degrees of asynchronism", "How long a run takes", "What limits", "sooner than sync"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert_eq!(crate::report::external_references(&page), Vec::<&str>::new());
    let wrong = solved(&place, &["lab.toml", "--plot", "law.jpg"]).code(2);
    assert!(wrong.err.contains("neither .svg nor .png"), "{}", wrong.err);
}

#[test]
fn a_damaged_answer_is_told() {
    let place = place();
    place.write("answer.json", "{\"kind\": \"wavefront-solve\", \"version\": 1}");
    let answer = place.run(&["report", "answer.json", "-o", "page.html"]).code(2);
    assert!(answer.err.contains("answer.json"), "{}", answer.err);
}

#[test]
fn a_given_rho_stands_in_place_of_an_operator() {
    let place = with_operator(0.2, "");
    let found = document(&place, &["operator.toml", "--rho", "0.5"]);
    assert_eq!(found["model"]["rho"], 0.5);
    assert!(found["estimates"].get("operator").is_none(), "{}", found["estimates"]);
    assert_eq!(codes(&found["warnings"]), ["operator_replaced"]);
}

#[test]
fn wrong_usage_is_told() {
    let place = with_operator(0.2, "");
    let wrong: [&[&str]; 16] = [
        &["nothing.toml"],
        &["lab.toml", "--A", "0"],
        &["lab.toml", "--A", "1,2"],
        &["lab.toml", "--B", "-1"],
        &["lab.toml", "--B", "1.5"],
        &["lab.toml", "--omega", "0"],
        &["lab.toml", "--omega", "-3"],
        &["lab.toml", "--rho", "1"],
        &["lab.toml", "--rho", "0"],
        &["lab.toml", "--rho", "nan"],
        &["lab.toml", "--step", "0s"],
        &["lab.toml", "--semantics", "other"],
        &["lab.toml", "--degrees", "0/1"],
        &["barrier.toml", "--degrees", "model"],
        &["lab.toml", "--quantiles", "1.5"],
        &["lab.toml", "--tail", "soon"],
    ];
    for arguments in wrong {
        let answer = solved(&place, &[arguments, &["--json"]].concat());
        assert_eq!(answer.code, Some(2), "{arguments:?}: {} {}", answer.out, answer.err);
        assert_eq!(answer.document()["kind"], "error", "{arguments:?}");
    }
}

#[test]
fn wrong_models_are_told_with_their_place() {
    let place = Place::new();
    let changes: [(&str, &str, &str); 9] = [
        ("prob = [0.5, 0.3, 0.2]", "prob = [0.5, 0.3, 0.1]", "ws1"),
        ("prob = [0.5, 0.3, 0.2]", "prob = [0.5, 0.7, -0.2]", "ws1"),
        ("ticks = [4, 5, 8]", "ticks = [0, 5, 8]", "ws1"),
        ("default = { constant = \"0.3s\" }", "", "ws1"),
        ("B = 1\n", "B = -1\n", "B"),
        ("rho = 0.9", "rho = 1.5", "rho"),
        ("omega = 6", "omega = 0", "omega"),
        ("omega = 6", "omega = 6\nx0 = [0, 1]", "x0"),
        ("omega = 6", "omega = 6\nunknown = 1", "unknown"),
    ];
    for (from, to, word) in changes {
        assert!(LAB.contains(from), "{from}");
        place.write("model.toml", &LAB.replacen(from, to, 1));
        let answer = solved(&place, &["model.toml"]).code(2);
        assert!(answer.err.contains("model.toml") && answer.err.contains(word), "{from}: {}", answer.err);
    }
    let rho = LAB.to_owned() + "[operator]\nmatrix = \"m.csv\"\npieces = [1, 1, 1]\n";
    place.write("m.csv", "0.5,0,0\n0,0.5,0\n0,0,0.5\n");
    place.write("model.toml", &rho);
    solved(&place, &["model.toml"]).code(2);
}

#[test]
fn wrong_operators_are_told() {
    let place = with_operator(0.2, "");
    let text = place.read("operator.toml");
    let matrices = ["0.5,0.1\n0.1,0.5\n0,0\n", "0.5,nan\n0.1,0.5\n", "0.5,0.1\n0.1,0.5\n", ""];
    for matrix in matrices {
        place.write("wrong.csv", matrix);
        place.write("wrong.toml", &text.replace("m.csv", "wrong.csv"));
        let answer = solved(&place, &["wrong.toml"]).code(2);
        assert!(answer.err.contains("wrong."), "{matrix}: {}", answer.err);
    }
    for pieces in ["[2, 2, 1]", "[3, 3]", "[6, 0, 0]", "[2, 2, -2]"] {
        place.write("wrong.toml", &text.replace("[2, 2, 2]", pieces));
        let answer = solved(&place, &["wrong.toml"]).code(2);
        assert!(answer.err.contains("wrong.toml") && answer.err.contains("pieces"), "{pieces}: {}", answer.err);
    }
    place.write("wrong.toml", &text.replace("m.csv", "nowhere.csv"));
    let answer = solved(&place, &["wrong.toml"]).code(2);
    assert!(answer.err.contains("nowhere.csv"), "{}", answer.err);
}

#[test]
fn wrong_modes_and_ranges_are_told() {
    let place = Place::new();
    let modes = |matrix: &str| format!("{MODES}states = ['calm', 'busy']\nQ = {matrix}\n");
    for matrix in ["[[0.9, 0.2], [0.5, 0.5]]", "[[1.0, 0.0]]", "[[1.5, -0.5], [0, 1]]", "[[0.5, 0.5], [1.0]]"] {
        place.write("wrong.toml", &modes(matrix));
        let answer = solved(&place, &["wrong.toml"]).code(2);
        assert!(answer.err.contains("wrong.toml") && answer.err.contains('Q'), "{matrix}: {}", answer.err);
    }
    let wide = "[wavefront]\nstep = '1us'\nomega = 6\n[[process]]\ncount = 2\nupdate = { constant = '1s' }\n\
                [network]\ndefault = { dist = 'uniform', lower = '0s', upper = '60s' }\n";
    place.write("wide.toml", wide);
    let answer = solved(&place, &["wide.toml"]).code(2);
    assert!(answer.err.contains("step"), "{}", answer.err);
}

#[test]
fn what_cannot_be_told_is_an_error() {
    let place = place();
    place.write("none.toml", &LAB.replace("rho = 0.9\n", ""));
    let wrong: [&[&str]; 5] = [
        &["none.toml", "--phases", "auto"],
        &["none.toml", "--quantiles", "0.95"],
        &["none.toml", "--table", "t.csv"],
        &["none.toml", "--plot", "law.svg"],
        &["lab.toml", "--rho", "0.9999999999999", "--phases", "auto"],
    ];
    for arguments in wrong {
        let answer = solved(&place, arguments).code(2);
        assert!(answer.err.contains("hint:") && answer.err.contains("--"), "{arguments:?}: {}", answer.err);
    }
    let found = document(&place, &["none.toml", "--phases", "100", "--quantiles", "0.95"]);
    assert_eq!(found["time"]["phases"], json!(100));
}

#[test]
fn near_one_the_contraction_keeps_its_digits() {
    let place = place();
    let found = document(&place, &["lab.toml", "--rho", "0.999999999999"]);
    // -log10(1 - 1e-12), from its series
    near(&found["model"]["contraction_log10"], 1e-12 / std::f64::consts::LN_10, 1e-4, "L");
    assert!(found["estimates"]["average"]["time_s"].as_f64().is_some_and(|time_s| time_s > 1e12));
}

#[test]
fn help_fits_on_80_columns_and_ends_in_examples() {
    let answer = Place::new().run(&["wavefront", "solve", "--help"]).code(0);
    assert!(answer.out.lines().all(|line| line.chars().count() <= 80), "{}", answer.out);
    let (_, examples) = answer.out.split_once("Examples:").expect("examples");
    assert!(examples.lines().filter(|line| !line.is_empty()).all(|line| line.starts_with("  ")), "{examples}");
}

/// U_1 = 1 or 3, U_2 = 2, messages 1: every step is followed by hand.
const BY_HAND: &str = "[wavefront]\nstep = \"1s\"\nrho = 0.9\n[[process]]\nA = 1\nB = 0\nupdate = { ticks = [1, 3], prob = [0.5, 0.5] }\n\
    [[process]]\nA = 1\nB = 0\nupdate = { ticks = [2], prob = [1] }\n[network]\ndefault = { constant = \"1s\" }\n";

#[test]
fn the_matrix_is_that_of_a_chain_made_by_hand() {
    let place = Place::new();
    place.write("hand.toml", BY_HAND);
    let document = solved(&place, &["hand.toml", "--matrix", "matrix.csv", "--json"]).code(0).document();
    assert!((document["phase_mean_s"].as_f64().expect("a number") - 19.0 / 6.0).abs() < 1e-12);
    assert_eq!(document["matrix"]["states"], json!(["0", "-1", "1"]));
    let rows = document["matrix"]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let mean = match row["from"].as_str() {
            Some("0") => 3.0,
            Some("-1") => 2.5,
            _ => 4.0,
        };
        assert!(row["from"] != row["to"] && row["probability"] == 0.5 && row["phase_mean_s"] == mean, "{row}");
    }
    assert!(place.read("matrix.csv").starts_with("from,to,probability,phase_mean_s\n0,-1,0.5,3\n0,1,0.5,3\n"));
    let plain = solved(&place, &["hand.toml", "--json"]).code(0).document();
    assert!(plain.get("matrix").is_none());
}

#[test]
fn a_matrix_of_too_many_states_is_refused_with_their_count() {
    let place = Place::new();
    let process = "[[process]]\nA = 1\nB = 0\nupdate = { ticks = [1, 30], prob = [0.5, 0.5] }\n".repeat(14);
    let network = "[network]\ndefault = { ticks = [1, 29], prob = [0.5, 0.5] }\n";
    place.write("large.toml", &format!("[wavefront]\nstep = \"1s\"\nrho = 0.9\n{process}{network}"));
    let answer = solved(&place, &["large.toml", "--method", "monte-carlo", "--matrix", "matrix.csv", "--json"]).code(2);
    let problem = &answer.document()["problems"][0];
    assert_eq!(problem["code"], "too_large");
    assert!(problem["message"].as_str().is_some_and(|message| message.contains("states: at most ")), "{problem}");
}

/// Quantiles of an independent script: 62 phases of the barrier under a constant level.
#[test]
fn a_level_in_common_widens_the_time() {
    let place = place();
    let level = "[level]\ntimes_s = [10, 20, 30]\nend_s = 35\nlog_factor = [0.13, 0.17, 0.09]\nvariance = [0.002, 0.002, 0.002]\n";
    place.write("fixed.toml", &format!("{BARRIER}[level]\nfixed = {{ sd = 0.1 }}\n"));
    place.write("level.toml", &format!("{BARRIER}{level}"));
    place.write("wide.toml", &BARRIER.replace("rho = 0.8", "rho = 0.8\nsigma_factor = 2.0"));
    let time =
        |file: &str, more: &[&str]| document(&place, &[&[file, "--phases", "62"], more].concat())["time"].clone();
    let found = time("fixed.toml", &[]);
    assert_eq!(found["method"], "level_recursion");
    for (quantile, expected) in [(0, 129.28495), (1, 154.90101), (2, 185.2556)] {
        near(&found["quantiles"][quantile]["time_s"], expected, 0.01, "quantile");
    }
    near(&found["mean_s"], 155.776941, 0.005, "mean");
    near(&found["sd_s"], 17.068137, 0.03, "standard deviation");
    let closed = time("fixed.toml", &["--law", "level-normal"]);
    assert_eq!(
        (&closed["method"], &closed["level_normal"]["method"]),
        (&json!("level_normal"), &json!("level_normal"))
    );
    for (quantile, expected) in [(0, 129.506), (1, 155.0), (2, 185.513)] {
        for law in [&closed, &closed["level_normal"], &found["level_normal"]] {
            near(&law["quantiles"][quantile]["time_s"], expected, 1e-5, "quantile");
        }
    }
    let base = time("fixed.toml", &["--law", "base"]);
    assert_eq!((&base["method"], base.get("level")), (&json!("exact"), None));
    close(&base["mean_s"], 155.0, "mean without the level");
    // Twice as many runs tell the same within what chance allows, and the same seed the same.
    let twice = time("fixed.toml", &["--law", "recursion", "--draws", "8000"]);
    near(&twice["quantiles"][2]["time_s"], 185.2556, 0.01, "quantile");
    assert_eq!(found, time("fixed.toml", &["--threads", "1"]));
    close(&found["base"]["mean_s"], 155.0, "mean without the level");
    close(&found["level"]["sd"], 0.1, "level");
    let (soon, late) = (time("level.toml", &[]), time("level.toml", &["--start-in", "1h"]));
    let width = |time: &Value| time["level"]["sd"].as_f64().expect("a level");
    assert!(width(&soon) > 0.0 && width(&late) > width(&soon), "{soon} {late}");
    let wide = time("wide.toml", &[]);
    close(&wide["sd_s"], 2.0 * 46.5f64.sqrt(), "twice the spread");
    assert!(wide.get("base").is_none());
}

/// By the power method, written out: phases until |M|^k |e| is 10^-6 of |e|.
#[test]
fn the_error_at_the_start_decides_how_many_phases_it_takes() {
    let place = with_operator(-0.2, "");
    let error = [0.0, 1e-3, 0.0, -2.0, 0.5, 0.0];
    place.write("e.csv", "# a line a row\n0, 1e-3, 0\n-2\n0.5 0\n");
    let norm = |e: &[f64; 6]| e.iter().map(|e| e * e).sum::<f64>().sqrt();
    let (mut e, mut phases) = (error.map(f64::abs), 0.0);
    while norm(&e) > 1e-6 * norm(&error) {
        let at = |row: usize, e: &[f64; 6]| e.get(row).copied().unwrap_or(0.0);
        e = std::array::from_fn(|row| 0.5 * e[row] + 0.2 * (at(row.wrapping_sub(1), &e) + at(row + 1, &e)));
        phases += 1.0;
    }
    let found = document(&place, &["operator.toml", "--B", "0", "--set", "initial-error=e.csv"]);
    let operator = &found["estimates"]["operator"];
    assert_eq!(operator["phases"], json!(phases));
    close(&operator["time_s"], phases * found["phase_mean_s"].as_f64().expect("a phase"), "its phases");
    // Asynchronous: through the chain, and no slower.
    let more = document(&place, &["operator.toml", "--B", "1", "--initial-error", "e.csv"]);
    let more = more["estimates"]["operator"]["phases"].as_f64().expect("phases");
    assert!(more > 1.0 && more <= phases, "{more}");
    place.write("short.csv", "1\n2\n");
    let refused = solved(&place, &["operator.toml", "--initial-error", "short.csv", "--json"]).code(2).document();
    assert_eq!(
        (&refused["problems"][0]["code"], &refused["problems"][0]["file"]),
        (&json!("length"), &json!("short.csv"))
    );
    let refused = solved(&place, &["lab.toml", "--initial-error", "e.csv", "--json"]).code(2).document();
    assert_eq!(refused["problems"][0]["code"], "no_operator");
}

#[test]
fn estimates_that_say_the_same_are_one_row() {
    let place = place();
    let sync = solved(&place, &["lab.toml", "--B", "0"]).code(0).out;
    assert!(sync.contains("worst, average, best, baudet"), "{sync}");
    let apart = solved(&place, &["lab.toml"]).code(0).out;
    assert!(!apart.contains("worst, average"), "{apart}");
}
