//! `sim jobs`: the worked case of ten jobs, its table and picture, and what is wrong with logs and options.

use crate::Place;
use serde_json::{Value, json};

const TEN: &str = include_str!("../../../../testdata/sim/swf/ten.swf");

/// Ten cores in five machines of 50 W idle and 70 W under load, with a mean of five minutes between failures.
const SYSTEM: &str = "format = 'runcast-system/1'\ncomponent = [\n  { id = 'site', kind = 'group' },\n\
      { id = 'node', kind = 'machine', parent = 'site', count = 5, set = { mtbf = '5min' } },\n\
      { id = 'cpu', kind = 'cpu', parent = 'node', set = { cores = 2, power_idle = '50W', power_load = '70W' } },\n]\n";

fn place() -> Place {
    let place = Place::new();
    place.write("system.toml", SYSTEM);
    place.write("ten.swf", TEN);
    place
}

fn near(seen: &Value, expected: f64) {
    let seen = seen.as_f64().expect("a number");
    assert!((seen - expected).abs() < 1e-6 * expected.abs().max(1.0), "{seen}, expected {expected}");
}

const JOBS: [&str; 5] = ["sim", "jobs", "ten.swf", "--system", "system.toml"];

#[test]
fn ten_jobs_under_both_policies() {
    let place = place();
    let cases = [("fcfs", 121.7, 410.0, 0.568293, 4.247333), ("easy", 75.7, 330.0, 0.706061, 2.875667)];
    for (policy, wait, makespan, utilization, slowdown) in cases {
        let options = ["--policy", policy, "-o", "jobs.csv", "--plot", "jobs.svg", "--json"];
        let document = place.run(&[&JOBS[..], &options].concat()).code(0).document();
        assert_eq!((&document["kind"], &document["version"]), (&json!("sim-jobs"), &json!(1)));
        assert_eq!((&document["policy"], &document["unit"]), (&json!(policy), &json!("core")));
        assert_eq!((&document["size"], &document["jobs"]), (&json!(10), &json!(10)));
        assert_eq!((&document["left_out"], &document["killed"]), (&json!(0), &json!(1)));
        near(&document["wait_mean_s"], wait);
        near(&document["makespan_s"], makespan);
        near(&document["utilization"], utilization);
        near(&document["slowdown_bounded_mean"], slowdown);
        // 2,330 core-seconds: five machines at rest, and 10 W a busy core.
        near(&document["energy_j"], 250.0 * makespan + 10.0 * 2330.0);
        assert_eq!(document["warnings"], json!([]), "nothing is said of networks");
        assert!(place.path("jobs.svg").exists());
    }
    let table = place.read("jobs.csv");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("job,submit_s,start_s,end_s,processors,status,wait_s"));
    assert_eq!(lines.next(), Some("1,0,0,100,4,done,0"));
    assert_eq!(lines.last(), Some("10,61,100,250,2,killed,39"));
    let text = place.run(&JOBS).code(0).out;
    assert!(text.starts_with("EASY backfilling\n") && text.contains("killed at their requested time"), "{text}");
}

#[test]
fn machines_parts_windows_and_faults() {
    let place = place();
    let of = |options: &[&str]| place.run(&[&JOBS[..], options, &["--json"]].concat()).code(0).document();
    // Five machines: the job of ten, and those of six and eight, do not fit.
    let machines = of(&["--unit", "machine"]);
    assert_eq!((&machines["size"], &machines["left_out"]), (&json!(5), &json!(3)));
    assert_eq!(of(&["--on", "node"])["size"], json!(10));
    assert_eq!(of(&["--from", "5", "--to", "1min"])["jobs"], json!(6));
    let faulty = of(&["--faults", "--seed", "3"]);
    assert_eq!(faulty, of(&["--faults", "--seed", "3"]));
    assert_ne!(faulty["makespan_s"], of(&["--faults", "--seed", "4"])["makespan_s"]);
    let cases: [(&[&str], &str); 4] = [
        (&["--on", "nod"], "did you mean node?"),
        (&["--policy", "sjf"], "easy"),
        (&["--from", "5GB"], "--from"),
        (&["--unit", "rack"], "machine"),
    ];
    for (options, told) in cases {
        let answer = place.run(&[&JOBS[..], options].concat()).code(2);
        assert!(answer.err.contains(told), "{options:?}: {}", answer.err);
    }
    place.write("ten.swf", "1 0 -1 ten 4 -1 -1 4 10 -1 1 1 1 -1 1 -1 -1 -1\n");
    let answer = place.run(&JOBS).code(2);
    for told in ["ten.swf:1", "\"ten\"", "18 numbers a line", "1 of 1 lines"] {
        assert!(answer.err.contains(told), "{told}: {}", answer.err);
    }
}
