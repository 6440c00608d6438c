//! The one place that writes to the standard output and the standard error.

use runcast_commands::usage::as_typed;
use runcast_commands::{Content, Destination, Document, Failure, Output, Screen, TableFile};
use runcast_core::{Problem, Problems, Warning};
use serde_json::json;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// How the program speaks.
#[derive(Debug, Clone)]
pub struct Voice {
    /// One JSON document on the standard output.
    json: bool,
    color_out: bool,
    color_err: bool,
}

/// Warnings of one kind that are shown in full; the others are counted.
const MOST_WARNINGS: usize = 5;

impl Voice {
    /// As asked, and as the terminal and `NO_COLOR` allow.
    pub fn new(json: bool) -> Self {
        let welcome = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Voice {
            json,
            color_out: welcome && io::stdout().is_terminal(),
            color_err: welcome && io::stderr().is_terminal(),
        }
    }

    /// What results for people are shown on.
    pub fn screen(&self) -> Screen {
        let width = || terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        Screen { width: io::stdout().is_terminal().then(width), color: self.color_out }
    }

    /// Whether messages on the standard error are colored.
    pub fn colors_errors(&self) -> bool {
        self.color_err
    }

    /// A text as the only result.
    pub fn text(&self, text: &[u8]) -> Result<(), Failure> {
        to_stdout(text)
    }

    /// Writes the files of an output and shows the rest.
    pub fn output(&self, output: &Output) -> Result<ExitCode, Failure> {
        let document = output.document.as_ref();
        let mut on_stdout = None;
        for file in &output.files {
            match (&file.to, &file.content) {
                (Destination::Path(_), _) => file.write(document, &output.folders)?,
                (Destination::Stdout, Content::Document) => {
                    on_stdout = document.map(Document::pretty).transpose()?.map(Content::Bytes);
                }
                (Destination::Stdout, _) if self.json => {
                    let problem = Problem::new("stdout_taken", "--json and -o - both write to the standard output");
                    return Err(Failure::input(problem.at("-o").value("-").hint("name a file: -o FILE")));
                }
                (Destination::Stdout, content) => on_stdout = Some(content.clone()),
            }
        }
        match (self.json, document, on_stdout.or_else(|| output.table.clone().map(Content::Table))) {
            (true, Some(document), _) => to_stdout(&document.pretty()?)?,
            (_, _, Some(Content::Table(table))) => table_to_stdout(&table)?,
            (_, _, Some(Content::Bytes(bytes))) => to_stdout(&bytes)?,
            _ => to_stdout(output.human.as_bytes())?,
        }
        if !self.json {
            output.read_as.iter().for_each(|read_as| self.line(&format!("read as: {read_as}")));
            self.warnings(&output.warnings);
            output.notes.iter().for_each(|note| self.line(&format!("note: {note}")));
            if !output.problems.is_empty() {
                // Options by the names that people see, as in errors without a result.
                let (command, words) = (crate::args::command(), crate::command_line());
                let typed = |problem: &Problem| as_typed(problem.clone(), &command, &words[1..]);
                output.problems.iter().map(typed).for_each(|problem| self.problem(&problem));
            }
        }
        Ok(ExitCode::from(output.exit))
    }

    /// Reports why there is no result.
    pub fn failure(&self, failure: &Failure) -> ExitCode {
        let Problems(problems) = &failure.problems;
        if self.json {
            // Who has closed the other end will not read this either.
            let _ = to_stdout(&error_document(problems));
        } else {
            problems.iter().for_each(|problem| self.problem(problem));
        }
        ExitCode::from(failure.exit)
    }

    /// A line on the standard error.
    #[expect(clippy::unused_self, reason = "who writes needs a voice")]
    pub fn line(&self, text: &str) {
        // When this fails, there is nowhere left to report it.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    fn problem(&self, problem: &Problem) {
        let text = problem.to_string();
        let (message, hint) = match text.rsplit_once("\nhint: ") {
            Some((message, hint)) => (message, Some(hint)),
            None => (text.as_str(), None),
        };
        self.line(&format!("{} {message}", self.tag("error:", "31")));
        if let Some(hint) = hint {
            self.line(&format!("{} {hint}", self.tag("hint:", "36")));
        }
    }

    fn warnings(&self, warnings: &[Warning]) {
        let mut codes: Vec<&str> = Vec::new();
        for warning in warnings {
            if !codes.contains(&warning.code.as_str()) {
                codes.push(&warning.code);
            }
        }
        for code in codes {
            let mut of_code = warnings.iter().filter(|warning| warning.code == code);
            for warning in of_code.by_ref().take(MOST_WARNINGS) {
                self.line(&self.warning(warning));
            }
            let more = of_code.count();
            if more > 0 {
                self.line(&format!("{} and {more} more of this kind ({code})", self.tag("warning:", "33")));
            }
        }
    }

    fn warning(&self, warning: &Warning) -> String {
        let place = match (&warning.file, warning.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            (Some(file), None) => format!("{file}: "),
            (None, Some(line)) => format!("line {line}: "),
            (None, None) => String::new(),
        };
        format!("{} {place}{} ({})", self.tag("warning:", "33"), warning.message, warning.code)
    }

    fn tag(&self, word: &str, color: &str) -> String {
        if self.color_err { format!("\u{1b}[1;{color}m{word}\u{1b}[0m") } else { word.to_owned() }
    }
}

/// `{"kind":"error","version":1,"problems":[..]}`
pub fn error_document(problems: &[Problem]) -> Vec<u8> {
    Document::new(json!({"kind": "error", "version": 1, "problems": problems})).pretty().unwrap_or_default()
}

/// Writes to the standard output; a reader who has gone away has seen enough.
pub fn to_stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    seen(out.write_all(bytes).and_then(|()| out.flush()))
}

fn table_to_stdout(table: &TableFile) -> Result<(), Failure> {
    seen(table.write(io::stdout().lock()))
}

fn seen(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::writing(Path::new("the standard output"), &error))
        }
        _ => Ok(()),
    }
}
