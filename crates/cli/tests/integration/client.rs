//! The client of a server: what is run there prints, writes and ends as what is run here.

#![cfg(all(feature = "serve", unix))]

use crate::serve::Server;
use crate::{Answer, Place};
use serde_json::Value;

/// A place with the template `msort`, and a server that knows nothing of it.
fn place() -> (Place, Server) {
    let place = Place::new();
    place.run(&["sim", "new", "msort", "-o", "msort"]).code(0);
    let server = place.start(&["--json", "--port", "0", "--workers", "2", "--no-samples"]);
    (place, server)
}

impl Place {
    /// Runs a command of words with blanks between, on the server if there is one.
    fn on(&self, server: &Server, words: &str) -> Answer {
        let told = server.json();
        let address = told["url"].as_str().and_then(|url| url.split('?').next()).expect("an address").to_owned();
        let mut arguments: Vec<&str> = words.split_whitespace().collect();
        arguments.extend(["--server", &address]);
        let mut command = self.command(&arguments);
        command.env("RUNCAST_TOKEN", told["token"].as_str().expect("a token"));
        Answer::of(&command.output().expect("started"))
    }
}

/// The document without what measures the computation itself.
fn comparable(text: &str) -> Value {
    let mut document: Value = serde_json::from_str(text).expect("JSON");
    if let Some(fields) = document.as_object_mut() {
        fields.remove("cost_of_simulation");
    }
    document
}

#[test]
fn a_server_prints_and_writes_what_the_shell_does() {
    let (place, server) = place();
    let sweep = "sim sweep msort/experiment.toml --vary p=1,2,4,8 -o rows.csv";
    for words in ["sim run msort/experiment.toml --set p=8", "sim run msort/experiment.toml --set p=8 --json", sweep] {
        let here = place.run(&words.split_whitespace().collect::<Vec<_>>());
        let written = std::fs::read(place.path("rows.csv")).ok();
        let _ = std::fs::remove_file(place.path("rows.csv"));
        let there = place.on(&server, words);
        assert_eq!((here.code, there.code), (Some(0), Some(0)), "{words}: {}", there.err);
        if words.ends_with("--json") {
            assert_eq!(comparable(&here.out), comparable(&there.out), "{words}");
        } else {
            assert_eq!(here.out, there.out, "{words}: {}", there.err);
        }
        assert_eq!(written, std::fs::read(place.path("rows.csv")).ok(), "{words}");
    }
}

#[test]
fn wrong_input_is_told_as_here() {
    let (place, server) = place();
    place.write("broken.toml", "format = \"runcast-experiment/1\"\nsystem = 3\n");
    for words in ["sim run broken.toml", "sim run nothing.toml", "bench -- true"] {
        let there = place.on(&server, words);
        assert_eq!(there.code, Some(2), "{words}: {}{}", there.out, there.err);
        assert!(there.err.contains("error:"), "{words}: {}", there.err);
    }
}

#[test]
fn files_there_are_replaced_only_when_asked() {
    let (place, server) = place();
    place.on(&server, "sim run msort/experiment.toml --set p=2").code(0);
    let changed = place.read("msort/experiment.toml") + "# another\n";
    place.write("msort/experiment.toml", &changed);
    let refused = place.on(&server, "sim run msort/experiment.toml --set p=2").code(1);
    assert!(refused.err.contains("--overwrite"), "{}", refused.err);
    place.on(&server, "sim run msort/experiment.toml --set p=2 --overwrite").code(0);
}

#[test]
fn jobs_are_left_followed_and_fetched() {
    let (place, server) = place();
    let left = place.on(&server, "sim sweep msort/experiment.toml --vary p=1,2,4 --detach");
    let id = left.out.trim().to_owned();
    assert_eq!((left.code, id.len()), (Some(0), 26), "{}{}", left.out, left.err);
    let watched = place.on(&server, &format!("job watch {id}"));
    let here = place.run(&["sim", "sweep", "msort/experiment.toml", "--vary", "p=1,2,4"]);
    assert_eq!((watched.code, watched.out), (Some(0), here.out));
    assert!(place.on(&server, "job list").out.contains(&id));
    let shown = place.on(&server, &format!("job show {id} --json")).document();
    assert_eq!((shown["kind"].as_str(), shown["points_done"].as_u64()), (Some("job"), Some(3)));
    place.on(&server, &format!("job fetch {id} -o got")).code(0);
    place.run(&["sim", "sweep", "msort/experiment.toml", "--vary", "p=1,2,4", "-o", "here.csv"]).code(0);
    assert_eq!(place.read("got/table.csv"), place.read("here.csv"));
    place.on(&server, "job show 01ARZ3NDEKTSV4RRFFQ69G5FAV").code(2);
}

#[test]
fn a_wrong_token_is_told_with_what_to_do() {
    let (place, server) = place();
    let told = server.json();
    let address = told["url"].as_str().and_then(|url| url.split('?').next()).expect("an address").to_owned();
    let mut command = place.command(&["job", "list", "--server", &address]);
    let answer = Answer::of(&command.env("RUNCAST_TOKEN", "wrong").output().expect("started")).code(1);
    assert!(answer.err.contains("RUNCAST_TOKEN"), "{}", answer.err);
    let mut command = place.command(&["job", "list", "--server", "http://127.0.0.1:1"]);
    let answer = Answer::of(&command.output().expect("started"));
    assert!(answer.code == Some(1) && answer.err.contains("does not answer"), "{}", answer.err);
}
