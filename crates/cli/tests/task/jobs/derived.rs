//! Numbers that are made of tables, of one file, and of a queue, over HTTP: the public ones.

use super::site::Site;
use serde_json::{Value, json};
use std::process::Stdio;

/// Launches a command line in the project `main`: the id of its job.
pub fn launched(site: &Site, line: &str) -> String {
    let answer = site.post("/projects/main/jobs", &json!({"argv": super::words(line)}));
    assert_eq!(answer.status, 202, "{line}: {}", answer.text());
    answer.json()["id"].as_str().expect("an id").to_owned()
}

fn got(site: &Site, path: &str) -> Value {
    serde_json::from_slice(&site.get(path).unwrap_or_else(|| panic!("{path} is not there"))).expect("JSON")
}

fn numbers(rows: &Value, field: &str) -> Vec<f64> {
    rows.as_array().expect("a list").iter().map(|row| row[field].as_f64().expect("a number")).collect()
}

#[track_caller]
fn near(found: &[f64], wanted: &[f64]) {
    let is_near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() < 5e-7;
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(is_near), "{found:?} is not {wanted:?}");
}

#[test]
fn the_public_numbers_come_over_http() {
    let site = Site::start(None);
    site.put(
        "times.luau",
        b"local t = { [1] = 11, [2] = 19, [4] = 40, [20] = 100, [40] = 55, [80] = 30, [160] = 20 }\n\
                            label{ \"all\", count = 1, run = function() compute{ time = t[param(\"p\", 1)] } end }\n",
    );
    site.put("real.csv", b"p,time_s\n1,10\n2,20\n4,40\n8,80\n");
    site.put("five.csv", b"p,time_s,energy_j\n1,10,5\n2,8,7\n3,8,6\n4,12,5\n5,7,9\n");
    site.put("four.csv", b"p,time_s\n2,100\n4,55\n8,30\n16,20\n");
    let errors = launched(&site, "sim sweep --app times.luau --loggops L=1us,o=1us --vary p=1,2,4");
    let front = launched(&site, "import five.csv -o five-points.csv");
    let scaled = launched(&site, "import four.csv -o four-points.csv");
    site.work(2);

    let found = got(&site, &format!("/jobs/{errors}/compare?table=real.csv&metric=time_s"));
    near(&numbers(&found["rows"], "d_pct"), &[10.0, 5.0, 0.0]);
    near(&numbers(&found["rows"], "real"), &[10.0, 20.0, 40.0]);
    near(&numbers(&found["rows"], "simulated"), &[11.0, 19.0, 40.0]);
    near(&[found["d_avg_pct"].as_f64().expect("d_avg"), found["d_max_pct"].as_f64().expect("d_max")], &[5.0, 10.0]);
    assert_eq!((&found["unmatched"], &found["rows"][0]["params"]), (&json!(1), &json!({"p": 1})));

    let figure = got(&site, &format!("/jobs/{front}/plot?kind=pareto&x=time_s&y=energy_j"));
    let points = figure["series"][0]["points"].as_array().expect("points");
    let in_front: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point["front"] == json!(true))
        .map(|point| (point["x"].as_f64().expect("a time"), point["y"].as_f64().expect("an energy")))
        .collect();
    assert_eq!((points.len(), in_front), (5, vec![(7.0, 9.0), (8.0, 6.0), (10.0, 5.0)]));

    let figure = got(&site, &format!("/jobs/{scaled}/plot?kind=speedup"));
    near(&numbers(&figure["series"][0]["points"], "x"), &[2.0, 4.0, 8.0, 16.0]);
    near(&numbers(&figure["series"][0]["points"], "y"), &[1.0, 1.818182, 3.333333, 5.0]);
    assert_eq!(figure["series"][0]["base"], json!(2.0));
    let figure = got(&site, &format!("/jobs/{scaled}/plot?kind=efficiency"));
    near(&numbers(&figure["series"][0]["points"], "y"), &[1.0, 0.909091, 0.833333, 0.625]);
    // The same numbers as CSV.
    let csv =
        String::from_utf8(site.get(&format!("/jobs/{scaled}/plot.csv?kind=speedup")).expect("CSV")).expect("UTF-8");
    let column: Vec<f64> =
        csv.lines().skip(1).map(|row| row.split(',').nth(2).expect(row).parse().expect(row)).collect();
    near(&column, &[1.0, 1.818182, 3.333333, 5.0]);
}

/// The reason stands in the job, not only in a cell of its table.
#[test]
fn a_sweep_that_fails_says_why() {
    let site = Site::start(None);
    site.put(
        "a.luau",
        b"local p = param(\"p\", 1) assert(p ~= 2, \"two is too many\") label{ \"all\", run = function() end }\n",
    );
    let id = launched(&site, "sim sweep --app a.luau --loggops L=1us,o=0 --vary p=1..3");
    site.work(2);
    let job = super::job(&site, &id);
    assert_eq!((&job["state"], &job["points_done"], &job["points_failed"]), (&json!("failed"), &json!(2), &json!(1)));
    assert!(
        job["error"]["problems"][0]["message"].as_str().is_some_and(|text| text.contains("two is too many")),
        "{job}"
    );
}

#[test]
fn a_file_of_six_bytes_has_its_digest_and_tag() {
    let site = Site::start(None);
    let made = site.put("a.toml", b"a = 1\n");
    let tag = "\"v1-cb78bd8a17f7b751\"";
    assert_eq!(made.header("etag"), tag);
    let item = made.json();
    let digest = "sha256:cb78bd8a17f7b751fe0d4663366dcbc257204033ef7ddd64b1f2969573b5b2e2";
    assert_eq!((&item["digest"], &item["version"], &item["bytes"]), (&json!(digest), &json!(1), &json!(6)));
    let path = "/projects/main/files/a.toml";
    let read = site.ask("GET", path, &[], &[]);
    assert_eq!((read.status, read.header("etag"), read.body.as_slice()), (200, tag, &b"a = 1\n"[..]));
    assert_eq!(site.ask("GET", path, &[("If-None-Match", tag)], &[]).status, 304);
    // The same bytes are no new version; others need the tag.
    let headers = [("Content-Type", "application/toml"), ("If-Match", tag)];
    assert_eq!(site.ask("PUT", path, &headers, b"a = 1\n").header("etag"), tag);
    assert_eq!(site.ask("PUT", path, &headers[..1], b"a = 2\n").status, 428);
    let changed = site.ask("PUT", path, &headers, b"a = 2\n");
    assert_eq!((changed.status, &changed.json()["version"]), (200, &json!(2)));
    let stale = site.ask("PUT", path, &headers, b"a = 3\n");
    assert_eq!((stale.status, stale.header("etag")), (412, changed.header("etag")));
}

/// Fair order, one worker started last: A launches a (4 tasks), then a2 (1 task, priority 5); then B launches b (2).
#[test]
fn two_users_take_turns() {
    let site = Site::start_with(None, &["--multi-user", "--allow-weak-sandbox"]);
    let beside = |words: &[&str], input: &str| -> Value {
        let mut command = site.beside(&[words, &["--json"]].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        std::io::Write::write_all(&mut child.stdin.take().expect("its input"), input.as_bytes()).expect("written");
        let done = child.wait_with_output().expect("it ends");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stdout));
        serde_json::from_slice(&done.stdout).expect("JSON")
    };
    let user = |name: &str, role: &str| {
        beside(&["user", "add", name, "--role", role], "a long password\n");
        let made = beside(&["token", "add", "test", "--user", name], "");
        made["token"].as_str().expect("a token").to_owned()
    };
    let (a, b) = (user("ada", "administrator"), user("bob", "author"));
    let ask = |token: &str, method: &str, path: &str, body: Value| {
        let answer =
            site.ask_as(token, method, path, &[("Content-Type", "application/json")], body.to_string().as_bytes());
        assert!(answer.status < 300, "{path}: {}", answer.text());
        answer
    };
    ask(&a, "POST", "/projects", json!({"name": "ours", "title": "Ours"}));
    ask(&a, "PUT", "/projects/ours/members/bob", json!({"role": "author"}));
    let script = b"param(\"p\", 1) label{ \"all\", run = function() compute{ time = 1 } end }\n";
    let put = site.ask_as(
        &a,
        "PUT",
        "/projects/ours/files/a.luau",
        &[("Content-Type", "text/plain"), ("If-None-Match", "*")],
        script,
    );
    assert_eq!(put.status, 201, "{}", put.text());
    let launch = |token: &str, title: &str, points: u32, priority: i32| {
        let argv = super::words(&format!("sim sweep --app a.luau --loggops L=1us,o=1us --vary p=1..{points}"));
        let wish = json!({"argv": argv, "title": title, "priority": priority});
        ask(token, "POST", "/projects/ours/jobs", wish).json()["id"].as_str().expect("an id").to_owned()
    };
    let jobs = [("a", launch(&a, "a", 4, 0)), ("a2", launch(&a, "a2", 1, 5)), ("b", launch(&b, "b", 2, 0))];
    site.work(1);
    let mut started: Vec<(String, String)> = Vec::new();
    for (name, id) in &jobs {
        let tasks = ask(&a, "GET", &format!("/jobs/{id}/tasks"), json!({})).json();
        for task in tasks["items"].as_array().expect("tasks") {
            let number = task["index"].as_u64().expect("a number");
            started.push((task["started_at"].as_str().expect("a time").to_owned(), format!("{name}/{number}")));
        }
    }
    started.sort();
    let order: Vec<&str> = started.iter().map(|(_, task)| task.as_str()).collect();
    assert_eq!(order, ["a2/1", "b/1", "a/1", "b/2", "a/2", "a/3", "a/4"], "{started:?}");
}
