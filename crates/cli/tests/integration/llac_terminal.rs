//! `runcast llac` on a terminal: prompt, completion, history, Ctrl-C, Ctrl-D. The terminal is that of script(1), which
//! is part of every Linux.

use crate::{Place, program};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const TAB: &str = "\t";
const UP: &str = "\u{1b}[A";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

/// Long enough for a machine with much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A session on a terminal of its own.
struct Session {
    child: Child,
    keys: ChildStdin,
    shown: Arc<Mutex<String>>,
    /// Up to where the test has looked, in the plain text.
    seen: usize,
}

impl Session {
    fn new(place: &Place) -> Session {
        let mut child = Command::new("script")
            .args(["--quiet", "--flush", "--return", "--command"])
            // Without `exec`, a shell that stays in between may itself end by the Ctrl-C of a test.
            .arg(format!("exec {} llac", program().display()))
            .arg("/dev/null")
            .current_dir(place.path(""))
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", place.path("state"))
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script(1), of the package bsdutils");
        let keys = child.stdin.take().expect("piped");
        let mut output = child.stdout.take().expect("piped");
        let shown = Arc::new(Mutex::new(String::new()));
        let screen = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                screen.lock().expect("whole").push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        let mut session = Session { child, keys, shown, seen: 0 };
        session.wait_for("llac> ");
        session
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("the session lives");
    }

    /// Types a line and waits for what is shown.
    fn say(&mut self, line: &str, answer: &str) {
        self.press(&format!("{line}\r"));
        self.wait_for(answer);
        self.wait_for("llac> ");
    }

    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            let plain = plain(&self.shown.lock().expect("whole"));
            let new = &plain[self.seen.min(plain.len())..];
            if let Some(place) = new.find(text) {
                self.seen += place + text.len();
                return;
            }
            assert!(start.elapsed() < PATIENCE, "no \"{text}\" in:\n{new}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ctrl-D ends the session.
    fn end(mut self) -> String {
        self.press(CTRL_D);
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                assert!(status.success(), "{status}: {}", self.shown.lock().expect("whole"));
                return plain(&self.shown.lock().expect("whole"));
            }
            assert!(start.elapsed() < PATIENCE, "it goes on: {}", self.shown.lock().expect("whole"));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text without sequences that move the cursor.
fn plain(shown: &str) -> String {
    let mut text = String::new();
    let mut letters = shown.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            if letters.next() == Some('[') {
                letters.by_ref().find(|letter| letter.is_ascii_alphabetic());
            }
        } else {
            text.push(letter);
        }
    }
    text
}

fn with_table() -> Place {
    let place = Place::new();
    let rows: Vec<String> = (1..40).map(|i| format!("{},{}\n", 64 * i, 1e-6 + 2e-9 * 64.0 * f64::from(i))).collect();
    place.write("sweep_of_sizes.csv", &format!("n,time_s\n{}", rows.concat()));
    place
}

#[test]
fn lines_are_completed_answered_and_remembered() {
    let place = with_table();
    let mut session = Session::new(&place);
    session.press(&format!("lo{TAB}"));
    session.wait_for("load ");
    session.press(&format!("sw{TAB}"));
    session.wait_for("load sweep_of_sizes.csv ");
    session.say("as table", "table: 39 rows from 1 file");
    // An error does not end a session.
    session.say("fit Z", "error: fit: the table has no experiment Z");
    session.say("help segments", "segments [M]");
    session.say("fit in table formula \"c[0] + c[1]*n\" as model", "39 configurations from 39 samples");
    // Names of the session are completed.
    session.press(&format!("constants mo{TAB}"));
    session.wait_for("constants model");
    session.say("", "c[1]");
    // What is typed is given up by Ctrl-C, the session is not.
    session.press(&format!("predict model{CTRL_C}"));
    session.wait_for("llac> ");
    session.say("predict at n=1e5", "201 µs");
    session.end();
    let kept = std::fs::read_to_string(place.path("state/runcast/llac_history")).expect("a history");
    assert!(kept.contains("\nfit Z\n") && kept.ends_with("predict at n=1e5\n"), "{kept}");

    let mut session = Session::new(&place);
    session.press(&format!("{UP}{UP}"));
    session.wait_for("constants model");
    session.press(CTRL_C);
    session.wait_for("llac> ");
    session.end();
}

#[test]
fn quit_ends_a_session_and_history_may_be_impossible() {
    let place = with_table();
    // A file stands where the folder would be.
    place.write("state", "");
    let mut session = Session::new(&place);
    session.say("show", "error: there is no table and no model");
    session.press("quit\r");
    let start = Instant::now();
    while session.child.try_wait().expect("a child").is_none() {
        assert!(start.elapsed() < PATIENCE, "it goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupt_stops_the_command_and_not_the_session() {
    let place = Place::new();
    let mut rows = String::from("n,time_s\n");
    for i in 0..60_000 {
        let n = 64 + 3 * i;
        rows.push_str(&format!("{n},{}\n", 1e-6 + f64::from(n) * if n > 50_000 { 3e-9 } else { 2e-9 }));
    }
    place.write("many.csv", &rows);
    let mut session = Session::new(&place);
    session.say("load many.csv as t", "t: 60000 rows");
    session.press("fit formula \"c[0] + c[1]*n + c[2]*n*log2(n) + c[3]*sqrt(n)\" seg n, n^2, sqrt(n), log2(n)\r");
    session.wait_for("log2(n)\r\n");
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    session.press(CTRL_C);
    session.wait_for("interrupted");
    session.wait_for("llac> ");
    assert!(start.elapsed() < Duration::from_secs(30), "it took {:?} to stop", start.elapsed());
    session.say("show t", "60000 rows from 1 file");
    session.end();
}
