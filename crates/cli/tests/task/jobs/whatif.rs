//! Curves while a system is edited, and questions that become jobs, over HTTP.

use super::site::Site;
use serde_json::{Value, json};
use std::time::Instant;

const SYSTEM: &str = "format = \"runcast-system/1\"
name = \"lab\"
component = [
  { id = \"lab\", kind = \"group\" },
  { id = \"node\", kind = \"machine\", parent = \"lab\", count = 4 },
  { id = \"cpu\", kind = \"cpu\", parent = \"node\", set = { cores = 4 } },
  { id = \"spare\", kind = \"machine\", parent = \"lab\" },
  { id = \"old\", kind = \"cpu\", parent = \"spare\", set = { cores = 2, clock = \"1GHz\" } },
]
[[network]]
of = \"lab\"
set = { bandwidth = \"1GB/s\", latency = \"2us\" }
";
/// A message of 1 GB from the first machine to the second: a second on the wire.
const SCRIPT: &[u8] = b"local p = param(\"p\", 2, \"processes\")
label{ \"worker\", count = p, on = \"node\", run = function(rank)
  if rank == 0 then send{ to = 1, size = \"1GB\" } elseif rank == 1 then recv{ from = 0 } end
end }
";
const EXPERIMENT: &[u8] = b"format = \"runcast-experiment/1\"
system = \"lab.toml\"
[[app]]
file = \"app.luau\"
place = [ { label = \"worker\", on = \"node\", per = 1 } ]
";

fn place() -> Site {
    let site = Site::start(None);
    site.put("lab.toml", SYSTEM.as_bytes());
    site.put("app.luau", SCRIPT);
    site.put("lab-run.toml", EXPERIMENT);
    site
}

/// The lines of an answer.
fn asked(site: &Site, seq: u64, system: &str) -> Vec<Value> {
    let files = json!({"lab.toml": system});
    let wish = json!({"session": "a", "seq": seq, "experiment": "lab-run.toml", "files": files,
        "curve": {"param": "p", "values": [2, 4, 3]}, "budget_ms": 5000});
    let answer = site.post("/projects/main/whatif", &wish);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn of<'l>(lines: &'l [Value], kind: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["kind"] == kind).collect()
}

#[test]
fn a_curve_follows_edits_and_what_does_not_matter_is_not_computed() {
    let site = place();
    let first = asked(&site, 1, SYSTEM);
    let points = of(&first, "point");
    let at: Vec<f64> = points.iter().map(|point| point["at"]["p"].as_f64().expect("p")).collect();
    assert_eq!(at, [2.0, 4.0, 3.0], "{first:?}");
    for point in &points {
        let time_s = point["time_s"].as_f64().expect("a time");
        assert!((time_s - 1.0).abs() < 0.01 && point["cached"] == json!(false), "{point}");
        assert_eq!(point["fidelity"], json!("flow"));
    }
    let end = of(&first, "end")[0];
    assert_eq!((&end["reason"], &end["points"], of(&first, "unchanged").len()), (&json!("done"), &json!(3), 0));
    assert!(end["cpu_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{end}");

    // Nothing runs on the spare machine.
    let same = asked(&site, 2, &SYSTEM.replace("1GHz", "3GHz"));
    assert!(of(&same, "point").iter().all(|point| point["cached"] == json!(true)), "{same:?}");
    assert_eq!(of(&same, "unchanged")[0]["because"], json!("no process uses old"));

    // The network carries all of it: twice as fast, half the time.
    let faster = asked(&site, 3, &SYSTEM.replace("1GB/s", "2GB/s"));
    for point in of(&faster, "point") {
        assert!((point["time_s"].as_f64().expect("a time") - 0.5).abs() < 0.01, "{point}");
    }
    assert!(of(&faster, "unchanged").is_empty());

    // Without it the machines exchange messages over nothing.
    let alone = asked(&site, 4, &SYSTEM[..SYSTEM.find("[[network]]").expect("one")]);
    let codes: Vec<&str> = of(&alone, "remarks")
        .iter()
        .flat_map(|line| line["items"].as_array().expect("a list"))
        .filter_map(|item| item["code"].as_str())
        .collect();
    assert!(codes.contains(&"no_network"), "{alone:?}");

    // What came before, and what is no system.
    assert_eq!(asked(&site, 4, SYSTEM)[0]["reason"], json!("superseded"));
    let wish = json!({"session": "a", "seq": 9, "experiment": "lab-run.toml", "files": {"lab.toml": "x"}});
    let broken = site.post("/projects/main/whatif", &wish);
    let text = broken.text();
    assert!(broken.status == 422 || text.contains("\"error\""), "{} {text}", broken.status);
}

#[test]
fn a_curve_is_of_what_a_save_would_make_of_both() {
    let site = place();
    let file = "/projects/main/files/lab.toml";
    let base = site.ask("GET", file, &[], &[]).header("etag").to_owned();
    let put = |text: &str, tag: &str| {
        let headers = [("Content-Type", "application/octet-stream"), ("If-Match", tag)];
        assert_eq!(site.ask("PUT", file, &headers, text.as_bytes()).status, 200);
    };
    let curve = |seq: u64, text: &str| {
        let wish = json!({"session": "m", "seq": seq, "experiment": "lab-run.toml", "files": {"lab.toml": text},
            "base_etag": base, "curve": {"param": "p", "values": [2]}, "budget_ms": 5000});
        let answer = site.post("/projects/main/whatif", &wish).text();
        let lines: Vec<Value> = answer.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        (of(&lines, "point")[0]["time_s"].as_f64().expect("a time"), of(&lines, "end")[0]["merged"].clone())
    };
    let spare = SYSTEM.replace("1GHz", "3GHz");
    let (time_s, merged) = curve(1, &spare);
    assert!((time_s - 1.0).abs() < 0.01 && merged == json!(false), "{time_s} {merged}");
    // Another user makes the network twice as fast; this editor has changed a machine.
    put(&SYSTEM.replace("1GB/s", "2GB/s"), &base);
    let (time_s, merged) = curve(2, &spare);
    assert!((time_s - 0.5).abs() < 0.01 && merged == json!(true), "{time_s} {merged}");
    // Both changed the network: the draft goes before, as it is.
    let (time_s, merged) = curve(3, &SYSTEM.replace("1GB/s", "4GB/s"));
    assert!((time_s - 0.25).abs() < 0.01 && merged == json!(false), "{time_s} {merged}");
}

/// Turns that take long, so that the time of a question ends before the steps of a script do.
const ENDLESS: &str =
    "local x = 1 while true do x = (x^1.3 + x^0.7)^0.5 + (x^1.1 + x^0.9)^0.5 - (x^0.4 + x^1.6)^0.5 end local p";

#[test]
fn a_question_that_takes_too_long_becomes_jobs_with_all_that_it_says() {
    let site = place();
    let endless = String::from_utf8_lossy(SCRIPT).replace("local p", ENDLESS);
    let etag = site.ask("GET", "/projects/main/files/app.luau", &[], &[]);
    let tag = etag.header("etag").to_owned();
    let headers = [("Content-Type", "application/octet-stream"), ("If-Match", tag.as_str())];
    assert_eq!(site.ask("PUT", "/projects/main/files/app.luau", &headers, endless.as_bytes()).status, 200);
    // A budget holds for a script that does not end, too.
    let begun = Instant::now();
    let wish = json!({"session": "b", "seq": 1, "experiment": "lab-run.toml", "budget_ms": 100});
    let lines = site.post("/projects/main/whatif", &wish).text();
    assert!(lines.contains("\"budget\"") && begun.elapsed().as_secs() < 30, "{lines}");

    let fields = json!({"experiment": "lab-run.toml", "what": "latency", "factor": 4, "p": 2});
    let answer = site.post("/ask", &json!({"question": "network", "project": "main", "fields": fields}));
    assert_eq!(answer.status, 202, "{}", answer.text());
    let jobs: Value = serde_json::from_slice(&site.get("/projects/main/jobs").expect("jobs")).expect("JSON");
    let lines: Vec<String> =
        jobs["items"].as_array().expect("jobs").iter().map(|job| job["argv"].to_string()).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("lab-run.toml") && line.contains("p=2")), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.contains("lab.latency=5e-7") || line.contains("lab.latency=0.0000005")),
        "{lines:?}"
    );
}
