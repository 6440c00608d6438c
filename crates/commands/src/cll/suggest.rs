//! `runcast cll suggest`: formulas for the loops of a program that has none, as a patch.

mod files;
mod folded;
mod measure;

use crate::context::Context;
use crate::failure::Failure;
use crate::human::{Table, count};
use crate::options::paths::{InputFile, OutputFile};
use crate::options::{AtArgs, RUNS_AT};
use crate::output::Output;
use clap::{Args, ValueHint};
use files::Source;
use runcast_call::loops::{Nest, Placed, Size, nests, patch, with_pragmas};
use runcast_call::translate::{Input, translate};
use runcast_core::{Problem, Warning};
use serde::Serialize;
use std::collections::BTreeMap;

/// Arguments of `runcast cll suggest`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES, mut_arg("at", |at| at.help(RUNS_AT)))]
pub struct SuggestArgs {
    /// Sources in C and C++, or folders of them
    #[arg(value_name = "PATH", required = true, value_hint = ValueHint::AnyPath)]
    pub paths: Vec<InputFile>,
    /// The patch, for `patch -p1` [default: standard output]
    #[arg(short = 'o', long = "output", value_name = "PATCH", help_heading = None::<&str>, value_hint = ValueHint::FilePath)]
    pub output: Option<OutputFile>,
    /// Count how often loops turn: the command after -- builds and runs a copy of this folder, with counters
    #[arg(long, requires = "command", help_heading = None::<&str>)]
    pub measure: bool,
    #[command(flatten)]
    pub at: AtArgs,
    /// Builds and runs the program; {N} and other names of --at stand for their values
    #[arg(last = true, value_name = "COMMAND", requires = "measure")]
    pub command: Vec<String>,
    /// At most so many loops, those that grow fastest first
    #[arg(long, value_name = "COUNT", default_value_t = 20, help_heading = None::<&str>)]
    pub most: usize,
    /// Only loops of these functions
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', help_heading = None::<&str>)]
    pub only: Vec<String>,
    /// Only functions with 1 % of the samples or more: folded stacks of a profiler
    #[arg(long, value_name = "FILE", help_heading = None::<&str>, value_hint = ValueHint::FilePath)]
    pub folded: Option<InputFile>,
}

const EXAMPLES: &str = "\
Examples:
  runcast cll suggest src -o cll.patch && patch -p1 < cll.patch
  runcast cll suggest src/*.c --only sweep,restrict
  runcast cll suggest src --measure --at N=100,200,400,800 -- sh -c 'make && ./app {N}'
  perf script | stackcollapse-perf.pl > app.folded; runcast cll suggest src --folded app.folded";

/// The most terms of a formula beside its constant.
const MOST_TERMS: usize = 3;

/// The document of `cll suggest`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    loops: Vec<LoopEntry>,
    /// The patch, or the file that it is in.
    patch: String,
    warnings: Vec<Warning>,
}

/// An outermost loop.
#[derive(Debug, Clone, Serialize)]
struct LoopEntry {
    file: String,
    line: usize,
    function: String,
    formula: Option<String>,
    /// What the formula's names stand for, where that is more than a name.
    variables: Vec<String>,
    /// The term that grows fastest.
    leading: Option<String>,
    trips: &'static str,
    /// How far measured turns are from the formula \[%\]; null where nothing was measured.
    rms_pct: Option<f64>,
    /// Functions that it calls whose work is not in the formula.
    calls_unknown: Vec<String>,
    placed: bool,
    /// Why it is not placed.
    reason: Option<String>,
}

/// Looks for loops.
///
/// # Errors
/// A file cannot be read, or there is no source.
pub fn run(args: &SuggestArgs, context: &mut Context) -> Result<Output, Failure> {
    let sources = files::read(&args.paths, context)?;
    let hot = args.folded.as_ref().map(|path| folded::hot(path, context)).transpose()?;
    let mut found: Vec<Found<'_>> = Vec::new();
    for source in &sources {
        let all = nests(&source.input).into_iter();
        let bare = |function: &str| function.rsplit("::").next().unwrap_or(function).to_owned();
        let takes_time = |nest: &Nest| hot.as_ref().is_none_or(|hot| hot.contains(&bare(&nest.function)));
        let wanted = all
            .filter(|nest| args.only.is_empty() || args.only.contains(&nest.function))
            .filter(|nest| takes_time(nest));
        found.extend(wanted.map(|nest| Found::new(source, nest)));
    }
    name(&mut found);
    let mut warnings = Vec::new();
    if args.measure {
        measure::measure(args, &mut found, &mut warnings, context)?;
    }
    choose(&mut found, args.most);
    let mut text = Vec::new();
    for source in &sources {
        let placed = verified(source, &mut found);
        text.extend(patch(&source.input.name, &source.input.text, &placed));
    }
    Ok(output(args, &found, text, warnings))
}

/// A loop and what is to become of it.
struct Found<'a> {
    source: &'a Source,
    nest: Nest,
    name: String,
    terms: Vec<String>,
    /// The sum of powers, and that of logarithms, in the term that grows fastest.
    degree: (i32, i32),
    reason: Option<String>,
    is_measured: bool,
    rms_pct: Option<f64>,
}

const NOT_ALONE: &str = "its first or last line has more than the loop";

impl<'a> Found<'a> {
    fn new(source: &'a Source, nest: Nest) -> Self {
        let terms: Vec<String> = match &nest.size {
            Ok(size) => size.leading().into_iter().take(MOST_TERMS).collect(),
            Err(_) => Vec::new(),
        };
        let reason = match &nest.size {
            Err(reason) => Some(reason.clone()),
            Ok(_) if terms.is_empty() => Some("it turns equally often for all sizes".to_owned()),
            Ok(_) if !nest.alone => Some(NOT_ALONE.to_owned()),
            Ok(_) => None,
        };
        let degree = nest.size.as_ref().map_or((0, 0), Size::degree);
        Found { source, nest, name: String::new(), terms, degree, reason, is_measured: false, rms_pct: None }
    }

    fn formula(&self) -> Option<String> {
        let constant = |index: usize| format!("{}[{index}]", self.name);
        let terms = self.terms.iter().enumerate().map(|(index, term)| format!(" + {}*{term}", constant(index + 1)));
        (!self.terms.is_empty()).then(|| constant(0) + &terms.collect::<String>())
    }

    fn variables(&self) -> Vec<String> {
        let longer = self.nest.variables.iter().filter(|(name, written)| name != written);
        longer.map(|(name, written)| format!("{name} = {written}")).collect()
    }

    fn placed(&self) -> Option<Placed> {
        let mut clause = self.formula().filter(|_| self.reason.is_none())?;
        let variables = self.variables();
        if !variables.is_empty() {
            let names =
                self.nest.variables.iter().filter(|(name, written)| name == written).map(|(name, _)| name.clone());
            clause += &format!(" var({})", names.chain(variables).collect::<Vec<_>>().join(", "));
        }
        if self.nest.returns {
            clause += " exits(ok)";
        }
        let (begin_line, end_line) = (self.nest.begin_line, self.nest.end_line);
        Some(Placed { begin_line, end_line, name: self.name.clone(), clause })
    }
}

/// FUNCTION, or FUNCTION_2 and so on, in the order of the sources.
fn name(found: &mut [Found<'_>]) {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for one in found {
        let number = taken.entry(one.nest.function.clone()).or_insert(0);
        *number += 1;
        let reserved = ["end", "report", "parallel", "on", "off"].contains(&one.nest.function.as_str());
        one.name = match *number {
            1 if !reserved => one.nest.function.clone(),
            number => format!("{}_{number}", one.nest.function),
        };
    }
}

/// Keeps those that grow fastest.
fn choose(found: &mut [Found<'_>], most: usize) {
    let mut order: Vec<usize> = (0..found.len()).filter(|&at| found[at].reason.is_none()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(found[at].degree));
    for at in order.into_iter().skip(most) {
        found[at].reason = Some(format!("more than {most} loops; --most takes more"));
    }
}

/// The pragmas of a source that the translator takes.
fn verified(source: &Source, found: &mut [Found<'_>]) -> Vec<Placed> {
    let mut own: Vec<usize> = (0..found.len()).filter(|&at| std::ptr::eq(found[at].source, source)).collect();
    own.retain(|&at| found[at].placed().is_some());
    loop {
        let placed: Vec<Placed> = own.iter().filter_map(|&at| found[at].placed()).collect();
        let text = with_pragmas(&source.input.text, &placed);
        let problems = translated(&source.input, text);
        if problems.is_empty() || own.is_empty() {
            return placed;
        }
        // In the text with pragmas, a loop is two lines further down for each one before it.
        let is_of = |order: usize, at: usize, problem: &Problem| {
            let line = problem.line.unwrap_or(0) as usize;
            let nest = &found[at].nest;
            (nest.begin_line + 2 * order..=nest.end_line + 2 * order + 2).contains(&line)
        };
        let bad: Vec<(usize, String)> = own
            .iter()
            .enumerate()
            .filter_map(|(order, &at)| {
                let problem = problems.iter().find(|problem| is_of(order, at, problem))?;
                Some((at, format!("{}: {}", problem.code, problem.message)))
            })
            .collect();
        if bad.is_empty() {
            let why = format!("{}: {}", problems[0].code, problems[0].message);
            own.drain(..).for_each(|at| found[at].reason = Some(why.clone()));
        }
        for (at, why) in bad {
            own.retain(|&other| other != at);
            found[at].reason = Some(why);
        }
    }
}

fn translated(input: &Input, text: Vec<u8>) -> Vec<Problem> {
    let input = Input { text, ..input.clone() };
    translate(&[input], &mut |_, _| None).problems
}

fn output(args: &SuggestArgs, found: &[Found<'_>], text: Vec<u8>, mut warnings: Vec<Warning>) -> Output {
    let loops: Vec<LoopEntry> = found
        .iter()
        .map(|one| LoopEntry {
            file: one.source.input.name.clone(),
            line: one.nest.begin_line,
            function: one.nest.function.clone(),
            formula: one.formula(),
            variables: one.variables(),
            leading: one.terms.first().cloned(),
            trips: match (one.is_measured, &one.nest.size) {
                (true, _) => "measured",
                (false, Ok(_)) => "static",
                (false, Err(_)) => "unknown",
            },
            rms_pct: one.rms_pct,
            calls_unknown: one.nest.calls_unknown.clone(),
            placed: one.reason.is_none(),
            reason: one.reason.clone(),
        })
        .collect();
    let placed = loops.iter().filter(|one| one.placed).count();
    let patch = match &args.output {
        Some(path) => path.display().to_string(),
        None => String::from_utf8_lossy(&text).into_owned(),
    };
    let human = match &args.output {
        Some(path) => format!("{}: pragmas for {}\n", path.display(), count(placed, "loop", "loops")),
        None => String::from_utf8_lossy(&text).into_owned(),
    };
    if placed == 0 {
        warnings.push(Warning::new("nothing_to_suggest", "no loop has a formula that follows from its bounds"));
    }
    let left: Vec<&LoopEntry> = loops.iter().filter(|one| !one.placed).collect();
    let mut table = Table::new().text("loop").text("function").text("left out");
    for one in &left {
        let reason = one.reason.clone().unwrap_or_default();
        table.row([format!("{}:{}", one.file, one.line), one.function.clone(), reason]);
    }
    let notes = if left.is_empty() {
        Vec::new()
    } else {
        vec![table.render(crate::context::Screen::default()).trim_end().to_owned()]
    };
    let document = Document { kind: "cll-suggest", version: 1, loops, patch, warnings: warnings.clone() };
    let mut output = Output::of(document).human(human).warned(warnings);
    output.notes = notes;
    match &args.output {
        Some(path) => output.with_written(path, text),
        None => output,
    }
}
