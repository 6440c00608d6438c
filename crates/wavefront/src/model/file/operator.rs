//! `[operator]`: the matrix of the iteration, or the polynomial, and who owns which row.

use super::sources::Sources;
use crate::model::file::refused;
use crate::model::operator::polynomial::{Choice, MOST_VARIABLES, Polynomial, Signs};
use crate::model::operator::radius::Gap;
use crate::model::operator::{Operator, Rate, matrix};
use runcast_core::problem::shorten;
use runcast_core::toml::{Place, Reader, Table, out_of_range};
use runcast_core::{Problem, Table as Rows};

const KEYS: [&str; 5] = ["matrix", "polynomial", "pieces", "owner", "rate"];
/// A bracket of rho that is wider is reported.
const SHARP: f64 = 1e-12;

pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    names: &[&str],
    sources: &mut Sources<'_>,
) -> Option<(Operator, Option<Polynomial>)> {
    reader.allow(table, &KEYS, "[operator]");
    let rate = match reader.choice(table, "rate", &["auto", "first_moment", "lyapunov"]) {
        Some(1) => Rate::FirstMoment,
        Some(2) => Rate::Lyapunov,
        _ => Rate::Auto,
    };
    let before = reader.problem_count();
    let pieces = pieces(reader, table, names.len());
    if table.has("pieces") && table.has("owner") {
        reader.wrong(&table.place, Problem::new("conflict", "pieces and owner are both given").allowed("one of them"));
    }
    if reader.problem_count() > before {
        return None;
    }
    let rows_known = pieces.as_ref().map(|pieces| pieces.iter().sum());
    match (table.has("matrix"), table.has("polynomial")) {
        (true, false) => {
            let (file, place) = reader.text(table, "matrix", "the name of a file")?;
            let found = sources.text(&file).and_then(|text| matrix::read(&text, &file, rows_known));
            let rows = reader.found(&place, found)?;
            let owner = owner(reader, table, pieces, rows.len(), names, sources)?;
            let (operator, gap) = Operator::new(rows, owner, rate);
            tell(reader, &place, gap, "the matrix");
            let rho = operator.rho();
            reader
                .notes
                .push(format!("rho of the matrix is {rho:.15}, known to {:.0e}", gap.width().max(f64::EPSILON)));
            Some((operator, None))
        }
        (false, true) => {
            let polynomial = polynomial(reader, table)?;
            let owner = owner(reader, table, pieces, polynomial.solution.len(), names, sources)?;
            let (operator, gap) = polynomial.operator(owner, rate);
            tell(reader, &table.place, gap, "the bound of the polynomial");
            reader.notes.push(described(&polynomial, &operator));
            Some((operator, Some(polynomial)))
        }
        (both, _) => {
            let (code, message) = match both {
                true => ("conflict", "matrix and polynomial are both given"),
                false => ("missing", "neither matrix nor polynomial is given"),
            };
            refused(
                reader,
                &table.place,
                Problem::new(code, message).allowed("matrix = \"m.mtx\", or polynomial = { .. }"),
            )
        }
    }
}

/// Notes about rho.
fn tell(reader: &mut Reader<'_>, place: &Place, gap: Gap, of: &str) {
    if gap.middle() <= 0.0 {
        let message = format!(
            "rho of {of} is {:.12}, not below 1: convergence is not assured under every schedule, and there are no rates",
            1.0 - gap.middle()
        );
        reader.warn(place, "no_contraction", message);
    } else if gap.middle() >= 1.0 {
        let message = format!("rho of {of} is 0: the iteration ends after finitely many steps, and has no rate");
        reader.warn(place, "nilpotent", message);
    }
    if gap.width() > SHARP {
        let message =
            format!("rho of {of} is only known to lie between {:.15} and {:.15}", 1.0 - gap.high, 1.0 - gap.low);
        reader.warn(place, "wide_bracket", message);
    }
}

fn described(polynomial: &Polynomial, operator: &Operator) -> String {
    let Choice { variables, seed, signs, step_size, quartic, half_width } = polynomial.choice;
    let signs = if signs == Signs::Mixed { "mixed" } else { "negative" };
    format!(
        "polynomial: variables = {variables}, seed = {seed}, signs = \"{signs}\", s = {step_size}, g = {quartic}, \
         q = {half_width}; rho on the box {:.9}, in the limit q -> 0 {:.9}",
        operator.rho(),
        1.0 - polynomial.limit_gap().middle()
    )
}

fn polynomial(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Polynomial> {
    let wanted = "a table such as { variables = 30, seed = 1 }";
    let inner = reader.table(table.get("polynomial")?, table.at("polynomial"), wanted)?;
    reader.allow(&inner, &["variables", "seed", "signs", "s", "g", "q"], "a polynomial");
    let before = reader.problem_count();
    if !inner.has("variables") {
        reader.missing(&inner, "variables", &format!("a whole number from 3 to {MOST_VARIABLES}"));
    }
    let variables = reader.whole(&inner, "variables", 3, MOST_VARIABLES as u64);
    let seed = reader.whole(&inner, "seed", 0, u64::MAX).unwrap_or(0);
    let mut choice = Choice::new(variables.unwrap_or(3) as usize, seed);
    if let Some(1) = reader.choice(&inner, "signs", &["negative", "mixed"]) {
        choice.signs = Signs::Mixed;
    }
    let positive = |value: f64| value > 0.0 && value <= 1e6;
    choice.step_size = reader.bounded(&inner, "s", "0 < s <= 1", |s| s > 0.0 && s <= 1.0).unwrap_or(choice.step_size);
    choice.quartic =
        reader.bounded(&inner, "g", "0 <= g <= 1e6", |g| (0.0..=1e6).contains(&g)).unwrap_or(choice.quartic);
    choice.half_width = reader.bounded(&inner, "q", "0 < q <= 1e6", positive).unwrap_or(choice.half_width);
    if reader.problem_count() > before {
        return None;
    }
    let polynomial = Polynomial::new(choice);
    if polynomial.steepest() > 1.0 {
        let problem =
            out_of_range("the largest s (Q_ii + 4 g q^2)", &format!("{:.6}", polynomial.steepest()), "at most 1");
        return refused(reader, &inner.place, problem.hint("a smaller s, g or q: s = 0.4, g = 0.1, q = 1 will do"));
    }
    Some(polynomial)
}

/// The rows of each process, in order.
fn pieces(reader: &mut Reader<'_>, table: &Table<'_, '_>, processes: usize) -> Option<Vec<usize>> {
    let node = table.get("pieces")?;
    let pointer = table.at("pieces");
    let nodes = reader.list(node, &pointer, "a list of numbers of rows, one per process")?;
    let pieces = reader.each(nodes, &pointer, |reader, node, pointer| {
        reader.whole_at(node, pointer, "a piece", 1, matrix::MOST_ROWS as u64).map(|rows| rows as usize)
    })?;
    if pieces.len() != processes {
        let place = reader.place(node, &pointer);
        let problem = Problem::new("length", format!("{} pieces for {processes} processes", pieces.len()));
        return refused(reader, &place, problem.allowed(format!("{processes} pieces")));
    }
    Some(pieces)
}

/// The process that owns each row: by pieces, by a file, or in equal pieces.
fn owner(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    pieces: Option<Vec<usize>>,
    rows: usize,
    names: &[&str],
    sources: &mut Sources<'_>,
) -> Option<Vec<usize>> {
    if let Some((file, place)) = reader.text(table, "owner", "the name of a file with the header row,process") {
        let found = sources.table(&file).and_then(|owners| of_file(&owners, rows, names, &file));
        return reader.found(&place, found);
    }
    if table.has("owner") {
        return None;
    }
    let pieces = match pieces {
        Some(pieces) => pieces,
        None => {
            let count = names.len();
            if rows < count {
                let problem = Problem::new("length", format!("{rows} rows for {count} processes"));
                return refused(reader, &table.place, problem.allowed("one or more rows for each process"));
            }
            let pieces: Vec<usize> = (0..count).map(|i| (i + 1) * rows / count - i * rows / count).collect();
            if count > 1 {
                reader.notes.push(format!("no pieces are given: the {rows} rows are shared in equal pieces, in order"));
            }
            pieces
        }
    };
    let sum: usize = pieces.iter().sum();
    if sum != rows {
        let problem = Problem::new("length", format!("the pieces have {sum} rows, the operator has {rows}"));
        let place = Place { pointer: table.at("pieces"), ..table.place.clone() };
        let place = table.get("pieces").map_or(place, |node| reader.place(node, &table.at("pieces")));
        return refused(reader, &place, problem.allowed(format!("pieces that sum to {rows}")));
    }
    Some(pieces.iter().enumerate().flat_map(|(process, rows)| std::iter::repeat_n(process, *rows)).collect())
}

/// From a table `row,process`: rows and processes count from 1, or from 0 where a 0 is among them; a process may be
/// named, too.
fn of_file(owners: &Rows, rows: usize, names: &[&str], file: &str) -> Result<Vec<usize>, Problem> {
    let column = |name: &str| {
        let allowed = "the columns row and process";
        let missing = || Problem::new("missing", format!("{file} has no column {name}")).in_file(file).allowed(allowed);
        owners.column(name).ok_or_else(missing)
    };
    let (row_column, process_column) = (column("row")?, column("process")?);
    let Some(row_numbers) = row_column.as_numbers() else {
        return Err(Problem::new("not_a_number", "the column row is not numeric").in_file(file).at("row"));
    };
    if owners.rows() != rows {
        let problem = Problem::new("length", format!("{file} has {} rows, the operator has {rows}", owners.rows()));
        return Err(problem.in_file(file).allowed(format!("each of the {rows} rows once")));
    }
    let base = if row_numbers.contains(&0.0) { 0.0 } else { 1.0 };
    let process_numbers = process_column.as_numbers();
    let process_base = process_numbers.map_or(0.0, |numbers| if numbers.contains(&0.0) { 0.0 } else { 1.0 });
    let mut found = vec![None; rows];
    for (at, number) in row_numbers.iter().enumerate() {
        let place = number - base;
        if !(place >= 0.0 && place < rows as f64 && place.fract() == 0.0) {
            let problem = out_of_range("row", &number.to_string(), &format!("{base} to {}", rows as f64 - 1.0 + base));
            return Err(owners.problem_at(at, problem.at("row")));
        }
        let name = process_column.cell(at);
        let by_name = names.iter().position(|known| *known == name);
        let by_number = process_numbers.map(|numbers| numbers[at] - process_base);
        let by_number = by_number.filter(|n| *n >= 0.0 && *n < names.len() as f64 && n.fract() == 0.0);
        let Some(process) = by_name.or(by_number.map(|n| n as usize)) else {
            let problem = Problem::new("unknown_name", format!("\"{}\" is not a process", shorten(&name, 60)));
            let allowed = shorten(&names.join(", "), 200);
            return Err(owners.problem_at(at, problem.at("process").value(name).allowed(allowed)));
        };
        if found[place as usize].replace(process).is_some() {
            let problem = Problem::new("duplicate_name", format!("row {number} is owned twice"));
            return Err(owners.problem_at(at, problem.at("row")));
        }
    }
    let owner: Vec<usize> = found.into_iter().flatten().collect();
    let mut is_owner = vec![false; names.len()];
    owner.iter().for_each(|process| is_owner[*process] = true);
    if let Some(idle) = is_owner.iter().position(|is_owner| !is_owner) {
        let problem = Problem::new("empty", format!("{} does not own a row", shorten(names[idle], 60)));
        return Err(problem.in_file(file).allowed("one or more rows for each process"));
    }
    Ok(owner)
}
