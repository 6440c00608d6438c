//! `runcast sim learn`: an application model from recordings of small runs.

mod document;
mod files;
mod recorded;
mod simulated;
mod text;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputPath};
use crate::options::{AtArgs, LevelArgs, word};
use crate::output::{Content, Destination, OutFile, Output};
use crate::record::load::load;
use crate::tables;
use clap::{Args, ValueHint};
use document::{Document, ShownCheck};
use files::{Files, written};
use runcast_core::plan::configurations_from;
use runcast_core::{Configuration, Problem, Warning};
use runcast_record::Recording;
use runcast_record::learn::{Apart, Checked, Item, Learnt, Source, learn};
use runcast_sim::job::Fidelity;
use simulated::Simulator;
use std::path::PathBuf;
use std::rc::Rc;

/// Arguments of `runcast sim learn`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct LearnArgs {
    /// Recordings of one program at two or more numbers of processes
    #[arg(value_name = "DIR", required_unless_present = "command", value_hint = ValueHint::AnyPath)]
    pub recordings: Vec<InputFile>,
    /// The usual command line, to be recorded at each --at: mpirun -n {p} ./app {N}
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "recordings", requires = "at")]
    pub command: Vec<String>,
    /// The folder for the model; made if it is missing
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: OutputPath,
    #[command(flatten)]
    pub at: AtArgs,
    /// A plan or table whose configurations are the targets
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub targets: Option<InputFile>,
    /// What a number on the command line is called: N=arg2; may be repeated
    #[arg(long, value_name = "NAME=argK", value_parser = numbered)]
    pub name: Vec<(String, usize)>,
    /// Calls that may follow no structure [%]
    #[arg(long, value_name = "PCT", default_value_t = 5.0, value_parser = percent, hide_short_help = true)]
    pub allow_unexplained: f64,
    /// The system to simulate on [default: cores as recorded on a network that is assumed]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub system: Option<InputFile>,
    /// How closely to look (default: flow up to 4,096 ranks, then loggops)
    #[arg(long, value_name = "F", value_parser = word::<Fidelity>())]
    pub fidelity: Option<Fidelity>,
    #[command(flatten)]
    pub level: LevelArgs,
    /// Write over files that are there
    #[arg(long)]
    pub force: bool,
}

const EXAMPLES: &str = "\
Examples:
  runcast sim learn rec-8 rec-27 rec-64 -o app
  runcast sim learn rec-8 rec-27 -o app --at p=512 --system cluster.toml
  runcast sim learn -o app --at p=8,27,64 -- mpirun -n {p} ./app 100";

/// A recording with the parameters of its run.
struct Read {
    path: String,
    recording: Rc<Recording>,
    params: Vec<(String, f64)>,
}

/// Learns, writes the model, checks it, and forecasts.
///
/// # Errors
/// Recordings that cannot be read or learnt from.
pub fn run(args: &LearnArgs, context: &mut Context) -> Result<Output, Failure> {
    let folder = args.output.to_path_buf();
    let there = files::NAMES.iter().map(|name| folder.join(name)).find(|path| context.files.is_file(path));
    if let Some(path) = there.filter(|_| !args.force) {
        let problem = Problem::new("file_exists", "the file is there already").in_file(path.display().to_string());
        return Err(problem.hint("another folder: -o DIR; or --force to write over it").into());
    }
    let targets = targets(args, context)?;
    let mut paths: Vec<PathBuf> = args.recordings.iter().map(|path| path.to_path_buf()).collect();
    if !args.command.is_empty() {
        paths = recorded::recordings(args, context)?;
    }
    let mut reads = read(&paths, &args.name, context)?;
    reads.sort_by_key(|read| read.recording.p);
    let sources: Vec<Source<'_>> = reads.iter().map(Read::source).collect();
    let most_left = args.allow_unexplained / 100.0;
    let learnt = match learn(&sources, most_left) {
        Ok(learnt) => learnt,
        Err(problem) => return Ok(refused(&reads, problem)),
    };
    let most = targets.iter().filter_map(|target| target.0.get("p")).copied();
    let most = reads.iter().map(|read| f64::from(read.recording.p)).chain(most).fold(1.0, f64::max);
    let given = args.system.as_ref().map(|path| context.read_text(path)).transpose()?;
    let mut warnings: Vec<Warning> = reads.iter().flat_map(|read| read.recording.warnings.clone()).collect();
    let left_out = learnt.left_out();
    if !left_out.is_empty() {
        let message = format!("left out of the model: {}", left_out.join(", "));
        warnings.push(Warning::new("not_modelled", message));
    }
    if !learnt.left.is_empty() {
        let (calls, share) = learnt.left.iter().fold((0, 0.0), |sum, one| (sum.0 + one.calls, sum.1 + one.share));
        let message =
            format!("{calls} calls ({:.2} %) follow no structure and are left out of the model", 100.0 * share);
        warnings.push(Warning::new("unexplained", message));
    }
    if learnt.is_sorted {
        let message =
            "ranks go through their partners in orders of their own: in the model, in that of steps in the grid";
        warnings.push(Warning::new("order_of_partners", message));
    }
    for one in &learnt.unforeseen {
        let turns: Vec<String> = one.values.iter().map(|value| crate::human::significant(*value, 4)).collect();
        let message =
            format!("turns of a loop came from the data ({}): they are the parameter {}", turns.join(", "), one.name);
        warnings.push(Warning::new("turns_from_data", message));
    }
    let mut findings = Vec::new();
    let mut tried: Option<(f64, Tried<'_>)> = None;
    let mut recorded = None;
    for spread in SPREADS {
        let files = written(&learnt, &reads, given.clone(), most, (args.fidelity, spread));
        let simulator = Simulator::new(&files, args, context)?;
        if recorded.is_none() {
            recorded = Some(recordings(&reads, &simulator, (&mut warnings, &mut findings))?);
        }
        let recorded = recorded.as_deref().unwrap_or_default();
        let (check, found) = checked(&learnt, &reads, recorded, &simulator)?;
        let error = error_of(&check);
        if tried.as_ref().is_none_or(|(least, _)| error < *least) {
            tried = Some((error, Tried { files, simulator, check, found }));
        }
        if error < CLOSE {
            break;
        }
    }
    let Some((_, Tried { files, mut simulator, mut check, found })) = tried else {
        return Err(Problem::new("too_large", "no spread of blocks was tried").into());
    };
    findings.extend(found);
    simulator.widen(&mut check);
    findings.extend(unexplained(&learnt, &check, args.allow_unexplained));
    check.extend(held_out(&reads, most_left));
    let mut forecast = Vec::new();
    for target in &targets {
        let all: Vec<(String, f64)> = target.0.iter().map(|(name, value)| (name.clone(), *value)).collect();
        let at = target.0.get("p").copied().unwrap_or(most);
        forecast.extend(or_finding(simulator.forecast(&all, &reads), at, &mut findings)?);
    }
    let names = files::NAMES.map(|name| folder.join(name).display().to_string());
    let document = Document::new(&learnt, &reads, &files, check, forecast, warnings.clone(), names.to_vec());
    let document = document.with(&findings);
    let human = text::text(&document, context.screen);
    let mut output = Output::of(document).human(human).warned(warnings);
    output = output.noted(format!("next: runcast sim run {} --set p={most}", folder.join("experiment.toml").display()));
    for (name, text) in files.texts() {
        let to = Destination::of(&folder.join(name));
        output.files.push(OutFile { to, content: Content::Bytes(text.clone().into_bytes()) });
    }
    output.files.push(OutFile { to: Destination::of(&folder.join("learn.json")), content: Content::Document });
    if !findings.is_empty() {
        output.problems.extend(findings);
        output = output.exit(1);
    }
    Ok(output.into_folder(folder))
}

/// A model that hangs at this number of processes is written all the same, and where it hangs is reported.
fn or_finding<T>(result: Result<T, Failure>, p: f64, findings: &mut Vec<Problem>) -> Result<Option<T>, Failure> {
    match result {
        Err(failure) if failure.problems.0.iter().all(|problem| problem.code == "deadlock") => {
            let hint = "the lines are those of app.luau, which is written: its comments name the calls of the program";
            let told = failure.problems.0.into_iter().map(|problem| problem.at(format!("p = {p}")).hint(hint));
            findings.extend(told);
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// Calls that are not as recorded, where they are too many; those of farms, and turns that only data know, are a matter
/// of chance.
fn unexplained(learnt: &Learnt, check: &[ShownCheck], most_pct: f64) -> Option<Problem> {
    let is_chance = learnt.apart == Apart::Root && learnt.items.iter().any(has_shared)
        || learnt.unforeseen.iter().any(|one| !one.is_whole);
    let (right, all) = check.iter().fold((0, 0), |(right, all), one| (right + one.calls_right, all + one.calls));
    let wrong_pct = 100.0 * (1.0 - right as f64 / all.max(1) as f64);
    if is_chance || wrong_pct <= most_pct {
        return None;
    }
    let message = format!("{wrong_pct:.1} % of the calls are not those of the model");
    let problem = Problem::new("unexplained", message).at("--allow-unexplained").allowed(format!("up to {most_pct} %"));
    Some(problem.hint("runcast record dump shows what ranks do; --allow-unexplained PCT takes the model as it is"))
}

fn has_shared(item: &Item) -> bool {
    item.told.is_shared || item.body.iter().any(has_shared)
}

impl Read {
    fn source(&self) -> Source<'_> {
        Source { recording: &self.recording, params: &self.params }
    }
}

/// `N=arg2`.
fn numbered(text: &str) -> Result<(String, usize), String> {
    let parts = text.split_once('=');
    let place = |value: &str| value.strip_prefix("arg")?.parse::<usize>().ok().filter(|place| *place > 0);
    match parts.and_then(|(name, value)| Some((name, place(value)?))) {
        Some((name, place)) if is_name(name) => Ok((name.to_owned(), place)),
        _ => Err("NAME=argK is allowed, such as N=arg2 for the second number of the command line".to_owned()),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number = crate::options::number(text.trim_end_matches('%'))?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err("0 to 100 is allowed".to_owned()) }
}

/// What is to be forecast; with a command `--at` says what is recorded.
fn targets(args: &LearnArgs, context: &mut Context) -> Result<Vec<Configuration>, Failure> {
    let mut targets = if args.command.is_empty() { args.at.configurations()? } else { Vec::new() };
    if let Some(path) = &args.targets {
        let planned = configurations_from(&tables::name_of(path), &context.read(path)?)?;
        let only_targets = planned.iter().any(|configuration| configuration.set == "target");
        let wanted = planned.into_iter().filter(|configuration| !only_targets || configuration.set == "target");
        targets.extend(wanted.map(|configuration| configuration.at));
    }
    Ok(targets)
}

/// The recordings; numbers on the command line that differ are parameters, if none is named.
fn read(paths: &[PathBuf], names: &[(String, usize)], context: &mut Context) -> Result<Vec<Read>, Failure> {
    let mut reads = Vec::new();
    for path in paths {
        let recording = load(path, context)?;
        let named = recording.meta.set.iter().filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)));
        // The number of processes is a symbol in any case.
        let mut params: Vec<(String, f64)> = named.filter(|(name, _)| name != "p").collect();
        for (name, place) in names {
            let text = recording.meta.argv.get(*place);
            let Some(value) = text.and_then(|text| text.parse::<f64>().ok()).filter(|value| value.is_finite()) else {
                let message = format!("argument {place} of the program is no number");
                let problem = Problem::new("bad_parameter", message).in_file(path.display().to_string()).at("--name");
                let given = recording.meta.argv.get(1..).unwrap_or_default().join(" ");
                return Err(problem
                    .value(text.cloned().unwrap_or_default())
                    .allowed(format!("numbers of: {given}"))
                    .into());
            };
            params.retain(|(known, _)| known != name);
            params.push((name.clone(), value));
        }
        if let Some((name, _)) = params.iter().find(|(name, _)| !is_name(name)) {
            let problem = Problem::new("bad_parameter", "a parameter has a name that a script cannot use");
            let problem = problem.in_file(path.display().to_string()).value(name);
            return Err(problem.allowed("letters, digits and _, no word of the script: N, cells, n_x").into());
        }
        reads.push(Read { path: path.display().to_string(), recording: Rc::new(recording), params });
    }
    if reads.iter().all(|read| read.params.is_empty()) {
        let most = reads.iter().map(|read| read.recording.meta.argv.len()).min().unwrap_or(0);
        for place in 1..most {
            let number = |read: &Read| read.recording.meta.argv[place].parse::<f64>().ok().filter(|n| n.is_finite());
            let Some(numbers) = reads.iter().map(number).collect::<Option<Vec<f64>>>() else { continue };
            if numbers.iter().any(|number| *number != numbers[0]) {
                for (read, number) in reads.iter_mut().zip(numbers) {
                    read.params.push((format!("arg{place}"), number));
                }
            }
        }
    }
    Ok(reads)
}

/// Whether a script may have a variable of this name.
fn is_name(name: &str) -> bool {
    const WORDS: [&str; 47] = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not",
        "or", "repeat", "return", "then", "true", "until", "while", "q", "g", "c", "r", "o", "lg", "at", "ceil",
        "floor", "sqrt", "whole", "inside", "line", "z", "w", "post", "begin", "finish", "exchange", "lasting", "rank",
        "access", "quiet", "halo", "pending", "math",
    ];
    let is_like_one = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_index = name.starts_with(['k', 'n']) && name.len() > 1 && name[1..].chars().all(|c| c.is_ascii_digit());
    let is_turns = name.strip_prefix("turns").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    is_like_one && !is_index && !is_turns && !WORDS.contains(&name)
}

/// What stands in the way, as a document of its own kind.
fn refused(reads: &[Read], problem: Problem) -> Output {
    let document = Document::refused(reads, &problem);
    let mut output = Output::of(document).exit(1);
    output.problems.push(problem);
    output
}

/// Shares of the spread of blocks that a model may have, the first that comes close or the one that comes closest. Ranks
/// wait for the slowest of them: an exponential law of the recorded variance makes steps longer than blocks that differ by
/// rank, or a few long ones, do.
const SPREADS: [f64; 4] = [1.0, 0.5, 0.25, 0.0];

/// Simulated times so near to recorded ones, in logarithms, are close.
const CLOSE: f64 = 0.05;

/// A model with a share of the spread of blocks, beside the recordings.
struct Tried<'a> {
    files: Files,
    simulator: Simulator<'a>,
    check: Vec<ShownCheck>,
    /// Where it hangs.
    found: Vec<Problem>,
}

/// The root of the mean square of differences, in logarithms.
fn error_of(check: &[ShownCheck]) -> f64 {
    let logs: Vec<f64> = check.iter().filter_map(ShownCheck::log_difference).collect();
    (logs.iter().map(|log| log * log).sum::<f64>() / logs.len().max(1) as f64).sqrt()
}

/// The time of a recording, and what it was taken from; none where its replay hangs.
type Recorded = Option<(f64, &'static str)>;

fn recordings(
    reads: &[Read],
    simulator: &Simulator<'_>,
    (warnings, findings): (&mut Vec<Warning>, &mut Vec<Problem>),
) -> Result<Vec<Recorded>, Failure> {
    let mut all = Vec::new();
    for read in reads {
        let recorded = or_finding(simulator.recorded_s(&read.recording), read.recording.p.into(), findings)?;
        if recorded.is_some_and(|(_, basis)| basis == "replayed") {
            let message = "ranks shared cores: recordings are compared by their replay on the same system";
            if warnings.iter().all(|warning| warning.code != "cores_shared") {
                warnings.push(Warning::new("cores_shared", message));
            }
        }
        all.push(recorded);
    }
    Ok(all)
}

fn checked(
    learnt: &Learnt,
    reads: &[Read],
    recorded: &[Recorded],
    simulator: &Simulator<'_>,
) -> Result<(Vec<ShownCheck>, Vec<Problem>), Failure> {
    let (mut all, mut found) = (Vec::new(), Vec::new());
    for (number, (read, recorded)) in reads.iter().zip(recorded).enumerate() {
        let right = learnt.check(&read.source(), number);
        let mut params = read.params.clone();
        params.push(("p".to_owned(), read.recording.p.into()));
        params.extend(learnt.unforeseen.iter().map(|one| (one.name.clone(), one.values[number])));
        let simulated = or_finding(simulator.forecast(&params, reads), read.recording.p.into(), &mut found)?;
        all.push(ShownCheck::new(read, right, *recorded, simulated.as_ref()));
    }
    Ok((all, found))
}

/// Of three or more: what the others say about the largest.
fn held_out(reads: &[Read], most_left: f64) -> Option<ShownCheck> {
    let largest = reads.last()?;
    let others: Vec<&Read> = reads.iter().filter(|read| read.recording.p < largest.recording.p).collect();
    if others.len() < 2 {
        return None;
    }
    let sources: Vec<Source<'_>> = others.iter().map(|read| read.source()).collect();
    let mut learnt = learn(&sources, most_left).ok()?;
    let number = learnt.with(largest.recording.p, &largest.params).ok()?;
    let right: Checked = learnt.check(&largest.source(), number);
    Some(ShownCheck::held_out(largest, right))
}
