//! Tables of runs as input: the files, and the options that say which column is what.

use crate::context::Context;
use crate::failure::Failure;
use crate::input::Input;
use crate::memory;
use crate::options::paths::InputFile;
use crate::options::word;
use clap::Args;
use runcast_call::trace;
use runcast_core::metric::Direction;
use runcast_core::roles::{RoleOption, TableOptions};
use runcast_core::series::{SeriesSet, series_of};
use runcast_core::table::ReadOptions;
use runcast_core::{Problem, Problems, Table};
use std::io;
use std::path::Path;

/// Options of every command that takes a table of runs.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Table")]
pub struct TableArgs {
    /// A metric [default: each column named like one]; may be repeated
    #[arg(long = "metric", value_name = "NAME[:UNIT]")]
    pub metric: Vec<String>,
    /// The parameters; other columns of numbers then serve filters only
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub params: Option<Vec<String>>,
    /// The columns that make groups [default: all columns of text]
    #[arg(long, value_name = "COL,..", value_delimiter = ',')]
    pub by: Option<Vec<String>>,
    /// The parameter that counts processes [default: p, processes, ranks, ..]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub process_param: Option<String>,
    /// Take only rows for which this holds: 'region == "main" and p <= 64'
    #[arg(long = "where", value_name = "EXPR")]
    pub filters: Vec<String>,
    /// Which values of the metric are better [default: by its unit]
    #[arg(long, value_name = "WAY", hide_short_help = true, value_parser = word::<Direction>())]
    pub direction: Option<Direction>,
    /// How repetitions become one number [default: by the model]
    #[arg(long, value_name = "HOW", value_parser = ["median", "min", "max", "mean", "best"])]
    pub aggregate: Option<String>,
    /// Leave out repetitions that lie far from the others
    #[arg(long, hide_short_help = true)]
    pub drop_outliers: bool,
    /// Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    #[arg(long, value_name = "COL=ROLE,..", value_delimiter = ',', value_parser = role)]
    pub roles: Vec<RoleOption>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// How to read a file.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Table")]
pub struct FormatArgs {
    /// Format of the input [default: recognized by content]
    #[arg(long, value_name = "F")]
    pub format: Option<String>,
    /// What separates the cells of CSV [default: a comma]
    #[arg(long = "delimiter", id = "format delimiter", value_name = "CHAR", value_parser = delimiter, hide_short_help = true)]
    pub delimiter: Option<char>,
    /// A parameter and the attribute that holds it (Caliper)
    #[arg(long = "param", id = "params =", value_name = "NAME=ATTRIBUTE", hide_short_help = true)]
    pub param: Vec<String>,
    /// Samples a second of the profiler (folded stacks)
    #[arg(long, value_name = "PER_SECOND", value_parser = frequency, hide_short_help = true)]
    pub frequency: Option<f64>,
}

impl TableArgs {
    /// What decides on the roles of columns.
    pub fn table_options(&self) -> TableOptions {
        TableOptions {
            metrics: self.metric.clone(),
            params: self.params.clone(),
            by: self.by.clone(),
            process_param: self.process_param.clone(),
            filters: self.filters.clone(),
            direction: self.direction,
            drop_outliers: self.drop_outliers,
            roles: self.roles.clone(),
        }
    }

    /// What decides on how files are read.
    pub fn read_options(&self) -> ReadOptions {
        self.format.read_options(&self.metric)
    }
}

impl FormatArgs {
    /// What decides on how files are read; some formats take their metrics from the options.
    pub fn read_options(&self, metrics: &[String]) -> ReadOptions {
        ReadOptions {
            format: self.format.clone(),
            delimiter: self.delimiter,
            params: self.param.clone(),
            frequency: self.frequency,
            metrics: metrics.iter().filter(|metric| metric.contains('=')).cloned().collect(),
            memory: memory::free(),
        }
    }
}

/// Reads one file or several into one table, whatever their format; `-` is the standard input.
///
/// # Errors
/// A file cannot be read, or what is in it is wrong: all problems of all files.
pub fn read(args: &TableArgs, files: &[InputFile], context: &mut Context) -> Result<(Table, TableOptions), Failure> {
    Ok((read_files(files, &args.read_options(), context)?, args.table_options()))
}

/// As [`read`], with given options.
///
/// # Errors
/// A file cannot be read, or what is in it is wrong: all problems of all files.
pub fn read_files(files: &[InputFile], options: &ReadOptions, context: &mut Context) -> Result<Table, Failure> {
    let mut contents = Vec::with_capacity(files.len());
    for file in files {
        contents.push((name_of(file), context.input(file)?));
    }
    read_contents(&contents, options)
}

/// The content of files as one table. Traces are read by their own reader, which gives the good part of a damaged one.
///
/// # Errors
/// All that is wrong with any of the files.
pub fn read_contents(files: &[(String, Input)], options: &ReadOptions) -> Result<Table, Failure> {
    if files.is_empty() {
        return Err(Problem::new("empty_table", "no file is given").into());
    }
    let told = options.format.is_some() || options.delimiter.is_some();
    let failed = |name: &str, error: &io::Error| Failure::reading(Path::new(name), error);
    let (mut tables, mut problems) = (Vec::with_capacity(files.len()), Vec::new());
    for (name, input) in files {
        let start = input.start().map_err(|error| failed(name, &error))?;
        let read = if !told && trace::is_trace(&start) {
            let bytes = input.whole().map_err(|error| failed(name, &error))?;
            trace::read(name, &bytes).map(|trace| trace.table).map_err(Problems::from)
        } else {
            Table::read_from(name, input, options)
        };
        match read {
            Ok(table) => tables.push(table),
            Err(found) => problems.extend(found.0),
        }
    }
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    let table = Table::concatenate(tables);
    if table.rows() == 0 {
        return Err(Problem::new("empty_table", "the traces have no rows").into());
    }
    Ok(table)
}

/// What problems and documents call a file.
pub fn name_of(file: &Path) -> String {
    if file.as_os_str() == "-" { "<stdin>".to_owned() } else { file.display().to_string() }
}

/// The series of a table; how it was read goes to the user and into the document.
///
/// # Errors
/// As [`series_of`].
pub fn series(table: &Table, options: &TableOptions, context: &mut Context) -> Result<SeriesSet, Problems> {
    let set = series_of(table, options)?;
    context.read_as.get_or_insert_with(|| set.read_as.clone());
    Ok(set)
}

/// The value of `--roles`.
pub(crate) fn role(text: &str) -> Result<RoleOption, Problem> {
    RoleOption::parse(text)
}

fn frequency(text: &str) -> Result<f64, String> {
    let frequency = crate::options::number(text).ok().filter(|frequency| *frequency > 0.0 && frequency.is_finite());
    frequency.ok_or_else(|| "samples a second are allowed, such as 99".to_owned())
}

fn delimiter(text: &str) -> Result<char, String> {
    match text {
        "tab" | "\\t" => return Ok('\t'),
        _ => {}
    }
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii() && !"\"\n\r#".contains(letter) => Ok(letter),
        _ => Err("one character is allowed, such as ; or tab".to_owned()),
    }
}
