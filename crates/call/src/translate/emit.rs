//! The output: the source with its pragmas replaced, and the header with its tables.

use super::Experiment as Told;
use super::clause::{At, Clause, Exits, Mode, Parallel};
use super::experiment::Experiment;
use super::parallel;
use super::source::Source;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

/// A part of the source and its replacement.
struct Edit {
    place: Range<usize>,
    text: String,
}

/// What a translation begins with: it ends with a `#line` that makes the next line the first one of the source.
pub struct Opening(Option<String>);

impl Opening {
    /// That of a translation beside its source; without pragmas, none.
    pub fn of(source: &Source<'_>) -> Self {
        Opening(source.has_pragmas().then(|| {
            format!("#include {}\n#line 1 {}\n", quoted(&source.input.header_name()), quoted(&source.input.name))
        }))
    }

    /// That of a translation whose compiler is given another file: all messages have the user's name for it.
    pub fn hidden(name: &[u8], tables: Option<&str>) -> Self {
        let line = format!("#line 1 {}\n", quoted_bytes(name));
        Opening(Some(match tables {
            Some(tables) => format!("{line}#include {}\n{line}", quoted(tables)),
            None => line,
        }))
    }
}

/// The name of an included file in the translation, given what stands between its quotes or brackets and whether they
/// are quotes; none if it does not change.
pub type Renaming<'a> = dyn FnMut(&str, bool) -> Option<String> + 'a;

/// The translated source; without pragmas of ours and new names, the source.
pub fn text(
    source: &Source<'_>,
    experiments: &[Experiment],
    opening: &Opening,
    renaming: &mut Renaming<'_>,
) -> Vec<u8> {
    let original = &source.input.text;
    let mut edits = if source.has_pragmas() { pragmas(source, experiments) } else { Vec::new() };
    for (places, quotes) in [(&source.scanned.includes, true), (&source.scanned.bracketed, false)] {
        for place in places {
            let name = original.get(place.start + 1..place.end - 1).unwrap_or_default();
            if let Ok(name) = std::str::from_utf8(name)
                && let Some(name) = renaming(name, quotes)
            {
                edits.push(Edit { place: place.clone(), text: format!("\"{name}\"") });
            }
        }
    }
    edits.sort_by_key(|edit| (edit.place.start, edit.place.end));
    let mut text = Vec::with_capacity(original.len() + 200 + 100 * edits.len());
    let mut at = 0;
    if let Opening(Some(opening)) = opening {
        let mark = b"\xEF\xBB\xBF";
        if original.starts_with(mark) {
            text.extend_from_slice(mark);
            at = mark.len();
        }
        text.write_str(opening);
    }
    for edit in edits {
        if edit.place.start < at {
            continue;
        }
        text.extend_from_slice(&original[at..edit.place.start]);
        text.extend_from_slice(edit.text.as_bytes());
        // As many lines as before, so that those behind keep their numbers.
        let replaced = &original[edit.place.clone()];
        let crlf = replaced.windows(2).any(|pair| pair == b"\r\n");
        for _ in replaced.iter().filter(|&&byte| byte == b'\n') {
            text.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        }
        at = edit.place.end;
    }
    text.extend_from_slice(&original[at..]);
    let adapter = parallel::adapter(source);
    if !adapter.is_empty() {
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend_from_slice(&adapter);
    }
    text
}

/// Writing to bytes.
trait WriteStr {
    fn write_str(&mut self, text: &str);
}

impl WriteStr for Vec<u8> {
    fn write_str(&mut self, text: &str) {
        self.extend_from_slice(text.as_bytes());
    }
}

fn pragmas(source: &Source<'_>, experiments: &[Experiment]) -> Vec<Edit> {
    let place = |number: usize| source.pragma(number).start..source.pragma(number).end;
    let mut edits = Vec::new();
    let mut guards = HashSet::new();
    let mut returns: BTreeMap<usize, Return> = BTreeMap::new();
    for experiment in experiments {
        let table = table_name(source, &experiment.told);
        for (site, values) in experiment.sites.iter().zip(&experiment.values) {
            let (begin, end) = (site.begin, site.end);
            let open = source.begin(begin).is_some_and(|clause| clause.options.open);
            let guard = guard(source.line(begin), &mut guards);
            let (first, mut last) = region(&guard, &table, values, experiment.at, open);
            for found in site.returns.iter().filter(|_| !open) {
                let Some(mark) = mark(&guard, values, experiment.at, found.directly) else { continue };
                let known = returns.entry(found.start).or_default();
                known.marks.push(mark);
                known.ends.insert(found.end);
            }
            edits.push(Edit { place: place(begin), text: first });
            if site.leaves && !open {
                // Unreachable; otherwise gcc would warn that control falls through to what follows.
                last = "}".to_owned();
            }
            edits.push(Edit { place: place(end), text: last });
        }
    }
    for (start, found) in returns {
        edits.push(Edit { place: start..start, text: format!("{{ {} ", found.marks.concat()) });
        edits.extend(found.ends.into_iter().map(|end| Edit { place: end..end, text: " }".to_owned() }));
    }
    for &number in &source.nested.statements {
        if let Some(clause) = &source.clauses[number] {
            edits.push(Edit { place: place(number), text: statement(clause) });
        }
    }
    for &number in &source.nested.outside {
        let text = match &source.clauses[number] {
            // Only a constructor can set it before main begins.
            Some(Clause::Parallel { kind: Parallel::Omp, .. }) => {
                let name = format!("cll_{}_parallel_{}", word_of(source.input.stem()), source.line(number));
                format!("static void __attribute__((constructor)) {name}(void) {{ cll_parallel(CLL_OMP, 0.0); }}")
            }
            _ => String::new(),
        };
        edits.push(Edit { place: place(number), text });
    }
    edits
}

/// A `return` that is the last statement of regions.
#[derive(Default)]
struct Return {
    /// One for each of them, from the inside out.
    marks: Vec<String>,
    ends: BTreeSet<usize>,
}

/// The code before a `return` that ends the region with it. Names that are read at the end are read before the return
/// value is calculated; inside further braces they might be different variables.
fn mark(guard: &str, values: &[String], at: At, directly: bool) -> Option<String> {
    match at {
        At::Begin => Some(format!("CLL_LAST({guard});")),
        At::End if directly => Some(format!("CLL_LAST_AT_END({guard}, {});", values_of(values))),
        At::End => None,
    }
}

/// The code that begins and ends a region.
fn region(guard: &str, table: &str, values: &[String], at: At, open: bool) -> (String, String) {
    let is_simple = values.iter().all(|value| is_simple(value));
    let values = values_of(values);
    let at_begin = if at == At::Begin { values.as_str() } else { "0, 0.0" };
    match (open, at) {
        (false, At::Begin) => {
            let region = if is_simple { "CLL_REGION" } else { "CLL_REGION_IF_WANTED" };
            (format!("{{ {region}({guard}, {table}, {at_begin});"), format!("CLL_OVER({guard}); }}"))
        }
        (false, At::End) => {
            (format!("{{ CLL_REGION({guard}, {table}, {at_begin});"), format!("CLL_DONE_AT_END({guard}, {values}); }}"))
        }
        (true, At::Begin) => (format!("CLL_BEGIN({table}, {at_begin});"), format!("CLL_END({table});")),
        (true, At::End) => (format!("CLL_BEGIN({table}, {at_begin});"), format!("CLL_END_AT_END({table}, {values});")),
    }
}

/// Whether a value costs next to nothing and can be taken in a visit that is not recorded: no call, no division.
fn is_simple(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.+-*>[] ".contains(&byte))
}

fn values_of(values: &[String]) -> String {
    if values.is_empty() {
        return "0, 0.0".to_owned();
    }
    let mut text = values.len().to_string();
    for value in values {
        let _ = write!(text, ", (double)({value})");
    }
    text
}

/// A name for a guard that no other region of the source has.
fn guard(line: u64, taken: &mut HashSet<String>) -> String {
    let mut guard = format!("cll_g{line}");
    let mut more = 1;
    while !taken.insert(guard.clone()) {
        more += 1;
        guard = format!("cll_g{line}_{more}");
    }
    guard
}

/// A pragma that becomes a statement.
fn statement(clause: &Clause) -> String {
    match clause {
        Clause::On => "cll_on();".to_owned(),
        Clause::Off => "cll_off();".to_owned(),
        Clause::Report { names, file } => {
            let names = if names.is_empty() { "0".to_owned() } else { quoted(&names.join(",")) };
            format!("cll_report({names}, {});", file.as_deref().unwrap_or("0"))
        }
        Clause::Parallel { kind: Parallel::Seq, .. } => "cll_parallel(CLL_SEQ, 1.0);".to_owned(),
        Clause::Parallel { kind: Parallel::Omp, expression } => {
            let threads = expression.as_ref().map_or("0.0".to_owned(), |threads| format!("(double)({threads})"));
            format!("cll_parallel(CLL_OMP, {threads});")
        }
        Clause::Parallel { kind, expression } => {
            let name = if *kind == Parallel::Mpi { "CLL_MPI" } else { "CLL_PUB" };
            let Some(expression) = expression else { return format!("cll_parallel({name}, 0.0);") };
            let call = if *kind == Parallel::Mpi { "" } else { "bsp_comm" };
            format!(
                "{{ cll_parallel({name}, 0.0); {{ MPI_Comm cll_c = {call}({expression}); \
                 cll_use_comm(&cll_c, sizeof cll_c); }} }}"
            )
        }
        Clause::Begin(_) | Clause::End { .. } => String::new(),
    }
}

/// The header: a table for each experiment, behind the lines that bring in the run-time library.
pub fn header(source: &Source<'_>, experiments: &[Experiment], library: &str) -> String {
    let guard = match &source.input.shared {
        Some(path) => format!("CLL_{:016X}_H", fnv(path.as_bytes())),
        None => format!("CLL_{}_CLL_H", word_of(source.input.stem()).to_uppercase()),
    };
    let mut text = format!(
        "/* Experiments of {}, made by runcast cll. */\n#ifndef {guard}\n#define {guard}\n\n{library}",
        source.input.name.replace("*/", "* /").replace(['\n', '\r'], " ")
    );
    let hash = format!("{:016x}", fnv(&source.input.text));
    let is_shared = source.input.shared.is_some();
    for experiment in experiments {
        let told = &experiment.told;
        let line = told.sites.first().map_or(0, |site| site.begin_line);
        let _ = write!(
            text,
            "\n{}({}, {}, {},\n    {}, {line}, {}, {},\n    {}, {}, {}, {}, {});\n",
            if is_shared { "CLL_SHARED_EXPERIMENT" } else { "CLL_TABLE" },
            table_name(source, told),
            quoted(&told.name),
            quoted(told.formula.as_deref().unwrap_or_default()),
            quoted(&source.input.name),
            quoted(&told.names.join(",")),
            told.names.len(),
            quoted(&experiment.seg.join(";")),
            quoted(&experiment.metric.join(",")),
            flags(experiment),
            experiment.every,
            quoted(&hash),
        );
    }
    if !is_shared && !experiments.is_empty() {
        let function = format!("cll_{}_known_", word_of(source.input.stem()));
        let tables = experiments.iter().map(|experiment| format!("&{}", table_name(source, &experiment.told)));
        let _ = write!(text, "\nCLL_KNOWN({function},\n    {});\n", tables.collect::<Vec<_>>().join(",\n    "));
    }
    let _ = write!(text, "\n#endif\n");
    text
}

fn flags(experiment: &Experiment) -> String {
    let mut flags: Vec<&str> = Vec::new();
    if experiment.at == At::End {
        flags.push("CLL_AT_END");
    }
    if experiment.exits == Exits::Ok {
        flags.push("CLL_EXITS_OK");
    }
    match experiment.mode {
        Mode::Auto => {}
        Mode::Trace => flags.push("CLL_MODE_TRACE"),
        Mode::Aggregate => flags.push("CLL_MODE_AGGREGATE"),
    }
    if flags.is_empty() { "0".to_owned() } else { flags.join(" | ") }
}

/// In a file that is included, a name that no other experiment of the program has.
fn table_name(source: &Source<'_>, told: &Told) -> String {
    match &source.input.shared {
        None => format!("cll_{}_{}", word_of(source.input.stem()), told.name),
        Some(path) => {
            let line = told.sites.first().map_or(0, |site| site.begin_line);
            format!("cll_{:016x}", fnv(format!("{path}\n{}\n{line}", told.name).as_bytes()))
        }
    }
}

/// A name of C from any text.
fn word_of(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// A string of C.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The same of bytes, which need not be UTF-8.
fn quoted_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => quoted(text),
        Err(_) => {
            let escaped = bytes.iter().fold(String::new(), |mut text, byte| {
                let _ = write!(text, "\\{byte:03o}");
                text
            });
            format!("\"{escaped}\"")
        }
    }
}

/// FNV-1a, 64 bits: distinguishes versions of a source.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
