//! Arguments of a call: one table, or values; read strictly.

use super::host::Host;
use crate::application::ANY_TAG;
use crate::build::persistent::Persistent;
use crate::build::recorder::{LARGEST, bad_number, rank_outside};
use crate::build::{FittingTag, Partner, Request};
use runcast_core::Problem;
use runcast_formula::nearest;
use runcast_formula::units::{Dimension, parse_quantity};

macro_rules! keys {
    ($($name:ident $text:literal)*) => {
        /// Names of arguments, and of methods.
        #[allow(non_camel_case_types)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Key { $($name),* }

        pub(super) const TEXTS: &[&str] = &[$($text),*];
        const ALL: &[Key] = &[$(Key::$name),*];
    };
}

keys! {
    to "to" from "from" size "size" tag "tag" count "count" tasks "tasks" task_size "task_size"
    result_size "result_size" work "work" master_work "master_work" window "window" schedule "schedule" name "name"
    run "run" on "on" memory "memory" start "start" complexity "complexity" ops "ops" bytes "bytes" kind "type"
    threads "threads" op "op" stack "stack" opt "opt" device "device" time "time" root "root" comm "comm"
    algorithm "algorithm" storage "storage" label "label" periodic "periodic" coords "coords" rank "rank"
    neighbor "neighbor" working_set "working_set" dims "dims" cells "cells" radius "radius" reads "reads"
    writes "writes" element "element" flops "flops" streaming "streaming" stream "stream" is_async "async"
    occupancy "occupancy" counts "counts" neighbors "neighbors" win "win"
    state "state"
}

impl Key {
    pub(super) fn text(self) -> &'static str {
        TEXTS[self as usize]
    }

    pub(super) fn numbered(number: usize) -> Option<Key> {
        ALL.get(number).copied()
    }

    pub(super) fn named(text: &[u8]) -> Option<Key> {
        TEXTS.iter().position(|known| known.as_bytes() == text).map(|index| ALL[index])
    }
}

/// A set of keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys(u128);

impl Keys {
    pub(super) const NONE: Keys = Keys(0);

    pub(super) const fn of(keys: &[Key]) -> Keys {
        let mut bits = 0;
        let mut index = 0;
        while index < keys.len() {
            bits |= 1 << keys[index] as u8;
            index += 1;
        }
        Keys(bits)
    }

    /// Both sets.
    pub(super) const fn and(self, other: Keys) -> Keys {
        Keys(self.0 | other.0)
    }

    #[inline]
    pub(super) fn has(self, key: Key) -> bool {
        self.0 >> (key as u8) & 1 == 1
    }

    fn texts(self) -> impl Iterator<Item = &'static str> {
        ALL.iter().filter(move |key| self.has(**key)).map(|key| key.text())
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Arg<'a> {
    Nil,
    Number(f64),
    Bool(bool),
    Text(&'a [u8]),
    Proc {
        label: u32,
        rank: u64,
    },
    Request(Request),
    Persistent(Persistent),
    /// Counts that were made before.
    Counts(u32),
    Window(u32),
    Comm(u32),
    Cart(u32),
    Message,
    /// A table: its place on the stack.
    Table(i32),
    /// A function: its place on the stack.
    Function(i32),
    /// Something else.
    Other(&'static str),
}

impl Arg<'_> {
    /// What it is, for messages.
    pub(super) fn what(&self) -> String {
        match self {
            Arg::Nil => "nil".to_owned(),
            Arg::Number(number) if number.is_nan() => "not a number".to_owned(),
            Arg::Number(number) => number.to_string(),
            Arg::Bool(value) => value.to_string(),
            Arg::Text(text) => format!("\"{}\"", String::from_utf8_lossy(&text[..text.len().min(60)])),
            Arg::Proc { .. } => "a process".to_owned(),
            Arg::Request(_) | Arg::Persistent(_) => "a request".to_owned(),
            Arg::Comm(_) => "a comm".to_owned(),
            Arg::Counts(_) => "counts".to_owned(),
            Arg::Window(_) => "a window".to_owned(),
            Arg::Cart(_) => "a cart".to_owned(),
            Arg::Message => "a message".to_owned(),
            Arg::Table(_) => "a table".to_owned(),
            Arg::Function(_) => "a function".to_owned(),
            Arg::Other(what) => (*what).to_owned(),
        }
    }
}

/// Maximum number of arguments of a call.
pub(super) const MOST: usize = 20;

/// The arguments of a call.
pub(super) struct Args<'a> {
    /// Values with their keys; those of a call without a table are stored here in order.
    pub(super) keyed: [(Key, Arg<'a>); MOST],
    pub(super) found: usize,
    /// Values without names, with their positions from 1.
    pub(super) list: Vec<(f64, Arg<'a>)>,
    /// Reads tables within the table.
    pub(super) stack: super::raw::Stack,
}

impl<'a> Args<'a> {
    /// No arguments yet.
    #[inline]
    pub(super) fn new(stack: super::raw::Stack) -> Self {
        Args { keyed: [(Key::to, Arg::Nil); MOST], found: 0, list: Vec::new(), stack }
    }

    /// The value of a key; nil if it is not given.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Arg<'a> {
        for (found, arg) in &self.keyed[..self.found] {
            if *found == key {
                return *arg;
            }
        }
        Arg::Nil
    }

    /// Whether a key of a set is given.
    #[inline]
    pub(super) fn has_any(&self, keys: Keys) -> bool {
        self.keyed[..self.found].iter().any(|(key, _)| keys.has(*key))
    }

    /// The unnamed value at a position, counted from 0.
    #[inline]
    pub(super) fn value(&self, index: usize) -> Arg<'a> {
        self.keyed[index].1
    }
}

/// A key that a call does not know.
pub(super) fn unknown_key(text: &str, keys: Keys) -> Problem {
    let shown: String = text.chars().take(60).collect();
    let all: Vec<_> = keys.texts().collect();
    if all.is_empty() {
        return Problem::new("unknown_argument", format!("there is no argument `{shown}`: it takes none")).value(text);
    }
    let problem =
        Problem::new("unknown_argument", format!("there is no argument `{shown}`")).value(text).allowed(all.join(", "));
    match nearest(text, keys.texts()) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem,
    }
}

type Got<T> = Result<T, Problem>;

pub(super) fn wrong(what: &str, arg: Arg<'_>, allowed: &str) -> Problem {
    match arg {
        Arg::Nil => Problem::new("missing_argument", format!("`{what}` is missing")).allowed(allowed),
        _ => Problem::new("wrong_argument", format!("`{what}` is {}", arg.what())).value(arg.what()).allowed(allowed),
    }
}

/// A number, or a text with a unit.
pub(super) fn number(what: &str, arg: Arg<'_>, dimension: Dimension) -> Got<f64> {
    match arg {
        Arg::Number(number) => Ok(number),
        Arg::Text(text) => parse_quantity(&utf8(what, text)?, dimension).map_err(|error| {
            let problem =
                Problem::new("bad_quantity", format!("`{what}`: {error}")).value(String::from_utf8_lossy(text));
            match error.hint() {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        }),
        _ => Err(wrong(what, arg, "a number, or a text such as \"1.6MB\"")),
    }
}

#[inline]
pub(super) fn yes(what: &str, arg: Arg<'_>) -> Got<bool> {
    match arg {
        Arg::Nil => Ok(false),
        Arg::Bool(value) => Ok(value),
        other => Err(wrong(what, other, "true or false")),
    }
}

pub(super) fn number_or(what: &str, arg: Arg<'_>, dimension: Dimension, default: f64) -> Got<f64> {
    match arg {
        Arg::Nil => Ok(default),
        Arg::Number(number) => Ok(number),
        _ => number(what, arg, dimension),
    }
}

/// Bytes: not negative, rounded to whole ones.
#[inline]
pub(super) fn bytes(what: &str, arg: Arg<'_>) -> Got<u64> {
    let bytes = match arg {
        Arg::Number(bytes) => bytes,
        _ => number(what, arg, Dimension::Bytes)?,
    };
    if (0.0..=LARGEST).contains(&bytes) {
        return Ok((bytes + 0.5).floor() as u64);
    }
    Err(bad_number(what, bytes, "bytes from 0 to 2^53"))
}

/// Bytes, or none.
#[inline]
pub(super) fn bytes_or_zero(what: &str, arg: Arg<'_>) -> Got<u64> {
    if arg == Arg::Nil { Ok(0) } else { bytes(what, arg) }
}

/// Whether it is an exactly represented whole number.
#[inline]
fn is_whole(value: f64) -> bool {
    value.abs() <= LARGEST && (value as i64) as f64 == value
}

/// A whole number from 0.
#[inline]
pub(super) fn whole(what: &str, arg: Arg<'_>) -> Got<u64> {
    let Arg::Number(value) = arg else {
        return Err(wrong(what, arg, "a whole number from 0"));
    };
    if is_whole(value) && value >= 0.0 {
        return Ok(value as u64);
    }
    Err(bad_number(what, value, "a whole number from 0 to 2^53"))
}

/// A whole number, negative ones included.
#[inline]
pub(super) fn integer(what: &str, arg: Arg<'_>) -> Got<i64> {
    let Arg::Number(value) = arg else {
        return Err(wrong(what, arg, "a whole number"));
    };
    if is_whole(value) {
        return Ok(value as i64);
    }
    Err(bad_number(what, value, "a whole number"))
}

#[inline]
pub(super) fn text<'a>(what: &str, arg: Arg<'a>) -> Got<&'a str> {
    let Arg::Text(bytes) = arg else {
        return Err(wrong(what, arg, "a text"));
    };
    std::str::from_utf8(bytes).map_err(|_| Problem::new("not_utf8", format!("`{what}` is not valid UTF-8")))
}

#[inline]
pub(super) fn text_or<'a>(what: &str, arg: Arg<'a>, default: &'a str) -> Got<&'a str> {
    if arg == Arg::Nil { Ok(default) } else { text(what, arg) }
}

fn utf8<'a>(what: &str, bytes: &'a [u8]) -> Got<std::borrow::Cow<'a, str>> {
    if bytes.len() > 1_000 {
        return Err(Problem::new("too_long", format!("`{what}` is a text of {} bytes", bytes.len())));
    }
    Ok(String::from_utf8_lossy(bytes))
}

/// Process number of a partner: a rank of the own label, `proc(..)`, or the name of a label with one process.
#[inline]
pub(super) fn process(what: &str, arg: Arg<'_>, host: &Host) -> Got<u64> {
    let recorder = &host.recorder;
    match arg {
        Arg::Number(rank) if is_whole(rank) && rank >= 0.0 => recorder.process(Partner::Rank(rank as u64)),
        Arg::Number(rank) if is_whole(rank) && recorder.own.running => {
            let label = &recorder.app.labels[recorder.own.label as usize].name;
            Err(rank_outside(label, recorder.own.count, &rank.to_string()))
        }
        Arg::Number(rank) => Err(bad_number(what, rank, "a rank: a whole number from 0")),
        Arg::Proc { label, rank } => recorder.process(Partner::Of(&host.names[label as usize], rank)),
        Arg::Text(_) => {
            let label = text(what, arg)?;
            match recorder.count(label)? {
                1 => recorder.process(Partner::Of(label, 0)),
                count => Err(Problem::new(
                    "several_processes",
                    format!("`{what}` is label `{label}`, which has {count} processes"),
                )
                .hint(format!("name one of them: proc(\"{label}\", 0)"))),
            }
        }
        _ => Err(wrong(what, arg, "a rank, or proc(label, rank)")),
    }
}

/// The same, or `any`.
#[inline]
pub(super) fn sender(what: &str, arg: Arg<'_>, host: &Host) -> Got<Option<u64>> {
    match arg {
        Arg::Text(b"any") => Ok(None),
        Arg::Nil => Err(wrong(what, arg, "a rank, proc(label, rank), or \"any\"")),
        _ => process(what, arg, host).map(Some),
    }
}

/// A tag, or `any`.
#[inline]
pub(super) fn fitting_tag(arg: Arg<'_>) -> Got<FittingTag> {
    match arg {
        Arg::Nil => Ok(FittingTag(0)),
        Arg::Text(b"any") => Ok(FittingTag(ANY_TAG)),
        _ => Ok(FittingTag(whole("tag", arg)? as i64)),
    }
}

#[inline]
pub(super) fn tag(arg: Arg<'_>) -> Got<i64> {
    if arg == Arg::Nil { Ok(0) } else { Ok(whole("tag", arg)? as i64) }
}
