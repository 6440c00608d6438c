//! `runcast import`: other tools' files become a table.

use crate::context::Context;
use crate::document::value_of;
use crate::failure::Failure;
use crate::human;
use crate::input::Input;
use crate::options::OutArgs;
use crate::options::paths::InputFile;
use crate::output::{Content, Destination, OutFile, Output};
use crate::table_file::TableFile;
use crate::tables::{self, FormatArgs};
use clap::{Args, ValueHint};
use runcast_core::import::{FORMATS, Probe, recognize};
use runcast_core::metric::Metric;
use runcast_core::roles::{RoleOption, Roles, TableOptions, roles_of};
use runcast_core::table::{Column, ColumnData, ReadOptions};
use runcast_core::{Table, Warning};
use serde::Serialize;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Arguments of `runcast import`.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ImportArgs {
    /// Files to read, of the same or of different formats; - is the standard input
    #[arg(required_unless_present = "format list", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    #[command(flatten)]
    pub format: FormatArgs,
    /// A metric, the attribute that holds it, and its unit (Caliper); may be repeated
    #[arg(long = "metric", value_name = "NAME=ATTRIBUTE[:UNIT]", help_heading = "Table")]
    pub metric: Vec<String>,
    /// Roles of columns, which the table then says itself: processes, parameter, metric, metric:UNIT, label, .., ignore
    #[arg(long, value_name = "COL=ROLE,..", value_delimiter = ',', value_parser = tables::role, help_heading = "Table")]
    pub roles: Vec<RoleOption>,
    /// What the run of these files is called [default: by the file, where the format has runs]
    #[arg(long, value_name = "NAME", help_heading = "Table", hide_short_help = true)]
    pub run: Option<String>,
    /// List the formats that can be read
    #[arg(long = "list-formats", id = "format list", hide_short_help = true)]
    pub list_formats: bool,
    #[command(flatten)]
    pub out: OutArgs,
}

/// The document of kind `import`.
#[derive(Serialize)]
struct Document<'a> {
    kind: &'static str,
    version: u32,
    warnings: &'a [Warning],
    files: Vec<FileEntry>,
    rows: usize,
    columns: Vec<&'a str>,
    parameters: Vec<&'a str>,
    labels: Vec<&'a str>,
    metrics: Vec<MetricEntry<'a>>,
    fit_options: &'a [String],
}

#[derive(Serialize)]
struct FileEntry {
    file: String,
    format: String,
    rows: usize,
}

#[derive(Serialize)]
struct MetricEntry<'a> {
    name: &'a str,
    unit: &'a str,
}

/// Reads files of any format into one table in tidy form.
///
/// # Errors
/// What is wrong with the files.
pub fn run(args: &ImportArgs, context: &mut Context) -> Result<Output, Failure> {
    if args.list_formats {
        return list(context);
    }
    let options = args.format.read_options(&args.metric);
    let mut inputs = Vec::with_capacity(args.files.len());
    for file in &args.files {
        inputs.push((tables::name_of(file), context.input(file)?));
    }
    let mut table = Table::read_many(&inputs, &options)?;
    if let Some(run) = &args.run {
        name_run(&mut table, run);
    }
    let roles = match args.roles.as_slice() {
        [] => declared_or_found(&table),
        asked => roles_of(&table, &TableOptions { roles: asked.to_vec(), ..TableOptions::default() })?,
    };
    if !roles.read_as.columns.is_empty() {
        context.read_as = Some(roles.read_as.clone());
    }
    let comment = if args.roles.is_empty() || is_jsonl(args.out.path()) {
        String::new()
    } else {
        format!("# roles: {}\n", declaration(&table, &roles))
    };
    let fit_options = needed_options(&mut table, &roles, &comment, args.out.path());
    let table = Arc::new(table);
    let file = TableFile::new(Arc::clone(&table), is_jsonl(args.out.path()), comment);
    let files = inputs
        .iter()
        .enumerate()
        .map(|(index, (file, input))| {
            Ok(FileEntry {
                file: file.clone(),
                format: format_of(input, &options).map_err(|error| Failure::reading(Path::new(file), &error))?,
                rows: table.origins.iter().filter(|origin| origin.file as usize == index).count(),
            })
        })
        .collect::<Result<_, Failure>>()?;
    let name = |index: &usize| table.columns[*index].name.as_str();
    let document = Document {
        kind: "import",
        version: 1,
        warnings: &table.warnings,
        files,
        rows: table.rows(),
        columns: table.columns.iter().map(|column| column.name.as_str()).collect(),
        parameters: roles.parameters.iter().map(name).collect(),
        labels: roles.by.iter().map(name).collect(),
        metrics: roles
            .metrics
            .iter()
            .map(|(_, metric)| MetricEntry { name: &metric.name, unit: &metric.unit })
            .collect(),
        fit_options: &fit_options,
    };
    let mut output = Output::of(value_of(&document)?).warned(table.warnings.iter().cloned());
    match args.out.path() {
        Some(path) if path.as_os_str() != "-" => {
            let command = format!("runcast fit {} {}", path.display(), fit_options.join(" "));
            output.human = format!(
                "{}: {} with {}\n",
                path.display(),
                human::count(table.rows(), "run", "runs"),
                summary(&table, &roles),
            );
            output.notes.push(format!("to fit it: {}", command.trim_end()));
            output.files.push(OutFile { to: Destination::of(path), content: Content::Table(file) });
        }
        // The table is the result; under --json the document is, and no table is printed.
        Some(_) => output.files.push(OutFile { to: Destination::Stdout, content: Content::Table(file) }),
        None => output.table = Some(file),
    }
    Ok(output)
}

/// The column `run`, which is a label.
fn name_run(table: &mut Table, run: &str) {
    let column = Column::text("run", (0..table.rows()).map(|_| run));
    match table.columns.iter_mut().find(|known| known.name == "run") {
        Some(known) => *known = column,
        None => table.columns.push(column),
    }
}

fn list(context: &Context) -> Result<Output, Failure> {
    #[derive(Serialize)]
    struct Entry {
        name: &'static str,
        description: &'static str,
    }
    let mut table = human::Table::new().text("format").text("what it is");
    for format in FORMATS {
        table.row([format.name, format.description]);
    }
    let formats: Vec<Entry> =
        FORMATS.iter().map(|format| Entry { name: format.name, description: format.description }).collect();
    let document = serde_json::json!({"kind": "import", "version": 1, "warnings": [], "formats": formats});
    Ok(Output::of(value_of(&document)?).human(table.render(context.screen)))
}

/// The format that a file was read in.
fn format_of(input: &Input, options: &ReadOptions) -> io::Result<String> {
    if let Some(format) = &options.format {
        return Ok(format.clone());
    }
    let start = input.object_or_start()?;
    let text = String::from_utf8_lossy(&start);
    let probe = Probe::new(text.trim_start_matches('\u{feff}'));
    Ok(recognize(&probe).map_or_else(|_| String::new(), |format| format.name.to_owned()))
}

fn is_jsonl(path: Option<&Path>) -> bool {
    let extension = path.and_then(Path::extension).and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["jsonl", "ndjson"].contains(&extension.to_ascii_lowercase().as_str()))
}

/// Which column is what, as far as it is known: a table without a metric can still be written.
fn declared_or_found(table: &Table) -> Roles {
    roles_of(table, &TableOptions::default()).unwrap_or_default()
}

/// Of a table with more rows than this, only the first are written to see what reading finds in its head.
const MOST_REREAD: usize = 1 << 18;

/// The table as it is read from the file that is written: without what only the imported file declared. The rows of a
/// large one are lent to it.
struct Reread<'t> {
    table: &'t mut Table,
    again: Table,
    has_rows: bool,
}

impl<'t> Reread<'t> {
    fn of(table: &'t mut Table, comment: &str, path: Option<&Path>) -> Option<Self> {
        let name = path.map_or_else(|| "table".to_owned(), tables::name_of);
        let format = Some(if is_jsonl(path) { "jsonl" } else { "csv" }.to_owned());
        let is_large = table.rows() > MOST_REREAD;
        let start = if is_large { table.start(MOST_REREAD / 8) } else { table.clone() };
        let bytes = TableFile::new(Arc::new(start), is_jsonl(path), comment.to_owned()).to_bytes();
        let again = Table::read(&name, &bytes, &ReadOptions { format, ..ReadOptions::default() }).ok()?;
        let names = |table: &Table| table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        let has_rows = is_large && names(&again) == names(table);
        let mut reread = Reread { table, again, has_rows };
        reread.swap();
        Some(reread)
    }

    fn swap(&mut self) {
        if self.has_rows {
            std::mem::swap(&mut self.again.columns, &mut self.table.columns);
            std::mem::swap(&mut self.again.origins, &mut self.table.origins);
        }
    }
}

impl Drop for Reread<'_> {
    fn drop(&mut self) {
        self.swap();
    }
}

/// The options that `fit` needs to see in the written file what the imported one declared.
fn needed_options(table: &mut Table, roles: &Roles, comment: &str, path: Option<&Path>) -> Vec<String> {
    let metrics = |roles: &Roles| -> Vec<Metric> { roles.metrics.iter().map(|(_, metric)| metric.clone()).collect() };
    let names = |table: &Table, columns: &[usize]| -> Vec<String> {
        columns.iter().map(|&index| table.columns[index].name.clone()).collect()
    };
    let (wanted, parameters) = (metrics(roles), names(table, &roles.parameters));
    // A label without any text does not come back from CSV, and is not missed.
    let tells = |index: &&usize| match &table.columns[**index].data {
        ColumnData::Text { names, .. } => names.iter().any(|name| !name.is_empty()),
        ColumnData::Number(_) => true,
    };
    let labels: Vec<usize> = roles.by.iter().filter(tells).copied().collect();
    let labels = names(table, &labels);
    let Some(reread) = Reread::of(table, comment, path) else { return Vec::new() };
    let again = &reread.again;
    let mut asked = TableOptions::default();
    let found = |options: &TableOptions| roles_of(again, options).unwrap_or_default();
    let mut options = Vec::new();
    if wanted != metrics(&found(&asked)) {
        for metric in wanted {
            let option = format!("{}{}", metric.name, unit_option(&metric));
            options.extend(["--metric".to_owned(), shell_word(&option)]);
            asked.metrics.push(option);
        }
    }
    if parameters != names(again, &found(&asked).parameters) && !parameters.is_empty() {
        options.extend(["--params".to_owned(), shell_word(&parameters.join(","))]);
        asked.params = Some(parameters);
    }
    if labels != names(again, &found(&asked).by) {
        options.extend(["--by".to_owned(), shell_word(&labels.join(","))]);
    }
    options
}

/// What the line `# roles:` of a table says.
fn declaration(table: &Table, roles: &Roles) -> serde_json::Value {
    let name = |index: &usize| table.columns[*index].name.as_str();
    let unused = |index: &usize| !roles.parameters.contains(index);
    let units: serde_json::Map<String, serde_json::Value> = roles
        .metrics
        .iter()
        .filter_map(|(_, metric)| Some((metric.name.clone(), unit_option(metric).strip_prefix(':')?.into())))
        .collect();
    serde_json::json!({
        "processes": roles.process_parameter.map(|position| name(&roles.parameters[position])),
        "params": roles.parameters.iter().map(name).collect::<Vec<_>>(),
        "metrics": roles.metrics.iter().map(|(index, _)| name(index)).collect::<Vec<_>>(),
        "units": units,
        "labels": roles.by.iter().map(name).collect::<Vec<_>>(),
        "repetition": roles.repetition.iter().map(name).collect::<Vec<_>>(),
        "ignored": roles.unused.iter().map(|(index, _)| index).filter(|index| unused(index)).map(name).collect::<Vec<_>>(),
    })
}

/// `:UNIT`, where the name does not tell it.
fn unit_option(metric: &Metric) -> String {
    let alone = Metric::named(&metric.name, None);
    let told = |named: &Metric| named.unit == metric.unit && named.scale == metric.scale && !named.unit_assumed;
    if metric.unit_assumed || alone.is_ok_and(|named| told(&named)) {
        return String::new();
    }
    let candidates = ["s", "ms", "us", "ns", "min", "h", "B", "KiB", "MiB", "GiB", "J", "W", "1"];
    let unit = candidates.into_iter().chain([metric.unit.as_str()]).find(|unit| {
        Metric::named(&metric.name, Some(unit))
            .is_ok_and(|named| named.unit == metric.unit && named.scale == metric.scale)
    });
    unit.map_or_else(String::new, |unit| format!(":{unit}"))
}

/// A word as a shell takes it.
pub(crate) fn shell_word(word: &str) -> String {
    let safe = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=,@%+".contains(letter);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// `parameters p, N; metrics time_s; 12 regions`
fn summary(table: &Table, roles: &Roles) -> String {
    let name = |index: &usize| table.columns[*index].name.clone();
    let mut parts = Vec::new();
    let list = |names: Vec<String>| runcast_core::problem::shorten(&names.join(", "), 200);
    parts.push(match roles.parameters.as_slice() {
        [] => "no parameters".to_owned(),
        [one] => format!("parameter {}", name(one)),
        many => format!("parameters {}", list(many.iter().map(name).collect())),
    });
    parts.push(match roles.metrics.as_slice() {
        [] => "no metric".to_owned(),
        [(_, metric)] => format!("metric {}", metric.name),
        many => format!("metrics {}", list(many.iter().map(|(_, metric)| metric.name.clone()).collect())),
    });
    for &index in &roles.by {
        if let ColumnData::Text { names, .. } = &table.columns[index].data {
            parts.push(format!(
                "{} {}",
                names.len(),
                if names.len() == 1 { name(&index) } else { format!("{}s", name(&index)) }
            ));
        }
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::table::{Column, DeclaredRoles, Origins};

    #[test]
    fn what_fit_needs_is_told() {
        let text = "PARAMETER n\nPOINTS 4 8\nMETRIC work\nDATA 1\nDATA 2\n";
        let mut table = Table::read("a.txt", text.as_bytes(), &ReadOptions::default()).expect("well formed");
        let roles = declared_or_found(&table);
        assert_eq!(needed_options(&mut table, &roles, "", None), ["--metric", "work"]);
    }

    #[test]
    fn a_large_table_keeps_its_rows() {
        let rows = MOST_REREAD + 10;
        let numbers = |name: &str, scale: f64| Column::numbers(name, (0..rows).map(|row| scale * row as f64).collect());
        let columns = vec![numbers("n", 1.0), numbers("work", 3.0)];
        let roles = DeclaredRoles {
            parameters: vec!["n".to_owned()],
            metrics: vec!["work".to_owned()],
            ..DeclaredRoles::default()
        };
        let mut table = Table { columns, origins: Origins::unknown(rows), roles: Some(roles), ..Table::default() };
        let found = declared_or_found(&table);
        assert_eq!(needed_options(&mut table, &found, "", None), ["--metric", "work"]);
        assert_eq!((table.rows(), table.columns[1].len()), (rows, rows));
        assert!(table.roles.is_some());
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_word("a,b"), "a,b");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
