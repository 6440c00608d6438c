//! Commands from scripts, up to the first error unless errors continue.

use super::grammar::{Command, Line, Script, parse};
use super::outcome::{Entry, Outcome};
use super::session::Session;
use crate::answer::{Answer, Outputs, give};
use crate::context::{Context, Screen};
use crate::document::value_of;
use crate::failure::Failure;
use crate::output::Output;
use crate::tables;
use runcast_core::{Prediction, Problem, Warning};
use serde::Serialize;
use serde_json::json;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Scripts that run scripts that run scripts: deeper than this they do it in a circle.
const DEEPEST: usize = 20;

/// The document of kind `llac`.
#[derive(Debug, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    warnings: Vec<Warning>,
    results: Vec<Entry>,
    #[serde(skip)]
    human: String,
    #[serde(skip)]
    predictions: Vec<Prediction>,
}

impl Answer for Document {
    fn predictions(&self) -> Vec<Prediction> {
        self.predictions.clone()
    }

    fn text(&self, _: Screen) -> String {
        self.human.clone()
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings.clone()
    }
}

/// A text with commands, and where it comes from.
#[derive(Debug, Clone)]
pub struct Source {
    /// What problems call it.
    pub name: String,
    pub text: String,
    /// Where the files that it names are looked up.
    pub folder: PathBuf,
}

/// Runs texts one after the other.
#[derive(Debug, Default)]
pub struct Runner {
    pub session: Session,
    /// A command asked to end it.
    pub is_over: bool,
    depth: usize,
}

/// What came of a text.
#[derive(Debug, Default)]
pub struct Done {
    /// The commands that were run.
    pub entries: Vec<Entry>,
    /// The result for people.
    pub human: String,
    /// What people may want to know beside it.
    pub notes: Vec<String>,
    /// What concerns the results.
    pub warnings: Vec<Warning>,
    /// What was predicted.
    pub predictions: Vec<Prediction>,
    /// Why it stopped before its end.
    pub failure: Option<Failure>,
}

/// Runs a script, then the commands of `-e`.
///
/// # Errors
/// The script cannot be read. What is wrong with a command stands in the output.
pub fn run(
    script: Option<&Path>,
    commands: &[String],
    table: Option<&Path>,
    context: &mut Context,
) -> Result<Output, Failure> {
    let sources = sources(script, commands, context)?;
    let (mut runner, mut all) = (Runner::default(), Done::default());
    for source in &sources {
        let done = runner.run(source, context);
        all.entries.extend(done.entries);
        if !all.human.is_empty() && !done.human.is_empty() {
            all.human.push('\n');
        }
        all.human.push_str(&done.human);
        all.notes.extend(done.notes);
        all.warnings.extend(done.warnings);
        all.predictions.extend(done.predictions);
        let failed = done.failure.is_some();
        if let Some(failure) = done.failure {
            add_failure(&mut all.failure, failure);
        }
        if runner.is_over || (failed && !runner.session.continues) || context.is_interrupted() {
            break;
        }
    }
    let Done { entries: results, human, notes, warnings, predictions, failure } = all;
    let document = Document { kind: "llac", version: 1, warnings, results, human, predictions };
    let mut output = give(document, Outputs { table, plot: None }, context.screen)?;
    output.notes.splice(0..0, notes);
    if let Some(failure) = failure {
        output.exit = failure.exit;
        output.problems = failure.problems.0;
    }
    Ok(output)
}

/// The first failure gives the exit code; the problems of all are reported.
fn add_failure(first: &mut Option<Failure>, next: Failure) {
    match first {
        Some(first) => first.problems.0.extend(next.problems.0),
        None => *first = Some(next),
    }
}

fn sources(script: Option<&Path>, commands: &[String], context: &mut Context) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    if let Some(path) = script {
        sources.push(read(path, context)?);
    }
    for (index, text) in commands.iter().enumerate() {
        let name = if commands.len() == 1 { "-e".to_owned() } else { format!("-e ({})", index + 1) };
        sources.push(Source { name, text: text.clone(), folder: PathBuf::new() });
    }
    Ok(sources)
}

/// Reads the files that are named in a script and in the commands of `-e`, without running any.
///
/// # Errors
/// The script cannot be read. Errors in a command are reported when it runs.
pub fn read_files(script: Option<&Path>, commands: &[String], context: &mut Context) -> Result<(), Failure> {
    let mut waiting: Vec<(Source, usize)> =
        sources(script, commands, context)?.into_iter().map(|source| (source, 0)).collect();
    // Scripts that run one another are looked at once for each depth.
    let mut seen: HashSet<(String, usize)> = HashSet::new();
    while let Some((source, depth)) = waiting.pop() {
        if depth > 0 && !seen.insert((source.name.clone(), depth)) {
            continue;
        }
        for line in Script::new(&source.text) {
            match parse(line.text) {
                Ok(Command::Load { files, .. }) => {
                    for name in &files {
                        let found = super::files::expand(&source.folder, name, context.files.as_mut());
                        for path in found.unwrap_or_default() {
                            context.read_if_there(&path);
                        }
                    }
                }
                Ok(Command::Source { file }) if depth < DEEPEST => {
                    let path = super::files::resolve(&source.folder, &file);
                    waiting.extend(read(&path, context).ok().map(|source| (source, depth + 1)));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// A script; `-` is the standard input, whose files are looked up in the current folder.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn read(path: &Path, context: &mut Context) -> Result<Source, Failure> {
    let text = context.read_text(path)?;
    let name = tables::name_of(path);
    let folder = if path.as_os_str() == "-" { None } else { path.parent() };
    Ok(Source { name, text, folder: folder.map_or_else(PathBuf::new, Path::to_owned) })
}

impl Runner {
    /// Runs the commands of a text up to its end, to `quit`, or to the first error.
    pub fn run(&mut self, source: &Source, context: &mut Context) -> Done {
        let mut done = Done::default();
        for line in Script::new(&source.text) {
            if let Err(failure) = self.line(source, line, context, &mut done) {
                add_failure(&mut done.failure, failure);
                if !self.session.continues || context.is_interrupted() {
                    return done;
                }
            }
            if self.is_over {
                return done;
            }
        }
        done
    }

    fn line(&mut self, source: &Source, line: Line<'_>, context: &mut Context, done: &mut Done) -> Result<(), Failure> {
        let verb = line.text.split_whitespace().next().unwrap_or_default();
        let result = parse(line.text).map_err(|problem| {
            // Columns count from the beginning of the line, not of the command.
            let column = problem.column.map(|column| column + line.column - 1);
            Failure::input(Problem { column, ..problem })
        });
        let result = match result {
            _ if context.is_interrupted() => Err((Failure::interrupted(), json!({}))),
            Err(failure) => Err((failure, json!({}))),
            Ok(Command::Source { file }) => self.source(source, &file, context),
            Ok(command) => self.session.run(&command, &source.folder, context).map_err(|failure| {
                if let Command::Fit(fit) = &command
                    && !context.is_interrupted()
                {
                    let why = failure.problems.0.first().map_or("", |problem| problem.message.as_str());
                    self.session.refuse(fit.name.as_deref(), line.line, why);
                }
                (failure, json!({}))
            }),
        };
        match result {
            Ok(outcome) => {
                self.is_over |= outcome.quits;
                done.entries.push(Entry::done(verb, line.text, line.line, &outcome));
                if !outcome.human.is_empty() {
                    if !done.human.is_empty() {
                        done.human.push('\n');
                    }
                    done.human.push_str(&outcome.human);
                }
                done.notes.extend(outcome.notes);
                done.warnings.extend(outcome.warnings);
                done.predictions.extend(outcome.predictions);
                Ok(())
            }
            Err((failure, result)) => {
                let failure = placed(failure, source, &line);
                done.entries.push(Entry::failed(verb, line.text, line.line, &failure, result));
                if let Some(human) = done.entries.last().and_then(|entry| entry.result.get("text")?.as_str()) {
                    done.human.push_str(human);
                }
                Err(failure)
            }
        }
    }

    /// Runs the commands of a file.
    fn source(
        &mut self,
        from: &Source,
        file: &str,
        context: &mut Context,
    ) -> Result<Outcome, (Failure, serde_json::Value)> {
        let without = |failure: Failure| (failure, json!({}));
        if self.depth >= DEEPEST {
            let message = format!("scripts run scripts more than {DEEPEST} deep");
            let problem = Problem::new("too_deep", message).value(file);
            return Err(without(Failure::input(problem.hint("does a script run itself?"))));
        }
        let path = super::files::resolve(&from.folder, file);
        let nested = read(&path, context).map_err(without)?;
        self.depth += 1;
        let done = self.run(&nested, context);
        self.depth -= 1;
        let mut result = json!({ "file": nested.name, "results": value_of(&done.entries).map_err(without)? });
        match done.failure {
            Some(failure) => {
                if !done.human.is_empty() {
                    result["text"] = done.human.into();
                }
                Err((failure, result))
            }
            None => {
                let Done { human, notes, warnings, predictions, .. } = done;
                Ok(Outcome { result, human, notes, warnings, predictions, quits: false })
            }
        }
    }
}

/// Names the script and the line, unless a problem lies in another file: then the message says which command it was.
fn placed(mut failure: Failure, source: &Source, line: &Line<'_>) -> Failure {
    if source.name.is_empty() {
        // Typed just now: there is no need to say where.
        return failure;
    }
    for problem in &mut failure.problems.0 {
        if problem.file.is_none() {
            problem.file = Some(source.name.clone());
            problem.line = Some(line.line);
            problem.column.get_or_insert(line.column);
        } else if !problem.message.contains(" (command at ") {
            problem.message = format!("{} (command at {}:{})", problem.message, source.name, line.line);
        }
    }
    failure
}
