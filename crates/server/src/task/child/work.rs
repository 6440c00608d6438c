//! Does the work.

use super::Contents;
use super::report::{Report, Told, cut};
use crate::derived::{Figure, picture};
use crate::task::limits::Limits;
use crate::task::protocol::{EndFrame, Header, Work};
use crate::task::sandbox::{Enforced, probe};
use runcast_commands::ask::{self, Question};
use runcast_commands::remote::{self, Admitted, Answer, InMemory};
use runcast_commands::whatif::{self, Asked};
use runcast_commands::{Context, Document, Failure};
use runcast_core::Problem;
use runcast_sim::dry_run;
use runcast_sim::script::{self, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes that a script may hold, unless it is said otherwise: where the process has less, what a script lacks is the
/// memory of the process.
const SCRIPT_BYTES: u64 = (1 << 30) + (128 << 20);

/// Does the work, and reports results on the way.
pub fn run(header: &Header, files: Contents, enforced: Enforced, report: &Arc<Report>) -> EndFrame {
    match &header.work {
        Work::Command { argv, points } => command(argv, points.as_deref(), files, &header.limits, report),
        Work::DryRun { path, params } => dry(path, params, files, &header.limits, report),
        Work::Ask { question, catalogues } => answer(question, catalogues, files, &header.limits, report),
        Work::WhatIf { asked } => what_if(asked, files, &header.limits, report),
        Work::Plot { title, png } => plot(title, *png, &files, &header.limits, report),
        Work::Probe => {
            report.probed(&probe::probe(enforced));
            EndFrame::default()
        }
    }
}

fn command(
    argv: &[String],
    points: Option<&[u64]>,
    files: Contents,
    limits: &Limits,
    report: &Arc<Report>,
) -> EndFrame {
    // What is not among the files is found out by the command itself, and reported as in a shell.
    let admitted = match remote::admit(argv, &|_| true) {
        Ok(admitted) => admitted,
        Err(problem) => return failed(Failure::input(problem), limits, report),
    };
    let mut context = Context::of_files(Box::new(InMemory::new(files)));
    context.progress = Box::new(Told::new(Arc::clone(report)));
    match points {
        None => told(remote::run(&admitted, &mut context), limits, report),
        Some(points) => cut_out(&admitted, points, &mut context, limits, report),
    }
}

fn cut_out(
    admitted: &Admitted,
    points: &[u64],
    context: &mut Context,
    limits: &Limits,
    report: &Arc<Report>,
) -> EndFrame {
    let done = |point, failed, row| report.point(point, failed, row);
    match remote::run_points(admitted, points, context, &done) {
        Ok(()) => EndFrame::default(),
        Err(failure) => failed(failure, limits, report),
    }
}

fn dry(
    path: &str,
    params: &BTreeMap<String, serde_json::Value>,
    files: Contents,
    limits: &Limits,
    report: &Report,
) -> EndFrame {
    let missing = || Problem::new("missing_file", "there is no such file").in_file(path);
    let found = files.iter().find(|(file, _)| file == path).ok_or_else(missing);
    let not_utf8 = |_| Problem::new("not_utf8", "the file is not UTF-8").in_file(path);
    let text = match found.and_then(|(_, bytes)| std::str::from_utf8(bytes).map_err(not_utf8)) {
        Ok(text) => text,
        Err(problem) => return failed(Failure::input(problem), limits, report),
    };
    let value = |value: &serde_json::Value| match value {
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => Value::Text(text.clone()),
        other => Value::Text(other.to_string()),
    };
    let params: BTreeMap<String, Value> = params.iter().map(|(name, given)| (name.clone(), value(given))).collect();
    let told = dry_run::dry_run(text, path, &params, &script::Limits::default());
    let document = Document::new(told).pretty().unwrap_or_default();
    EndFrame { exit: u8::from(report.document(&document).is_err()), ..EndFrame::default() }
}

fn answer(
    question: &Question,
    catalogues: &[String],
    files: Contents,
    limits: &Limits,
    report: &Arc<Report>,
) -> EndFrame {
    let mut context = Context::of_files(Box::new(InMemory::new(files)));
    match ask::answer(question, catalogues, &mut context) {
        Ok(told) => {
            let document = Document::new(told).pretty().unwrap_or_default();
            EndFrame { exit: u8::from(report.document(&document).is_err()), ..EndFrame::default() }
        }
        Err(failure) => failed(failure, limits, report),
    }
}

fn what_if(asked: &Asked, files: Contents, limits: &Limits, report: &Arc<Report>) -> EndFrame {
    let mut context = Context::of_files(Box::new(InMemory::new(files)));
    match whatif::answer(asked, &mut context, &|line| report.curve(line)) {
        Ok(()) => EndFrame::default(),
        Err(failure) => failed(failure, limits, report),
    }
}

fn plot(title: &str, png: bool, files: &Contents, limits: &Limits, report: &Report) -> EndFrame {
    let figure = files.first().map(|(_, bytes)| serde_json::from_slice::<Figure>(bytes));
    let drawn = match figure {
        Some(Ok(figure)) => picture::draw(&figure, title, png),
        Some(Err(error)) => Err(Problem::new("internal", error.to_string())),
        None => Err(Problem::new("internal", "there is no figure")),
    };
    match drawn {
        Ok(bytes) => EndFrame { exit: u8::from(report.document(&bytes).is_err()), ..EndFrame::default() },
        Err(problem) => failed(Failure::undone(problem), limits, report),
    }
}

fn failed(failure: Failure, limits: &Limits, report: &Report) -> EndFrame {
    told(Answer::failed(failure), limits, report)
}

fn told(answer: Answer, limits: &Limits, report: &Report) -> EndFrame {
    let lacks_memory = |problem: &Problem| problem.code == "script_memory" && limits.memory_bytes < SCRIPT_BYTES;
    let end = EndFrame {
        exit: answer.exit,
        is_out_of_memory: answer.exit != 0 && answer.problems.iter().any(lacks_memory),
        notes: Vec::new(),
        warnings: answer.warnings.clone(),
        problems: answer.problems.clone(),
    };
    match report.answer(&answer) {
        Ok(()) => EndFrame { notes: cut(answer.notes), ..end },
        Err(_) => EndFrame { exit: 1, ..end },
    }
}
