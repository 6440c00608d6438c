//! The keys: one list for files and for the command line.

use crate::cost::costs::MOST_ELEMENTS;

/// A key of a file of costs, which is an option as well.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name; the option has `-` for `_`.
    pub name: &'static str,
    /// Placeholder of its value in a usage line.
    pub metavar: &'static str,
    /// One-line description.
    pub help: &'static str,
    /// Another name of the option, if any.
    pub alias: Option<&'static str>,
    /// Whether the option may be repeated, each time adding to the previous values.
    pub repeatable: bool,
    pub(super) kind: Kind,
    /// Its position in a file: table and key; the empty name is the top level.
    pub(super) homes: &'static [(&'static str, &'static str)],
}

/// Kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Share,
    Whole,
    /// A formula or a number.
    Formula,
    /// A table of formulas and numbers.
    Parameters,
    /// A time, certain or not.
    Time,
}

impl Kind {
    /// Allowed values.
    pub(super) fn allowed(self) -> String {
        match self {
            Kind::Word => "a name".to_owned(),
            Kind::Share => "0 < level < 1, such as 0.9".to_owned(),
            Kind::Whole => format!("a whole number from 1 to {MOST_ELEMENTS}"),
            Kind::Formula => "a number of 0 or more, or a formula".to_owned(),
            Kind::Parameters => "NAME=NUMBER,.. such as N=2000".to_owned(),
            Kind::Time => "a time of 0 or more, such as 15us".to_owned(),
        }
    }
}

/// Every key, in the order of the documentation.
pub const KEYS: [Key; 21] = [
    key("algorithm", "NAME", "jacobi, cimmino, gravity, counts or times", Kind::Word, &[("", "algorithm")]),
    // Not `level`: that option is the level of the answer.
    key("input_level", "L", "Level of the intervals of the inputs [default: 0.9]", Kind::Share, &[("", "level")]),
    key(
        "size",
        "N",
        "Size of jacobi, cimmino, gravity; several show how the boundary grows: 1000,2000",
        Kind::Whole,
        &[("", "size")],
    ),
    key("inequalities", "M", "Inequalities of cimmino [default: 2 N + 2]", Kind::Whole, &[("", "inequalities")]),
    Key {
        repeatable: true,
        ..key(
            "parameters",
            "NAME=V,..",
            "Names for the formulas of counts: numbers or formulas",
            Kind::Parameters,
            &[("", "parameters")],
        )
    },
    Key {
        alias: Some("count_list_length"),
        ..key(
            "list_length",
            "L",
            "Length of the list; a formula with counts",
            Kind::Formula,
            &[("counts", "list_length"), ("times", "list_length")],
        )
    },
    key("count_send", "FORMULA", "Numbers of 8 bytes sent to each worker", Kind::Formula, &[("counts", "send")]),
    key("count_map", "FORMULA", "Operations of the map over the list", Kind::Formula, &[("counts", "map")]),
    key("count_fold", "FORMULA", "Operations of one fold", Kind::Formula, &[("counts", "fold")]),
    key("count_receive", "FORMULA", "Numbers of 8 bytes from each worker", Kind::Formula, &[("counts", "receive")]),
    key("count_compute", "FORMULA", "Operations of the master's part", Kind::Formula, &[("counts", "compute")]),
    key("latency", "TIME", "Latency of a message", Kind::Time, &[("machine", "latency"), ("times", "latency")]),
    key(
        "overhead",
        "TIME",
        "The part of it that keeps the master busy [default: all]",
        Kind::Time,
        &[("machine", "overhead"), ("times", "overhead")],
    ),
    key("op_time", "TIME", "An average operation", Kind::Time, &[("machine", "op_time")]),
    key("transfer_time", "TIME", "Transfer of one 8-byte number", Kind::Time, &[("machine", "transfer_time")]),
    key("send", "TIME", "Transfer to one worker, without latency", Kind::Time, &[("times", "send")]),
    key("receive", "TIME", "Transfer from one worker, without latency", Kind::Time, &[("times", "receive")]),
    key("map", "TIME", "The map over the whole list, without folds", Kind::Time, &[("times", "map")]),
    key("work", "TIME", "Map and fold over the whole list, together", Kind::Time, &[("times", "work")]),
    key("fold", "TIME", "One fold; 0 for an algorithm that only maps", Kind::Time, &[("times", "fold")]),
    key("compute", "TIME", "Next approximation and stop condition", Kind::Time, &[("times", "compute")]),
];

const fn key(
    name: &'static str,
    metavar: &'static str,
    help: &'static str,
    kind: Kind,
    homes: &'static [(&'static str, &'static str)],
) -> Key {
    Key { name, metavar, help, alias: None, repeatable: false, kind, homes }
}

impl Key {
    /// The name of the option, without `--`.
    pub fn option(&self) -> String {
        self.name.replace('_', "-")
    }

    /// The key with this name or alias, written with `-` or `_`.
    pub(super) fn find(name: &str) -> Option<&'static Key> {
        let name = name.strip_prefix("--").unwrap_or(name).replace('-', "_");
        KEYS.iter().find(|key| key.name == name || key.alias == Some(&name))
    }

    /// The key at this position of a file.
    pub(super) fn at(table: &str, name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.homes.contains(&(table, name)))
    }
}
