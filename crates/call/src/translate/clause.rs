//! The clauses of our pragmas.
//!
//! ```text
//! clause = parallel | "end" ident | ident [ formula ] { option } | "report" ( "all" | ident { "," ident } ) [ "file" string ]
//!        | "on" | "off"
//! ```

mod options;
mod region;
mod words;

use super::fault::Fault;
use super::scan::Pragma;
pub use options::{At, Exits, Mode};
pub use region::{Experiment, Name};
use runcast_formula::template::Template;
use std::rc::Rc;
use words::{Kind, Word, Words};

/// The clause of a pragma.
#[derive(Debug, Clone)]
pub enum Clause {
    Begin(Rc<Experiment>),
    End { name: String },
    Report { names: Vec<String>, file: Option<String> },
    On,
    Off,
    Parallel { kind: Parallel, expression: Option<String> },
}

/// How a program is parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parallel {
    Pub,
    Mpi,
    Omp,
    Seq,
}

impl Parallel {
    /// Its name in pragmas and documents.
    pub fn name(self) -> &'static str {
        match self {
            Parallel::Pub => "PUB",
            Parallel::Mpi => "MPI",
            Parallel::Omp => "OMP",
            Parallel::Seq => "SEQ",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [Parallel::Pub, Parallel::Mpi, Parallel::Omp, Parallel::Seq].into_iter().find(|kind| kind.name() == name)
    }
}

/// Words that name no experiment.
const RESERVED: [&str; 14] =
    ["end", "report", "parallel", "on", "off", "var", "seg", "metric", "at", "every", "mode", "exits", "open", "all"];

/// Reads a pragma.
///
/// # Errors
/// The error in it; positions are those of the source.
pub fn read(pragma: &Pragma) -> Result<Clause, Fault> {
    let fault = |at: usize, message: String| Fault::new("bad-clause", pragma.origin(at), message);
    if !pragma.is_text {
        return Err(fault(0, "the pragma is not UTF-8".to_owned()).hint("write it in ASCII"));
    }
    if pragma.text.len() > MOST_BYTES {
        let message = format!("{} bytes are too long for a pragma; {MOST_BYTES} are allowed", pragma.text.len());
        return Err(fault(0, message));
    }
    clause(&pragma.text).map_err(|error| error.moved(|at| pragma.origin(at)))
}

const MOST_BYTES: usize = 1 << 20;

const FORMS: &str = "the forms are: cll NAME [formula] {option}, cll end NAME, cll report all, cll on, cll off, \
                     cll parallel MPI";

/// Places are those of the text.
fn clause(text: &str) -> Result<Clause, Fault> {
    let words = Words::of(text)?;
    let mut words = words.reader();
    let bare = words.peek_is("parallel");
    if !bare {
        words.next();
    }
    let Some(first) = words.peek() else {
        return Err(Fault::new("bad-clause", 0, "nothing follows cll").hint(FORMS));
    };
    if first.kind != Kind::Name {
        let message = format!("\"{}\" does not begin a clause", first.text);
        return Err(Fault::new("bad-clause", first.start, message).hint(FORMS));
    }
    match first.text {
        "end" => {
            words.next();
            let name = words.name("the name of a region must follow end, not")?.text.to_owned();
            words.finish()?;
            Ok(Clause::End { name })
        }
        "report" => {
            words.next();
            report(&mut words)
        }
        "on" | "off" => {
            words.next();
            words.finish()?;
            Ok(if first.text == "on" { Clause::On } else { Clause::Off })
        }
        "parallel" => {
            words.next();
            parallel(&mut words, text)
        }
        _ => Ok(Clause::Begin(Rc::new(region::read(&mut words, text)?))),
    }
}

fn report(words: &mut words::Reader<'_, '_>) -> Result<Clause, Fault> {
    let expected = "all or names of experiments must follow report, not";
    let mut names = vec![words.name(expected)?.text.to_owned()];
    while words.take_sign(",") {
        names.push(words.name(expected)?.text.to_owned());
    }
    if names.len() == 1 && names[0] == "all" {
        names.clear();
    }
    let mut file = None;
    if words.peek_is("file") {
        words.next();
        let found = words.next();
        match found {
            Some(Word { kind: Kind::Text, text, .. }) if text.starts_with('"') => file = Some((*text).to_owned()),
            _ => {
                let at = found.map_or(words.end(), |word| word.start);
                return Err(Fault::new("bad-clause", at, "a quoted file name must follow file")
                    .hint("report all file \"x.csv\""));
            }
        }
    }
    words.finish()?;
    Ok(Clause::Report { names, file })
}

fn parallel(words: &mut words::Reader<'_, '_>, text: &str) -> Result<Clause, Fault> {
    let word = words.name("PUB, MPI, OMP or SEQ must follow parallel, not")?;
    let Some(kind) = Parallel::of(word.text) else {
        let message = format!("\"{}\" is not a kind of parallel program", word.text);
        return Err(Fault::new("bad-clause", word.start, message).hint("allowed are PUB, MPI, OMP and SEQ"));
    };
    let expression = words.peek().map(|first| text[first.start..].trim().to_owned());
    match (kind, &expression, words.peek()) {
        (Parallel::Seq, Some(found), Some(first)) => {
            let message = format!("\"{found}\" after SEQ, where nothing is allowed");
            Err(Fault::new("bad-clause", first.start, message).hint("write parallel SEQ"))
        }
        _ => Ok(Clause::Parallel { kind, expression }),
    }
}

/// Reads a formula; its places are moved by `start`.
fn template(name: &str, text: &str, start: usize) -> Result<Template, Fault> {
    Template::parse_of(name, text).map_err(|error| {
        let fault = Fault::new(error.code(), start + error.span().start, error.to_string());
        match error.hint_text() {
            Some(hint) => fault.hint(hint),
            None if error.code() == "bad-index" => {
                fault.hint(format!("constants are {name}[0], {name}[1], .., each once"))
            }
            None => fault.hint(format!("a formula is a sum of terms with one constant each: {name}[0] + {name}[1]*n")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(text: &str) -> Experiment {
        match clause(text) {
            Ok(Clause::Begin(experiment)) => experiment.as_ref().clone(),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn error(text: &str) -> (&'static str, usize) {
        let fault = clause(text).expect_err(text);
        (fault.code, fault.at)
    }

    fn names(text: &str) -> Vec<(String, String)> {
        begin(text).names.iter().map(|name| (name.name.clone(), name.expression.clone())).collect()
    }

    #[test]
    fn a_formula_ends_where_an_option_begins() {
        let experiment = begin("cll F F[0] + F[1]*n*log2(n) var(k = a[3], m->x) seg(n/P, k) every(10) open");
        assert_eq!(experiment.template.as_ref().map(ToString::to_string).as_deref(), Some("F[0] + F[1]*n*log2(n)"));
        assert_eq!(experiment.options.seg, ["n/P", "k"]);
        assert_eq!(experiment.options.every, Some(10));
        assert!(experiment.options.open);
        let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let expected = [both("n", "n"), both("k", "a[3]"), both("m.x", "m->x"), both("P", "P")];
        assert_eq!(names("cll F F[0] + F[1]*n*log2(n) var(k = a[3], m->x) seg(n/P, k)"), expected);
    }

    #[test]
    fn words_of_options_may_be_names_of_a_formula() {
        assert_eq!(
            names("cll F F[0]*mode + F[1]*open*at")[..2],
            names("cll F F[0]*mode + F[1]*open*at var(mode)")[..2]
        );
        assert_eq!(begin("cll F open*F[0]").names[0].name, "open");
        assert!(begin("cll F open").options.open);
        assert!(begin("cll F").template.is_none());
        assert!(begin("cll F var(n)").template.is_none());
    }

    #[test]
    fn wrong_clauses_are_told_with_their_places() {
        for (text, expected) in [
            ("cll", ("bad-clause", 0)),
            ("cll 3", ("bad-clause", 4)),
            ("cll end", ("bad-clause", 7)),
            ("cll end F x", ("bad-clause", 10)),
            ("cll var F[0]", ("bad-clause", 4)),
            ("cll report", ("bad-clause", 10)),
            ("cll report F,", ("bad-clause", 13)),
            ("cll report F file x", ("bad-clause", 18)),
            ("cll on x", ("bad-clause", 7)),
            ("cll parallel XYZ", ("bad-clause", 13)),
            ("cll parallel SEQ 3", ("bad-clause", 17)),
            ("cll F F[0] + F[1]*n sgm(n)", ("bad-clause", 20)),
            ("cll F F[0] G", ("bad-clause", 11)),
            ("cll F F[0] every(0)", ("bad-clause", 17)),
            ("cll F F[0] every(1) every(2)", ("bad-clause", 20)),
            ("cll F F[0] mode(fast)", ("bad-clause", 16)),
            ("cll F F[0] at()", ("bad-clause", 14)),
            ("cll F F[0] var(n/2)", ("bad-clause", 15)),
            ("cll F F[0] var(x = )", ("bad-clause", 15)),
            ("cll F F[0] var(n", ("bad-clause", 14)),
            ("cll F F[0] var(x = i++)", ("side-effect", 20)),
            ("cll F F[0] var(x = (y = 3))", ("side-effect", 22)),
            ("cll F F[0] seg(n +)", ("bad-clause", 18)),
            ("cll F F[0] + n", ("not-canonical", 13)),
            ("cll F F[0] + F[2]*n", ("bad-index", 13)),
            ("cll F G[0]", ("bad-index", 6)),
            ("cll F F[0]*i++", ("side-effect", 12)),
            ("cll F F[0]*cost(n)", ("unknown-function", 11)),
            ("cll F F[0]*\"x\"", ("not-canonical", 11)),
        ] {
            assert_eq!(error(text), expected, "{text}");
        }
    }
}
