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
        self.on_words(server, &words.split_whitespace().collect::<Vec<_>>())
    }

    fn on_words(&self, server: &Server, words: &[&str]) -> Answer {
        let told = server.json();
        let address = told["url"].as_str().and_then(|url| url.split('?').next()).expect("an address").to_owned();
        let mut command = self.command(&[words, &["--server", &address]].concat());
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
fn combinations_that_fail_are_told_as_here() {
    let (place, server) = place();
    let sweep = "sim sweep msort/experiment.toml --fidelity label -o rows.csv";
    // 3 is no power of two; no application has a q.
    for (vary, code) in [("--vary p=1..4", 0), ("--vary p=3,5", 2), ("--vary q=1,2", 2)] {
        let words = format!("{sweep} {vary}");
        let here = place.run(&words.split_whitespace().collect::<Vec<_>>());
        let written = std::fs::read(place.path("rows.csv")).ok();
        let _ = std::fs::remove_file(place.path("rows.csv"));
        let there = place.on(&server, &words);
        assert_eq!((here.code, there.code), (Some(code), Some(code)), "{words}: {}", there.err);
        assert_eq!((here.out, written), (there.out, std::fs::read(place.path("rows.csv")).ok()), "{words}");
        let _ = std::fs::remove_file(place.path("rows.csv"));
        let said = |text: &str| -> Vec<String> {
            // What was written where, and which job it is, is told a little differently.
            let is_own = |line: &&str| !line.starts_with("note:") && !line.starts_with("job ");
            text.lines().filter(is_own).map(str::to_owned).collect()
        };
        assert_eq!(said(&here.err), said(&there.err), "{words}");
    }
}

/// What a session has shown before it ended stands there, too.
#[test]
fn a_session_that_ends_with_an_error_shows_what_it_had() {
    let (place, server) = place();
    place.write("runs.csv", "p,time_s\n1,10\n2,6\n");
    place.write("session.llac", "load runs.csv as t\nshow t\nload nothing.csv as u\n");
    for words in ["llac session.llac", "llac session.llac --json"] {
        let here = place.run(&words.split_whitespace().collect::<Vec<_>>());
        let there = place.on(&server, words);
        assert_eq!((here.code, there.code), (Some(2), Some(2)), "{words}: {}", there.err);
        assert!(!here.out.is_empty() && here.out == there.out, "{words}: {}\n{}", here.out, there.out);
        let told = format!("{}{}", there.out, there.err);
        assert!(told.contains("nothing.csv") && told.contains("cannot be read"), "{words}: {told}");
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
    let nothing = ["sim", "run", "nothing.toml"];
    assert_eq!(place.run(&nothing).err, place.on(&server, "sim run nothing.toml").err);
    for (words, says) in [
        ("sim run /etc/hosts", "change to the folder"),
        ("sim run msort/experiment.toml --fidelity flw", "similar value exists: 'flow'"),
        ("sim run msort/experiment.toml --set p=9", "p must be a power of two"),
    ] {
        let there = place.on(&server, words).code(2);
        assert!(there.err.contains(says) && !there.err.contains("/argv"), "{words}: {}", there.err);
    }
    for name in ["experiment.toml", "system.toml", "app.luau"] {
        place.write(&format!("with blank/{name}"), &place.read(&format!("msort/{name}")));
    }
    let there = place.on_words(&server, &["sim", "run", "with blank/experiment.toml"]).code(2);
    assert!(there.err.contains("a file of a project cannot have this path"), "{}", there.err);
    let alone = place.run(&["sim", "run", "msort/experiment.toml", "--detach"]).code(2);
    assert!(alone.err.contains("--server"), "{}", alone.err);
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
