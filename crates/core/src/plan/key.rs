//! The keys: one line each, for `plan.toml` and for the command line.

use super::parse;
use super::spec::PlanSpec;
use crate::problem::Problem;

/// A key of `plan.toml`, which is an option as well.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name in the file; the option has `-` for `_`.
    pub name: &'static str,
    /// Placeholder of its value in a usage line.
    pub metavar: &'static str,
    /// One-line description.
    pub help: &'static str,
    /// Whether the option may be repeated, each time adding to the previous values.
    pub repeatable: bool,
    pub(super) kind: Kind,
    pub(super) read: Reader,
}

/// Reads the text of an option; returns the parts of the key that it set (`N/multiple`), none for the whole key.
pub(super) type Reader = fn(&mut PlanSpec, &str) -> Result<Vec<String>, Problem>;

/// What TOML may hold at a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// A string or a number.
    Formula,
    Number,
    /// A number or a string such as "5%".
    Share,
    /// A string, an array of numbers or a number.
    List,
    /// A table of numbers, or a string such as "p=8,N=20000".
    Assignments,
    /// A number or assignments.
    Constant,
    /// A table for each size.
    Sizes,
    /// A table of lists, or a string such as "p=2,4,8; N=1000,2000".
    Grid,
    /// A list, or a grid.
    ListOrGrid,
}

/// Every key, in the order of the documentation.
pub const KEYS: [Key; 19] = [
    key(
        "scaling",
        "weak|strong|wide|grid",
        "What stays constant: work per process, the problem, p, or nothing",
        Kind::Word,
        |spec, text| {
            spec.scaling = Some(parse::scaling(text)?);
            Ok(Vec::new())
        },
    ),
    key(
        "complexity",
        "FORMULA",
        "Sequential complexity over the sizes (and p, if it must)",
        Kind::Formula,
        |spec, text| {
            spec.complexity = Some(parse::formula(text)?);
            Ok(Vec::new())
        },
    ),
    key(
        "constant",
        "W|p=V,SIZE=V,..",
        "Work per process, or a configuration that has it",
        Kind::Constant,
        |spec, text| {
            spec.constant = Some(parse::constant(text)?);
            Ok(Vec::new())
        },
    ),
    key("repetitions", "COUNT", "How many times to run each configuration [default: 1]", Kind::Number, |spec, text| {
        let most = u64::from(u32::MAX);
        spec.repetitions = Some(u32::try_from(parse::count(text, most)?).unwrap_or(u32::MAX));
        Ok(Vec::new())
    }),
    key(
        "processes",
        "LIST",
        "Numbers of processes: 4,8,16, range:14..210:14, squares, powers:2, ..",
        Kind::List,
        |spec, text| {
            spec.processes = Some(parse::list(text)?);
            Ok(Vec::new())
        },
    ),
    repeatable(key(
        "grid",
        "NAME=LIST;..",
        "All combinations of these: 'p=2,4,8,16; N=1000,2000,4000'",
        Kind::Grid,
        |spec, text| parse::grid(&mut spec.grid, text),
    )),
    key("min_p", "P", "The smallest number of processes", Kind::Number, |spec, text| {
        spec.min_p = Some(parse::number(text)?);
        Ok(Vec::new())
    }),
    key("max_p", "P", "The largest number of processes", Kind::Number, |spec, text| {
        spec.max_p = Some(parse::number(text)?);
        Ok(Vec::new())
    }),
    key(
        "count",
        "COUNT",
        "How many of the allowed ones to take, evenly spread, including the first and the last",
        Kind::Number,
        |spec, text| {
            let count = parse::count(text, super::MOST_CONFIGURATIONS as u64)?;
            spec.count = Some(usize::try_from(count).unwrap_or(super::MOST_CONFIGURATIONS));
            Ok(Vec::new())
        },
    ),
    key(
        "targets",
        "LIST",
        "Numbers of processes to predict; of a grid also p=64,N=8000",
        Kind::ListOrGrid,
        parse::targets,
    ),
    key("keep", "FORMULA", "Keep configurations where this holds: '8*N^2/p <= 2e9'", Kind::Formula, |spec, text| {
        spec.keep = Some(parse::formula(text)?);
        Ok(Vec::new())
    }),
    key(
        "round",
        "nearest|down|up",
        "How exact sizes become allowed ones [default: nearest]",
        Kind::Word,
        |spec, text| {
            spec.round = parse::rounding(text)?;
            Ok(Vec::new())
        },
    ),
    repeatable(key(
        "size",
        "NAME[:KEY=V,..]",
        "A size and its allowed values: multiple=, min=, max=, real",
        Kind::Sizes,
        parse::size,
    )),
    repeatable(key("fixed", "NAME=V,..", "Parameters that do not vary", Kind::Assignments, |spec, text| {
        parse::assign(&mut spec.fixed, text)
    })),
    repeatable(key("start", "SIZE=V", "The first size of wide scaling", Kind::Assignments, |spec, text| {
        parse::assign(&mut spec.start, text)
    })),
    key(
        "ratio",
        "R",
        "Growth factor of the work in each step of wide scaling [default: 2]",
        Kind::Number,
        |spec, text| {
            spec.ratio = Some(parse::ratio(text)?);
            Ok(Vec::new())
        },
    ),
    key(
        "max_deviation",
        "SHARE",
        "Drop configurations that deviate more from the constant: 5% or 0.05",
        Kind::Share,
        |spec, text| {
            spec.max_deviation = Some(parse::share(text)?);
            Ok(Vec::new())
        },
    ),
    key(
        "measured",
        "p=V,SIZE=V,..:TIME",
        "A configuration and how long it takes, to price the others: p=4,N=1000:12s",
        Kind::Word,
        |spec, text| {
            spec.measured = Some(parse::measured(text)?);
            Ok(Vec::new())
        },
    ),
    key(
        "budget",
        "H",
        "The most that the training runs may cost, in core-hours; needs what was measured",
        Kind::Number,
        |spec, text| {
            spec.budget_core_hours = Some(parse::core_hours(text)?);
            Ok(Vec::new())
        },
    ),
];

pub(super) const SIZE_KEYS: [&str; 4] = ["multiple", "min", "max", "real"];

const fn key(name: &'static str, metavar: &'static str, help: &'static str, kind: Kind, read: Reader) -> Key {
    Key { name, metavar, help, repeatable: false, kind, read }
}

const fn repeatable(key: Key) -> Key {
    Key { repeatable: true, ..key }
}

impl Key {
    /// The name of the option, without `--`.
    pub fn option(&self) -> String {
        spelled(self.name)
    }

    pub(super) fn find(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.name == name)
    }
}

/// Where a key was given.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub file: Option<String>,
    pub line: u64,
    pub column: u64,
    pub pointer: String,
    /// Whether the value is a quoted text without escapes, so that columns inside it can be located.
    pub is_plain_text: bool,
}

impl Place {
    /// The problem at this position; its column, if any, is relative to the value.
    pub(super) fn locate(&self, problem: Problem) -> Problem {
        let within = problem.column.filter(|_| self.is_plain_text).unwrap_or(0);
        let problem = problem.at(self.pointer.clone());
        match &self.file {
            Some(file) => problem.in_file(file.clone()).at_line(self.line).at_column(self.column + within),
            None => problem,
        }
    }
}

/// `max-p` of `max_p`. `--targets` of other commands names a file.
fn spelled(key: &str) -> String {
    if key == "targets" { "target-processes".to_owned() } else { key.replace('_', "-") }
}

/// `--max-p` of `max_p`, `--size` of `size/N/multiple`.
pub(super) fn option_name(key: &str) -> String {
    format!("--{}", spelled(key.split('/').next().unwrap_or_default()))
}

pub(super) fn set_option(spec: &mut PlanSpec, name: &str, text: &str) -> Result<(), Problem> {
    let normal = name.strip_prefix("--").unwrap_or(name).replace('-', "_");
    let Some(key) = Key::find(&normal) else {
        return Err(unknown("option of a plan", name, KEYS.iter().map(|key| key.name), |key| {
            format!("--{}", key.replace('_', "-"))
        }));
    };
    let place = Place { pointer: option_name(key.name), ..Place::default() };
    assign(spec, key, text, &place).map_err(|problem| problem.at(place.pointer.clone()))
}

/// Reads the text of a key and remembers its position.
pub(super) fn assign(spec: &mut PlanSpec, key: &Key, text: &str, place: &Place) -> Result<(), Problem> {
    let parts = (key.read)(spec, text)?;
    spec.places.entry(key.name.to_owned()).or_default();
    spec.places[key.name] = place.clone();
    for part in parts {
        spec.places.insert(format!("{}/{part}", key.name), place.clone());
    }
    Ok(())
}

/// The problem of an unknown name.
pub(super) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    show: impl Fn(&str) -> String,
) -> Problem {
    let shown = crate::problem::shorten(name, 60);
    let allowed = known.clone().map(&show).collect::<Vec<_>>().join(", ");
    let problem =
        Problem::new("unknown_name", format!("\"{shown}\" is not a {what}")).at(shown).value(name).allowed(allowed);
    match parse::nearest(name, known) {
        Some(near) => problem.hint(format!("did you mean {}?", show(near))),
        None => problem,
    }
}
