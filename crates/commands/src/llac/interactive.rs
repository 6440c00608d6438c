//! A session with a person: prompt, history, completion.
//!
//! The one place beside `runcast` itself that writes to a terminal: who types a line wants its answer before the next.

use super::batch::{Done, Runner, Source};
use super::complete::{Editor, Names};
use crate::VERSION;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use runcast_core::{Problem, Warning};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

const PROMPT: &str = "llac> ";

/// Lines that are remembered from one session to the next.
const HISTORY: usize = 10_000;

/// Reads lines until the person has had enough.
///
/// # Errors
/// The terminal cannot be read.
pub fn run(context: &mut Context) -> Result<Output, Failure> {
    let trouble = |error: ReadlineError| {
        Failure::undone(Problem::new("terminal", format!("the terminal cannot be read: {error}")))
    };
    let config = Config::builder().completion_type(CompletionType::List).max_history_size(HISTORY).map_err(trouble)?;
    let mut editor = rustyline::Editor::<Editor, FileHistory>::with_config(config.build()).map_err(trouble)?;
    editor.set_helper(Some(Editor::default()));
    let history = history_file();
    if let Some(file) = &history {
        // Without one, or with one that cannot be read, the session has none.
        let _ = editor.load_history(file);
    }
    say(&format!("runcast {VERSION}, llac: help lists the commands, Ctrl-D ends\n"));
    let mut runner = Runner::default();
    runner.session.continues = true;
    while !runner.is_over {
        if let Some(helper) = editor.helper_mut() {
            helper.names = Names::of(&runner.session);
        }
        let line = match editor.readline(PROMPT) {
            Ok(line) => line,
            // What was typed so far is given up; the session is not.
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(trouble(error)),
        };
        if line.trim().is_empty() {
            continue;
        }
        let _ = editor.add_history_entry(line.as_str());
        if let Some(file) = &history {
            // Kept at once: a session may end with its terminal.
            let _ = editor.save_history(file);
        }
        context.interrupt.store(false, Ordering::Relaxed);
        let source = Source { name: String::new(), text: line, folder: PathBuf::new() };
        let done = runner.run(&source, context);
        context.interrupt.store(false, Ordering::Relaxed);
        answer(done, context);
    }
    Ok(Output::default())
}

fn answer(done: Done, context: &mut Context) {
    say(&done.human);
    for warning in &done.warnings {
        context.progress.line(&told(warning));
    }
    for note in &done.notes {
        context.progress.line(&format!("note: {note}"));
    }
    for problem in done.failure.iter().flat_map(|failure| &failure.problems.0) {
        context.progress.line(&format!("error: {problem}"));
    }
}

fn told(warning: &Warning) -> String {
    let place = match (&warning.file, warning.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        _ => String::new(),
    };
    format!("warning: {place}{} ({})", warning.message, warning.code)
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // When this fails, there is nowhere left to report it.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// `llac_history` in the user's folder for state; none where it cannot be made.
fn history_file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    let folder = state.join("runcast");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("llac_history"))
}
