//! Annotated C and C++ into programs that record variables and times.
//!
//! A scanner of tokens, no parser of C: it needs no headers and no compiler. Its parts, in the order of the work:
//!
//! | part | does |
//! |---|---|
//! | `scan` | bytes to tokens: comments, strings, splices, directives, pragmas |
//! | `clause` | the contents of a pragma: formulas, options |
//! | `nest` | where regions begin and end among brackets and statements, and whether that is allowed |
//! | `experiment` | regions of one name as one experiment, over all sources |
//! | `emit` | the source with its pragmas replaced, and the tables of its experiments |
//!
//! Every line keeps its number: the replacement of a pragma has as many lines as the pragma.
//!
//! ```
//! use runcast_call::translate::{Input, Language, translate};
//!
//! let source = "void f(int n) {\n#pragma cll F F[0] + F[1]*n\n  work(n);\n#pragma cll end F\n}\n";
//! let input = Input::new("f.c", source.as_bytes().to_vec(), Language::C);
//! let done = translate(&[input], &mut |_, _| None);
//! assert!(done.problems.is_empty());
//! assert_eq!(done.files[0].experiments[0].names, ["n"]);
//! assert!(done.files[0].text.starts_with(b"#include \"f.cll.h\"\n#line 1 \"f.c\"\nvoid f(int n) {\n{ CLL_REGION("));
//! ```

mod clause;
mod emit;
mod experiment;
mod fault;
mod nest;
mod parallel;
mod refused;
pub(crate) mod scan;
mod shadow;
mod source;

use runcast_core::{Problem, Warning};
use serde::Serialize;

pub use emit::fnv;
pub use shadow::{Place, Shadow, shadow};
pub use source::own_includes;

/// The languages that are translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// C, from C99 on.
    C,
    /// C++, from C++11 on.
    Cpp,
}

impl Language {
    /// The language by the end of a file's name: `.cpp .cc .cxx .c++ .C .hpp .hh .hxx .H .ipp .tpp .cu` are C++.
    pub fn of_name(name: &str) -> Self {
        if CPP.contains(&extension(name)) { Language::Cpp } else { Language::C }
    }
}

/// Extensions of C++.
const CPP: [&str; 20] = [
    "cpp", "cc", "cxx", "c++", "cp", "C", "CPP", "hpp", "hh", "hxx", "h++", "H", "ipp", "tpp", "txx", "tcc", "inl",
    "cu", "cuh", "cppm",
];
/// Those of C, and of parts of sources in either language.
const C: [&str; 6] = ["c", "h", "i", "ii", "inc", "def"];

/// A source to translate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its name as the user gave it, which compilers will print in their messages.
    pub name: String,
    /// What is in it; any bytes.
    pub text: Vec<u8>,
    pub language: Language,
    /// Of a file that is included: the path that tells it from all others. Each of its experiments has one table in a
    /// program, however many sources include it.
    pub shared: Option<String>,
}

impl Input {
    /// A source of this name.
    pub fn new(name: impl Into<String>, text: Vec<u8>, language: Language) -> Self {
        let mut input = Input { name: name.into(), text, language, shared: None };
        input.shared = input.is_header().then(|| input.name.clone());
        input
    }

    /// Whether it holds a pragma of ours.
    pub fn is_annotated(&self) -> bool {
        has_pragma(self)
    }

    /// Whether it is a header by its name.
    pub fn is_header(&self) -> bool {
        matches!(extension(&self.name), "h" | "hpp" | "hh" | "hxx" | "h++" | "H" | "ipp" | "tpp" | "inl")
    }

    /// Why this source cannot be translated: neither its name nor a pragma identifies it as C or C++.
    ///
    /// A file without an extension is accepted if it looks like a source; so is any file with `language_is_given`.
    pub fn not_source(&self, language_is_given: bool) -> Option<Problem> {
        let extension = extension(&self.name);
        if CPP.contains(&extension) || C.contains(&extension) || has_pragma(self) {
            return None;
        }
        let decides = language_is_given || extension.is_empty() || self.name == "<stdin>";
        let message = match decides {
            true if self.text.trim_ascii().is_empty() || looks_like_source(&self.text) => return None,
            true => "it contains no C or C++: no pragma, no directive, no brace".to_owned(),
            false => format!("it is not a source of C or C++ by its extension \"{extension}\", and has no cll pragma"),
        };
        let hint = match decides {
            true => "give C or C++ sources",
            false => "give C or C++ sources; --lang c and --lang cpp accept other extensions",
        };
        Some(Problem::new("not-source", message).in_file(&self.name).at_line(1).at_column(1).hint(hint))
    }

    /// The last part of its name without its extension: `fft` of `src/fft.c`.
    pub fn stem(&self) -> &str {
        let file = file_name(&self.name);
        let stem = match file.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem,
            _ => file,
        };
        // <stdin>
        stem.trim_matches(['<', '>'])
    }

    /// The name of its translation: `fft.cll.c` of `src/fft.c`.
    pub fn output_name(&self) -> String {
        let otherwise = if self.language == Language::C { "c" } else { "cpp" };
        let extension = Some(extension(&self.name)).filter(|extension| !extension.is_empty()).unwrap_or(otherwise);
        format!("{}.cll.{extension}", self.stem())
    }

    /// The name of the header with its experiments: `fft.cll.h`; of a header `fft.h`, which becomes `fft.cll.h` itself,
    /// `fft.h.cll.h`.
    pub fn header_name(&self) -> String {
        if self.is_header() { format!("{}.cll.h", file_name(&self.name)) } else { format!("{}.cll.h", self.stem()) }
    }
}

fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

fn extension(name: &str) -> &str {
    let file = file_name(name);
    file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, extension)| extension)
}

/// The translated sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Translation {
    /// One for each source, in their order.
    pub files: Vec<File>,
    /// Problems, by file, line and column; if there is one, nothing should be written.
    pub problems: Vec<Problem>,
}

/// A translated source.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// How the program is parallel: `MPI`, `PUB`, `OMP`, `SEQ`, as a pragma states.
    pub parallel: Option<&'static str>,
    /// Its experiments, in the order of their first regions.
    pub experiments: Vec<Experiment>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// The translated source; the source itself, byte for byte, if it has no pragma of ours.
    pub text: Vec<u8>,
    /// The header with the tables of the experiments; none without pragmas.
    pub header: Option<String>,
}

/// Regions of one name in one source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Experiment {
    pub name: String,
    /// The formula; none if only times are recorded.
    pub formula: Option<String>,
    /// How many constants the formula has.
    pub constants: usize,
    pub names: Vec<String>,
    pub sites: Vec<Site>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Site {
    /// The line of its first pragma.
    pub begin_line: u64,
    /// The line of its last pragma.
    pub end_line: u64,
}

/// The name in the translation of a file included by quotes, given the source and the name between the quotes; none if
/// it does not change.
pub type Renaming<'a> = dyn FnMut(usize, &str) -> Option<String> + 'a;

/// Translates sources that belong together: an experiment has the same formula in all of them.
pub fn translate(inputs: &[Input], renaming: &mut Renaming<'_>) -> Translation {
    let mut sources: Vec<source::Source<'_>> = inputs.iter().map(source::Source::read).collect();
    let formulas = experiment::Formulas::of(&mut sources);
    let mut done = Translation::default();
    for (index, source) in sources.iter_mut().enumerate() {
        let experiments = experiment::of_source(source, &formulas);
        done.files.push(File {
            parallel: source.parallel().map(clause::Parallel::name),
            text: emit::text(source, &experiments, &emit::Opening::of(source), &mut |name, quoted| {
                if quoted { renaming(index, name) } else { None }
            }),
            header: source.has_pragmas().then(|| emit::header(source, &experiments, "#include \"cll.h\"\n")),
            experiments: experiments.into_iter().map(|experiment| experiment.told).collect(),
            warnings: source.warnings(),
        });
        done.problems.extend(source.problems());
    }
    done
}

fn has_pragma(input: &Input) -> bool {
    let known = |word: &[u8]| input.text.windows(word.len()).any(|part| part == word);
    u32::try_from(input.text.len()).is_ok()
        && (known(b"pragma") || known(b"_Pragma"))
        && !scan::scan(&input.text, input.language == Language::Cpp).pragmas.is_empty()
}

/// Whether there is a brace, a directive, or a line that ends in a semicolon.
fn looks_like_source(text: &[u8]) -> bool {
    const DIRECTIVES: [&[u8]; 8] = [b"include", b"define", b"undef", b"if", b"pragma", b"line", b"error", b"import"];
    text.split(|&byte| byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        let directive = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        line.contains(&b'{')
            || line.ends_with(b";")
            || directive.is_some_and(|rest| DIRECTIVES.iter().any(|word| rest.starts_with(word)))
    })
}

/// Whether a source is the translation of another one.
pub fn is_translated(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    line.starts_with(b"#include \"") && line.trim_ascii_end().ends_with(b".cll.h\"")
}
