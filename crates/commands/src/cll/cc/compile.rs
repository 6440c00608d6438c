//! One call of a compiler, with translations in the place of sources.

use super::place::Shadow;
use super::settings::Settings;
use super::translate::{Translated, closure, translate};
use super::{in_our_place, missing, names, runtime, say, told};
use crate::failure::Failure;
use runcast_bench::plain;
use runcast_call::compiler::{Closure, Line, Stage};
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A call.
pub struct Call<'a> {
    /// As typed.
    pub words: &'a [OsString],
    pub line: &'a Line,
    pub settings: &'a Settings,
}

/// Where the cold part of the run-time library is.
enum Library {
    /// Compiled with each source.
    Whole,
    /// An object, added to each object that is made.
    Added(PathBuf),
    /// An object, linked in the same call.
    Linked(PathBuf),
    /// A header with its text for the assembler.
    Text(PathBuf),
}

/// Larger inputs are for the compiler alone.
const MOST_INPUT: u64 = 1 << 28;

impl Call<'_> {
    /// Makes it.
    ///
    /// # Errors
    /// None at present: what goes wrong is left to the compiler.
    pub fn make(&self) -> Result<u8, Failure> {
        let mut input = None;
        if self.line.sources.iter().any(|source| source.name == "-") {
            let mut bytes = Vec::new();
            let _ = io::stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes);
            input = Some(bytes);
        }
        let closure = closure(self.line, input.as_deref());
        if !closure.nodes.iter().any(|node| node.ours) {
            return self.plainly(input.as_deref());
        }
        let translated = Shadow::open(&self.settings.shadows)
            .and_then(|place| translate(self.line, &closure, &place).map(|translated| (place, translated)));
        let (place, translated) = match translated {
            Ok(done) => done,
            Err(error) => {
                say(&format!(
                    "runcast cll cc: warning: translations cannot be kept, nothing is recorded: {error} [cll]"
                ));
                return self.plainly(input.as_deref());
            }
        };
        told::refusals(&translated, self.settings);
        if self.settings.strict && translated.refused() > 0 {
            self.settings.log(self.line, Some(&translated), Some(1));
            return Ok(1);
        }
        let code = self.compile(&closure, &translated, &place)?;
        self.settings.log(self.line, Some(&translated), Some(code));
        Ok(code)
    }

    /// The original, with the standard input if we have read it.
    fn plainly(&self, input: Option<&[u8]>) -> Result<u8, Failure> {
        self.settings.log(self.line, None, None);
        match input {
            None => in_our_place(self.words),
            Some(input) => Ok(match plain::run(self.words, Some(input)) {
                Ok(status) => plain::exit_code(status),
                Err(error) => missing(self.words, &error),
            }),
        }
    }

    fn compile(&self, closure: &Closure, translated: &Translated, place: &Shadow) -> Result<u8, Failure> {
        let mut library = self.library(translated, place);
        let status = match plain::run(&self.rewritten(translated, place, &library), self.input(translated).as_deref()) {
            Ok(status) => status,
            Err(error) => return Ok(missing(self.words, &error)),
        };
        let objects = names::objects(self.line);
        if let Library::Added(object) = &library {
            let regular = |object: &&PathBuf| std::fs::symlink_metadata(object).is_ok_and(|data| data.is_file());
            let mut objects = objects.iter().filter(regular);
            let linker = runtime::linker(self.line, place);
            if status.success() && !objects.all(|to| runtime::added(self.line, to, object, linker.as_ref())) {
                library = Library::Whole;
                let words = self.rewritten(translated, place, &library);
                if let Err(error) = plain::run(&words, self.input(translated).as_deref()) {
                    return Ok(missing(self.words, &error));
                }
            }
        }
        names::mend_dependencies(self.line, closure, translated, place);
        if status.success() {
            told::keep(self.line, closure, translated, place, &objects, matches!(library, Library::Whole));
        }
        Ok(plain::exit_code(status))
    }

    /// How the cold part of the run-time library gets into what this call makes.
    fn library(&self, translated: &Translated, place: &Shadow) -> Library {
        let library = if translated.communicates() {
            None
        } else if self.line.intermediate || self.line.stage == Stage::Assembly {
            runtime::text(self.line, place).map(Library::Text)
        } else if self.line.stage == Stage::Link {
            runtime::compiled(self.line, place).map(Library::Linked)
        } else {
            runtime::compiled(self.line, place).map(Library::Added)
        };
        library.unwrap_or(Library::Whole)
    }

    /// The translation of the standard input.
    fn input(&self, translated: &Translated) -> Option<Vec<u8>> {
        let at = self.line.sources.iter().position(|source| source.name == "-")?;
        let path = translated.starts.get(at)?.as_ref()?;
        std::fs::read(path).ok()
    }

    fn rewritten(&self, translated: &Translated, place: &Shadow, library: &Library) -> Vec<OsString> {
        let line = self.line;
        let mut words = line.words.clone();
        let sources = line.sources.len();
        for (source, path) in line.sources.iter().zip(&translated.starts) {
            if let Some(path) = path.as_ref().filter(|_| source.name != "-") {
                words[source.at] = path.into();
            }
        }
        for (&at, path) in line.forced.iter().zip(translated.starts.iter().skip(sources)) {
            if let Some(path) = path {
                let joined = words[at].to_string_lossy().starts_with("-include");
                let mut word = OsString::from(if joined { "-include" } else { "" });
                word.push(path);
                words[at] = word;
            }
        }
        let mut added: Vec<OsString> = Vec::new();
        for source in &line.sources {
            let own = Path::new(&source.name).parent().filter(|own| !own.as_os_str().is_empty());
            let folder = own.unwrap_or(Path::new(".")).as_os_str().to_owned();
            if !added.contains(&folder) {
                added.extend([OsString::from("-iquote"), folder]);
            }
            if line.debug {
                let mut map = OsString::from("-fdebug-prefix-map=");
                map.push(place.sources(Some(Path::new(&source.name))));
                map.push("=");
                added.push(map);
            }
        }
        if line.debug {
            let mut map = OsString::from("-fdebug-prefix-map=");
            map.push(place.sources(None));
            map.push("=");
            added.push(map);
        }
        match library {
            Library::Whole => added.push("-DCLL_WHOLE".into()),
            Library::Text(header) => {
                let mut defined = OsString::from("-DCLL_LIBRARY=\"");
                defined.push(header);
                defined.push("\"");
                added.push(defined);
            }
            Library::Added(_) | Library::Linked(_) => {}
        }
        let after = line.compiler + 1;
        words.splice(after..after, added);
        words.extend([OsString::from("-idirafter"), place.include().into()]);
        match library {
            Library::Linked(object) => words.extend(["-x".into(), "none".into(), object.as_os_str().to_owned()]),
            // Beside the text of the assembler in other objects, functions that the linker optimizes would be there twice.
            Library::Whole if line.intermediate => words.push("-fno-lto".into()),
            _ => {}
        }
        words
    }
}
