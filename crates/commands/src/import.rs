//! `runcast import`: other tools' files become a table.

use crate::context::Context;
use crate::document::value_of;
use crate::failure::Failure;
use crate::human;
use crate::options::OutArgs;
use crate::options::paths::InputFile;
use crate::output::{Content, Destination, OutFile, Output};
use crate::tables::{self, FormatArgs};
use clap::{Args, ValueHint};
use runcast_core::import::{FORMATS, Probe, recognize};
use runcast_core::metric::Metric;
use runcast_core::roles::{RoleOption, Roles, TableOptions, roles_of};
use runcast_core::table::{ColumnData, ReadOptions};
use runcast_core::{Table, Warning};
use serde::Serialize;
use std::path::Path;

/// Arguments of `runcast import`.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ImportArgs {
    /// Files to read, of the same or of different formats; - is the standard input
    #[arg(required_unless_present = "format list", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub format: FormatArgs,
    /// A metric, the attribute that holds it, and its unit (Caliper); may be repeated
    #[arg(long = "metric", value_name = "NAME=ATTRIBUTE[:UNIT]", help_heading = "Table")]
    pub metric: Vec<String>,
    /// Roles of columns, which the table then says itself: processes, parameter, metric, metric:UNIT, label, .., ignore
    #[arg(long, value_name = "COL=ROLE,..", value_delimiter = ',', value_parser = tables::role, help_heading = "Table")]
    pub roles: Vec<RoleOption>,
    /// List the formats that can be read
    #[arg(long = "list-formats", id = "format list", hide_short_help = true)]
    pub list_formats: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
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
    let mut contents = Vec::with_capacity(args.files.len());
    for file in &args.files {
        contents.push((tables::name_of(file), context.read(file)?));
    }
    let table = Table::read_many(&contents, &options)?;
    let roles = match args.roles.as_slice() {
        [] => declared_or_found(&table),
        asked => roles_of(&table, &TableOptions { roles: asked.to_vec(), ..TableOptions::default() })?,
    };
    if !roles.read_as.columns.is_empty() {
        context.read_as = Some(roles.read_as.clone());
    }
    let mut bytes = written(&table, args.out.path())?;
    if !args.roles.is_empty() && !is_jsonl(args.out.path()) {
        bytes.splice(0..0, format!("# roles: {}\n", declaration(&table, &roles)).into_bytes());
    }
    let fit_options = needed_options(&table, &roles, &bytes, args.out.path());
    let name = |index: &usize| table.columns[*index].name.as_str();
    let document = Document {
        kind: "import",
        version: 1,
        warnings: &table.warnings,
        files: contents
            .iter()
            .enumerate()
            .map(|(index, (file, bytes))| FileEntry {
                file: file.clone(),
                format: format_of(bytes, &options),
                rows: table.origins.iter().filter(|origin| origin.file as usize == index).count(),
            })
            .collect(),
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
            output = output.with_file(Some(path), bytes);
        }
        // The table is the result; under --json the document is, and no table is printed.
        path => {
            let file = OutFile { to: Destination::Stdout, content: Content::Bytes(bytes) };
            match path {
                Some(_) => output.files.push(file),
                None => output.human = text_of(file.content),
            }
        }
    }
    Ok(output)
}

fn text_of(content: Content) -> String {
    match content {
        Content::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Content::Document => String::new(),
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
fn format_of(bytes: &[u8], options: &ReadOptions) -> String {
    if let Some(format) = &options.format {
        return format.clone();
    }
    let text = String::from_utf8_lossy(bytes);
    let probe = Probe::new(text.trim_start_matches('\u{feff}'));
    recognize(&probe).map_or_else(|_| String::new(), |format| format.name.to_owned())
}

/// CSV, or JSON Lines where the file's name asks for it.
fn written(table: &Table, path: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let result = if is_jsonl(path) { table.write_jsonl(&mut bytes) } else { table.write_csv(&mut bytes) };
    result.map_err(|error| Failure::writing(path.unwrap_or("the table".as_ref()), &error))?;
    Ok(bytes)
}

fn is_jsonl(path: Option<&Path>) -> bool {
    let extension = path.and_then(Path::extension).and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["jsonl", "ndjson"].contains(&extension.to_ascii_lowercase().as_str()))
}

/// Which column is what, as far as it can be told: a table without a metric can still be written.
fn declared_or_found(table: &Table) -> Roles {
    roles_of(table, &TableOptions::default()).unwrap_or_default()
}

/// The options that `fit` needs to see in the written file what the imported one declared.
fn needed_options(table: &Table, roles: &Roles, bytes: &[u8], path: Option<&Path>) -> Vec<String> {
    let name = path.map_or_else(|| "table".to_owned(), tables::name_of);
    let format = Some(if is_jsonl(path) { "jsonl" } else { "csv" }.to_owned());
    let Ok(again) = Table::read(&name, bytes, &ReadOptions { format, ..ReadOptions::default() }) else {
        return Vec::new();
    };
    let mut asked = TableOptions::default();
    let found = |options: &TableOptions| roles_of(&again, options).unwrap_or_default();
    let metrics = |roles: &Roles| -> Vec<Metric> { roles.metrics.iter().map(|(_, metric)| metric.clone()).collect() };
    let names = |table: &Table, columns: &[usize]| -> Vec<String> {
        columns.iter().map(|&index| table.columns[index].name.clone()).collect()
    };
    let mut options = Vec::new();
    let wanted = metrics(roles);
    if wanted != metrics(&found(&asked)) {
        for metric in wanted {
            let option = format!("{}{}", metric.name, unit_option(&metric));
            options.extend(["--metric".to_owned(), shell_word(&option)]);
            asked.metrics.push(option);
        }
    }
    let parameters = names(table, &roles.parameters);
    if parameters != names(&again, &found(&asked).parameters) && !parameters.is_empty() {
        options.extend(["--params".to_owned(), shell_word(&parameters.join(","))]);
        asked.params = Some(parameters);
    }
    // A label without any text does not come back from CSV, and is not missed.
    let tells = |index: &&usize| match &table.columns[**index].data {
        ColumnData::Text { names, .. } => names.iter().any(|name| !name.is_empty()),
        ColumnData::Number(_) => true,
    };
    let labels: Vec<usize> = roles.by.iter().filter(tells).copied().collect();
    let labels = names(table, &labels);
    if labels != names(&again, &found(&asked).by) {
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

    #[test]
    fn what_fit_needs_is_told() {
        let text = "PARAMETER n\nPOINTS 4 8\nMETRIC work\nDATA 1\nDATA 2\n";
        let table = Table::read("a.txt", text.as_bytes(), &ReadOptions::default()).expect("well formed");
        let bytes = written(&table, None).expect("written");
        let roles = declared_or_found(&table);
        assert_eq!(needed_options(&table, &roles, &bytes, None), ["--metric", "work"]);
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_word("a,b"), "a,b");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
