//! Measured runs or a model as the source of an answer: which rows, which column counts processes, how far it was
//! measured.

use super::fields::{Fields, at, pointer};
use super::samples;
use super::shell::{Shell, argv};
use crate::advise::{self, Advice};
use crate::command::Command;
use crate::failure::Failure;
use runcast_core::roles::Role;
use runcast_core::{Configuration, Problem};

/// The label of tables that keep some rows for a test, and the word of the others.
const PARTED: [&str; 2] = ["set", "train"];

/// The source, as the commands take it.
pub struct Runs {
    /// `runs.csv --where 'set == "train"'`
    pub words: Vec<String>,
    /// The parameter that counts processes.
    pub processes: String,
    /// The largest number that was measured.
    pub most: f64,
    pub least: f64,
    /// The other parameters at their largest.
    pub others: Configuration,
    pub metric: String,
    pub assumptions: Vec<String>,
}

/// What must be read.
pub fn reads(fields: &mut Fields<'_>) -> Result<Vec<Vec<String>>, Failure> {
    Ok(vec![vec!["fit".to_owned(), fields.text("source", samples::RUNS)?]])
}

/// Looks at the source of a question.
pub fn look(fields: &mut Fields<'_>, shell: &mut Shell<'_>) -> Result<Runs, Failure> {
    let source = fields.text("source", samples::RUNS)?;
    let mut words = vec![source];
    if let Some(column) = fields.optional("column")? {
        words.extend(argv(["--process-param", &column]));
    }
    let mut assumptions = Vec::new();
    let mut found = load(&words, shell).map_err(at("source"))?;
    let [label, train] = PARTED;
    let is_parted = found.models.iter().any(|model| model.series.group.get(label).is_some_and(|set| set == train));
    if found.models.len() > 1 && is_parted {
        words.extend(["--where".to_owned(), format!("{label} == \"{train}\"")]);
        assumptions.push(format!("only rows whose {label} is {train} are looked at"));
        found = load(&words, shell).map_err(at("source"))?;
    }
    let model = advise::only(&found).map_err(at("source"))?;
    let series = &model.series;
    let Some(index) = series.process_parameter else {
        return Err(which_counts(&series.parameters, shell).into());
    };
    let [least, most] = model.range(index);
    let others = (0..series.parameters.len()).filter(|other| *other != index);
    let others = others.map(|other| (series.parameters[other].clone(), model.range(other)[1]));
    if found.models.len() > 1 {
        words.extend(argv(["--metric", &series.metric.name]));
        assumptions.push(format!("{} is the time of a run; the table has other metrics, too", series.metric.name));
    }
    Ok(Runs {
        words,
        processes: series.parameters[index].clone(),
        most,
        least,
        others: Configuration(others.collect()),
        metric: series.metric.name.clone(),
        assumptions,
    })
}

fn load(words: &[String], shell: &mut Shell<'_>) -> Result<crate::models::Models, Failure> {
    let line: Vec<String> = argv(["advise", "processes"]).into_iter().chain(words.iter().cloned()).collect();
    match shell.admit(&line)?.command {
        Command::Advise(args) => match args.on {
            Advice::Processes(args) => advise::load(&args.files, &args.common, shell.context),
            _ => Err(Failure::undone(Problem::new("internal", "another advice was read"))),
        },
        _ => Err(Failure::undone(Problem::new("internal", "another command was read"))),
    }
}

/// Asks which column counts processes.
fn which_counts(parameters: &[String], shell: &Shell<'_>) -> Problem {
    let read = shell.context.read_as.iter().flat_map(|read| &read.columns);
    let numbers: Vec<&str> =
        read.filter(|column| column.role == Role::Parameter).map(|column| column.column.as_str()).collect();
    let names = if numbers.is_empty() { parameters.join(", ") } else { numbers.join(", ") };
    let problem = Problem::new("no_processes", "no column counts processes: which one is it?").at(pointer("column"));
    problem.allowed(names).hint("choose the column")
}
