//! Formulas for observed numbers: the first of a list of rules that holds everywhere.

use std::fmt::Write;

/// Where a number was observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    pub me: f64,
    pub procs: f64,
    pub it: f64,
    pub depth: f64,
    /// Arguments of the task, in the order of their names.
    pub args: Vec<f64>,
}

/// A formula that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub text: String,
    /// Another one that holds too, and differs elsewhere.
    pub other: Option<String>,
}

/// Formulas by which numbers, destinations and conditions are tried.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'n> {
    pub names: &'n [String],
}

type Number = fn(&Scope, f64) -> f64;
type Condition = (&'static str, fn(&Scope) -> bool);
/// A formula that may hold, as a text and as a function.
type Rule = (String, Box<dyn Fn(&Scope) -> f64>);
/// An argument of a part, from that of the machine, the number of groups, and that of processes.
pub type Argument = (&'static str, fn(f64, f64, f64) -> f64);

/// Terms in the order in which they are tried; `{n}` is an argument, the second number its value.
const TERMS: [(&str, Number); 12] = [
    ("", |_, _| 1.0),
    ("{n}", |_, n| n),
    ("{n}/procs", |s, n| n / s.procs),
    ("procs", |s, _| s.procs),
    ("{n}/2^it", |s, n| n / s.it.exp2()),
    ("2^it", |s, _| s.it.exp2()),
    ("{n}^2", |_, n| n * n),
    ("{n}^2/procs", |s, n| n * n / s.procs),
    ("{n}*log2(procs)", |s, n| n * s.procs.log2()),
    ("{n}*log2({n})", |_, n| n * n.log2()),
    // What a process of a grid of two or three dimensions has at a side.
    ("{n}/sqrt(procs)", |s, n| n / s.procs.sqrt()),
    ("{n}^2/procs^(2/3)", |s, n| n * n / s.procs.powf(2.0 / 3.0)),
];

/// Also a number of repetitions: from 2 and 4 processes alone, half of them and their logarithm are the same.
const REPETITIONS: (&str, Number) = ("log2(procs)", |s, _| s.procs.log2());

/// Destinations, in the order in which they are tried.
const DESTINATIONS: [(&str, Number); 14] = [
    ("procs - 1", |s, _| s.procs - 1.0),
    ("me + 1", |s, _| s.me + 1.0),
    ("me - 1", |s, _| s.me - 1.0),
    ("me + 2", |s, _| s.me + 2.0),
    ("me - 2", |s, _| s.me - 2.0),
    ("if(me == procs - 1, 0, me + 1)", |s, _| if s.me == s.procs - 1.0 { 0.0 } else { s.me + 1.0 }),
    ("if(me == 0, procs - 1, me - 1)", |s, _| if s.me == 0.0 { s.procs - 1.0 } else { s.me - 1.0 }),
    ("if(me < procs/2, me + procs/2, me - procs/2)", |s, _| {
        if s.me < s.procs / 2.0 { s.me + s.procs / 2.0 } else { s.me - s.procs / 2.0 }
    }),
    ("procs - 1 - me", |s, _| s.procs - 1.0 - s.me),
    ("floor((me - 1)/2)", |s, _| ((s.me - 1.0) / 2.0).floor()),
    ("2*me + 1", |s, _| 2.0 * s.me + 1.0),
    ("2*me + 2", |s, _| 2.0 * s.me + 2.0),
    ("if(floor(me/2^it) == 2*floor(me/2^(it + 1)), me + 2^it, me - 2^it)", |s, _| butterfly(s.me, s.it.exp2())),
    (
        "if(floor(2^(it + 1)*me/procs) == 2*floor(2^it*me/procs), me + procs/2^(it + 1), me - procs/2^(it + 1))",
        |s, _| butterfly(s.me, s.procs / (s.it + 1.0).exp2()),
    ),
];

/// The process whose number differs in the bit of a distance, which is a power of two.
fn butterfly(me: f64, distance: f64) -> f64 {
    if (me / distance).floor() % 2.0 == 0.0 { me + distance } else { me - distance }
}

/// Which processes and repetitions; the first is all of them.
const CONDITIONS: [Condition; 10] = [
    ("", |_| true),
    ("me == 0", |s| s.me == 0.0),
    ("me > 0", |s| s.me > 0.0),
    ("me == procs - 1", |s| s.me == s.procs - 1.0),
    ("me < procs - 1", |s| s.me < s.procs - 1.0),
    ("me < procs/2", |s| s.me < s.procs / 2.0),
    ("me >= procs/2", |s| s.me >= s.procs / 2.0),
    ("it == 0", |s| s.it == 0.0),
    ("2*me + 1 < procs", |s| 2.0 * s.me + 1.0 < s.procs),
    ("2*me + 2 < procs", |s| 2.0 * s.me + 2.0 < s.procs),
];

/// What machines have in common that others of their task have not.
const MACHINES: [Condition; 6] = [
    ("procs > 1", |s| s.procs > 1.0),
    ("procs == 1", |s| s.procs == 1.0),
    ("depth == 0", |s| s.depth == 0.0),
    ("depth > 0", |s| s.depth > 0.0),
    ("procs > 2", |s| s.procs > 2.0),
    ("procs == 2", |s| s.procs == 2.0),
];

/// Arguments of a part, from those of the machine.
pub const ARGUMENTS: [Argument; 6] = [
    ("{n}", |n, _, _| n),
    ("{n}/2", |n, _, _| n / 2.0),
    ("{n}/groups", |n, groups, _| n / groups),
    ("{n} - 1", |n, _, _| n - 1.0),
    ("{n}/procs", |n, _, procs| n / procs),
    ("{n}*{n}", |n, _, _| n * n),
];

impl Rules<'_> {
    /// A number: c times a term, c rational with a denominator up to 16. `tolerance`: relative.
    pub fn number(self, observed: &[(Scope, f64)], tolerance: f64) -> Option<Found> {
        self.multiple(&TERMS, observed, tolerance)
    }

    /// How often a superstep is repeated.
    pub fn repetitions(self, observed: &[(Scope, f64)]) -> Option<Found> {
        self.multiple(&[&TERMS[..], &[REPETITIONS]].concat(), observed, 1e-9)
    }

    fn multiple(self, terms: &[(&'static str, Number)], observed: &[(Scope, f64)], tolerance: f64) -> Option<Found> {
        let mut found: Vec<Rule> = Vec::new();
        for &(text, term) in terms {
            let arguments = if text.contains("{n}") { self.names.len() } else { 1 };
            for argument in 0..arguments {
                let value = move |s: &Scope| term(s, s.args.get(argument).copied().unwrap_or(1.0));
                let Some(factor) = factor(observed, &value, tolerance) else { continue };
                let name = self.names.get(argument).map_or("", String::as_str);
                let c = factor.0 as f64 / factor.1 as f64;
                found.push((times(factor, &text.replace("{n}", name)), Box::new(move |s| c * value(s))));
            }
        }
        first(found, observed)
    }

    /// Where messages go.
    pub fn destination(self, observed: &[(Scope, f64)]) -> Option<Found> {
        let mut found: Vec<Rule> = Vec::new();
        let to = observed.first()?.1;
        if observed.iter().all(|(_, other)| *other == to) {
            found.push((format!("{to}"), Box::new(move |_| to)));
        }
        for (text, rule) in DESTINATIONS {
            if observed.iter().all(|(scope, to)| rule(scope, 1.0) == *to) {
                found.push((text.to_owned(), Box::new(move |s| rule(s, 1.0))));
            }
        }
        first(found, observed)
    }
}

/// The condition that holds in some scopes and not in others; an empty text where it always does.
pub fn condition(there: &[&Scope], absent: &[&Scope]) -> Option<&'static str> {
    matching(&CONDITIONS, there, absent)
}

/// The same for machines as a whole.
pub fn machine_condition(there: &[&Scope], absent: &[&Scope]) -> Option<&'static str> {
    if absent.is_empty() { Some("") } else { matching(&MACHINES, there, absent) }
}

fn matching(conditions: &[Condition], there: &[&Scope], absent: &[&Scope]) -> Option<&'static str> {
    let separates = |holds: &fn(&Scope) -> bool| there.iter().all(|s| holds(s)) && !absent.iter().any(|s| holds(s));
    conditions.iter().find(|(_, holds)| separates(holds)).map(|(text, _)| *text)
}

/// The first rule, and the first of the others that is something else on machines of other sizes.
fn first(found: Vec<Rule>, observed: &[(Scope, f64)]) -> Option<Found> {
    let mut rest = found.into_iter();
    let (text, rule) = rest.next()?;
    let scopes = elsewhere(observed);
    let differs = |other: &dyn Fn(&Scope) -> f64| {
        scopes.iter().any(|s| {
            let (a, b) = (rule(s), other(s));
            (a - b).abs() > 1e-9 * a.abs().max(b.abs())
        })
    };
    let other = rest.find(|(_, other)| differs(other)).map(|(text, _)| text);
    Some(Found { text, other })
}

/// Machines of 2 to 1,024 processes with the arguments that were observed.
fn elsewhere(observed: &[(Scope, f64)]) -> Vec<Scope> {
    let Some((like, _)) = observed.first() else { return Vec::new() };
    // What processes do that are alone follows from nothing else.
    if observed.iter().all(|(scope, _)| scope.procs == 1.0) {
        return observed.iter().map(|(scope, _)| scope.clone()).collect();
    }
    let mut scopes = Vec::new();
    for power in 1..=10 {
        let procs = f64::from(1 << power);
        for me in [0.0, 1.0, procs - 1.0] {
            scopes.push(Scope { me, procs, ..like.clone() });
        }
    }
    scopes
}

/// c in c times a term, where it is the same everywhere.
fn factor(observed: &[(Scope, f64)], term: &dyn Fn(&Scope) -> f64, tolerance: f64) -> Option<(i64, i64)> {
    let ratio = observed.iter().map(|(scope, value)| (term(scope), *value)).find(|(term, _)| *term != 0.0);
    let (unit, value) = ratio.unwrap_or((1.0, 0.0));
    let c = value / unit;
    let near = |denominator: &i64| {
        let whole = (c * *denominator as f64).round();
        (whole.abs() < 1e15 && (whole / *denominator as f64 - c).abs() <= tolerance.max(1e-12) * c.abs())
            .then_some((whole as i64, *denominator))
    };
    let factor = (1..=16).find_map(|denominator| near(&denominator))?;
    let c = factor.0 as f64 / factor.1 as f64;
    let holds = |(scope, value): &(Scope, f64)| (c * term(scope) - value).abs() <= tolerance * value.abs() + 1e-300;
    observed.iter().all(holds).then_some(factor)
}

fn times((up, down): (i64, i64), term: &str) -> String {
    let mut text = String::new();
    let _ = match (up, term) {
        (_, "") => write!(text, "{up}"),
        (1, term) => write!(text, "{term}"),
        (up, term) => write!(text, "{up}*{term}"),
    };
    if down > 1 {
        let _ = write!(text, "/{down}");
    }
    text
}
