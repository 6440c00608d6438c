//! The table of runs as configurations: rows of the same parameters, reduced to one number.

use super::{CalibrateArgs, StatArg};
use crate::context::Context;
use crate::failure::Failure;
use runcast_core::roles::{TableOptions, roles_of, rows_where};
use runcast_core::{Problem, Problems, Table, statistics};
use runcast_sim::calibrate::Observed;
use runcast_sim::experiment::Value;

/// Configurations beyond this are too many to simulate again and again.
const MOST: usize = 100_000;

/// A configuration with what was measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Configuration {
    pub parameters: Vec<(String, Value)>,
    pub is_held_out: bool,
    /// The value of a column `set`, where there is one.
    pub set: Option<String>,
    pub real: f64,
    /// Mean and standard deviation of its runs, and how many there were.
    pub observed: Observed,
}

/// All configurations, in the order of the table; `texts` are the parameters of the script whose values are texts.
pub(super) fn configurations(
    args: &CalibrateArgs,
    table: &Table,
    texts: &[&str],
    context: &mut Context,
) -> Result<Vec<Configuration>, Failure> {
    let name = args.metric.name();
    let options =
        TableOptions { metrics: vec![name.to_owned()], params: args.params.clone(), ..TableOptions::default() };
    let roles = roles_of(table, &options)?;
    context.read_as = Some(roles.read_as.clone());
    let metric = table.column(name).and_then(|column| column.as_numbers());
    let Some(metric) = metric else {
        return Err(Problem::new("no_metric", format!("there is no column {name} of numbers")).at("--metric").into());
    };
    let kept = rows_where(table, &args.filters, "--where")?;
    let trains = match &args.train {
        Some(filter) => rows_where(table, std::slice::from_ref(filter), "--train")?,
        None => vec![true; table.rows()],
    };
    let is_done = |row: usize| match roles.status {
        Some(status) => matches!(table.columns[status].cell(row).as_str(), "" | "ok"),
        None => true,
    };
    let set = table.column("set");
    let mut found: Vec<(Configuration, Vec<f64>)> = Vec::new();
    for row in (0..table.rows()).filter(|&row| kept[row] && is_done(row)) {
        if metric[row].is_nan() {
            continue;
        }
        let parameters: Vec<(String, Value)> = parameters(table, &roles.parameters, (&roles.by, texts), row);
        let is_held_out = !trains[row];
        let same =
            |(one, _): &&mut (Configuration, Vec<f64>)| one.parameters == parameters && one.is_held_out == is_held_out;
        if let Some((_, values)) = found.iter_mut().rev().find(same) {
            values.push(metric[row]);
            continue;
        }
        if found.len() == MOST {
            return Err(Problem::new("too_many_rows", "there are too many configurations")
                .at("--table")
                .allowed(format!("{MOST} at most"))
                .hint("choose some: --where EXPR")
                .into());
        }
        let set = set.map(|column| column.cell(row)).filter(|text| !text.is_empty());
        found.push((
            Configuration {
                parameters,
                is_held_out,
                set,
                real: 0.0,
                observed: Observed { mean: 0.0, sd: 0.0, runs: 0 },
            },
            vec![metric[row]],
        ));
    }
    if !found.iter().any(|(one, _)| !one.is_held_out) {
        let option = if args.train.is_some() { "--train" } else { "--table" };
        return Err(Problems::from(Problem::new("no_rows", "no row is left to calibrate on").at(option)).into());
    }
    let whole = |(one, values): (Configuration, Vec<f64>)| {
        let sd = statistics::sample_variance(&values).map_or(0.0, f64::sqrt);
        let observed = Observed { mean: statistics::mean(&values), sd, runs: values.len() };
        Configuration { real: reduced(&values, args.stat), observed, ..one }
    };
    Ok(found.into_iter().map(whole).collect())
}

/// Parameters of numbers, and labels that say what varies: `hardware.cpu`, `fidelity`, a parameter of texts.
fn parameters(
    table: &Table,
    numbers: &[usize],
    (labels, texts): (&[usize], &[&str]),
    row: usize,
) -> Vec<(String, Value)> {
    let number = |&index: &usize| {
        let column = &table.columns[index];
        let value = column.as_numbers().map(|numbers| numbers[row]).filter(|value| !value.is_nan())?;
        Some((column.name.clone(), Value::Number(value)))
    };
    let label = |&index: &usize| {
        let column = &table.columns[index];
        let varies = column.name == "fidelity"
            || texts.contains(&column.name.as_str())
            || ["hardware.", "use.", "map.", "place.", "share."].iter().any(|prefix| column.name.starts_with(prefix));
        let cell = column.cell(row);
        (varies && !cell.is_empty()).then(|| (column.name.clone(), Value::Text(cell)))
    };
    numbers.iter().filter_map(number).chain(labels.iter().filter_map(label)).collect()
}

fn reduced(values: &[f64], stat: StatArg) -> f64 {
    match stat {
        StatArg::Mean => statistics::mean(values),
        StatArg::Median => statistics::median(values),
        StatArg::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::table::ReadOptions;

    #[test]
    fn columns_of_text_that_the_script_asks_for_are_parameters() {
        let text = "set,class,p,time_s\ntrain,W,4,1.0\n";
        let table = Table::read("runs.csv", text.as_bytes(), &ReadOptions::default()).expect("reads");
        let of = |texts: &[&str]| parameters(&table, &[2], (&[0, 1], texts), 0);
        let p = ("p".to_owned(), Value::Number(4.0));
        assert_eq!(of(&[]), std::slice::from_ref(&p));
        assert_eq!(of(&["class"]), [p, ("class".to_owned(), Value::Text("W".to_owned()))]);
    }
}
