//! A command line of a compiler.

use super::response;
use crate::translate::Language;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Programs that start the compiler which follows them.
const LAUNCHERS: [&str; 4] = ["ccache", "sccache", "distcc", "icecc"];

/// Compilers by the end of their name, without a version.
const COMPILERS: [&str; 16] = [
    "cc", "c++", "gcc", "g++", "clang", "clang++", "mpicc", "mpicxx", "mpic++", "mpiCC", "mpiicc", "mpiicpc", "icx",
    "icpx", "mpiicx", "mpiicpx",
];

/// Options whose value is the next word, if it is not joined to them.
const WITH_VALUE: [&str; 37] = [
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-L",
    "-l",
    "-MF",
    "-MT",
    "-MQ",
    "-T",
    "-u",
    "-z",
    "-e",
    "-B",
    "-target",
    "--param",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xclang",
    "-mllvm",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "-dumpbase-ext",
    "-specs",
    "-A",
    "-arch",
    "--sysroot",
];

/// How far the compiler goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Link,
    /// `-c`
    Object,
    /// `-S`
    Assembly,
}

/// A source on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its word.
    pub at: usize,
    /// As typed; `-` is the standard input.
    pub name: OsString,
    pub language: Language,
}

/// A command line as far as it concerns sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The words, with those of every `@file` in its place.
    pub words: Vec<OsString>,
    /// The word that is the compiler; launchers are before it.
    pub compiler: usize,
    pub sources: Vec<Source>,
    /// Words with the names of files of `-include`.
    pub forced: Vec<usize>,
    pub stage: Stage,
    /// The value of `-o`.
    pub output: Option<OsString>,
    /// Folders of `-iquote`, `-I`, `-isystem`, `-idirafter`, each in their order.
    pub quote: Vec<PathBuf>,
    pub angle: Vec<PathBuf>,
    pub system: Vec<PathBuf>,
    pub after: Vec<PathBuf>,
    /// Files that `-MF`, or the preprocessor's own `-MD`, name.
    pub dependencies: Vec<PathBuf>,
    /// Whether a dependency file is a by-product.
    pub depends: bool,
    /// Whether there will be debugging information.
    pub debug: bool,
    /// What the object file holds is no code of the machine: link-time optimization, intermediate code.
    pub intermediate: bool,
    /// Words that change what the machine code is: `-m..`, `--target`, `--sysroot`, `-fsanitize..`, `-pthread`.
    pub machine: Vec<OsString>,
    /// Nothing is to be translated, whatever the sources hold.
    passes: bool,
}

impl Line {
    /// Reads the words of a command line; `read` gives the text of a file, for `@file`.
    pub fn read(words: &[OsString], read: &mut dyn FnMut(&Path) -> Option<Vec<u8>>) -> Self {
        let words = response::expanded(words, read);
        let compiler = words.iter().position(|word| !LAUNCHERS.contains(&&*base_name(word))).unwrap_or(0);
        let known = words.get(compiler).is_some_and(|word| is_compiler(&base_name(word)));
        let mut line = Line {
            words,
            compiler,
            sources: Vec::new(),
            forced: Vec::new(),
            stage: Stage::Link,
            output: None,
            quote: Vec::new(),
            angle: Vec::new(),
            system: Vec::new(),
            after: Vec::new(),
            dependencies: Vec::new(),
            depends: false,
            debug: false,
            intermediate: false,
            machine: Vec::new(),
            passes: !known,
        };
        if known {
            line.look();
        }
        line
    }

    /// Whether the words go to the compiler as they are: no source of C or C++, or nothing that is compiled.
    pub fn passes(&self) -> bool {
        self.passes || self.sources.is_empty()
    }

    /// Whether the compiler's language is C++ whatever the names of files are.
    fn is_cpp(&self) -> bool {
        let name = self.words.get(self.compiler).map(|word| base_name(word)).unwrap_or_default();
        let name = kind_of(&name);
        ["++", "cxx", "CC", "icpx", "icpc"].iter().any(|end| name.ends_with(end))
    }

    fn look(&mut self) {
        // Of `-x`: none, a language of ours, or another one.
        let mut forced_language: Option<Option<Language>> = None;
        let mut at = self.compiler + 1;
        while at < self.words.len() {
            let word = self.words[at].clone();
            let text = word.to_string_lossy().into_owned();
            let option = text.starts_with('-') && text != "-";
            if !option {
                self.input(at, &word, forced_language);
            } else if let Some((name, value, next)) = self.valued(at, &text) {
                if name == "-x" {
                    forced_language = match &*value.to_string_lossy() {
                        "none" => None,
                        "c" => Some(Some(Language::C)),
                        "c++" => Some(Some(Language::Cpp)),
                        kind => {
                            self.passes |= kind.ends_with("-header");
                            Some(None)
                        }
                    };
                }
                self.value(name, &value, next - 1);
                if ["-target", "--sysroot", "-isysroot", "-arch"].contains(&name) {
                    self.machine.extend(self.words[at..next].iter().cloned());
                }
                at = next;
                continue;
            } else {
                self.flag(&text, &word);
            }
            at += 1;
        }
    }

    fn input(&mut self, at: usize, word: &OsStr, forced: Option<Option<Language>>) {
        let language = match forced {
            Some(language) => language,
            None => by_extension(word),
        };
        if let Some(language) = language {
            let language = if self.is_cpp() { Language::Cpp } else { language };
            self.sources.push(Source { at, name: word.to_owned(), language });
        }
    }

    /// An option with a value: its name, the value, and the word after both.
    fn valued(&self, at: usize, text: &str) -> Option<(&'static str, OsString, usize)> {
        if let Some(name) = WITH_VALUE.iter().find(|name| **name == text) {
            let value = self.words.get(at + 1).cloned().unwrap_or_default();
            return Some((name, value, (at + 2).min(self.words.len())));
        }
        const JOINED: [&str; 8] = ["-iquote", "-isystem", "-idirafter", "-I", "-MF", "-x", "-o", "-include"];
        let name = JOINED.iter().find(|name| text.starts_with(**name) && text.len() > name.len())?;
        let value = OsStr::from_bytes(&self.words[at].as_bytes()[name.len()..]).to_owned();
        // `-objc..`, `-include-pch`
        let other = text.starts_with("-obj") || text.starts_with("-include-");
        (!other).then_some((name, value, at + 1))
    }

    fn value(&mut self, name: &str, value: &OsStr, at: usize) {
        let path = PathBuf::from(value);
        match name {
            "-o" => self.output = Some(value.to_owned()),
            "-I" => self.angle.push(path),
            "-iquote" => self.quote.push(path),
            "-isystem" => self.system.push(path),
            "-idirafter" => self.after.push(path),
            "-include" => self.forced.push(at),
            "-MF" => self.dependencies.push(path),
            _ => {}
        }
    }

    fn flag(&mut self, text: &str, word: &OsStr) {
        match text {
            "-c" => self.stage = if self.stage == Stage::Link { Stage::Object } else { self.stage },
            "-S" => self.stage = Stage::Assembly,
            "-E" | "-M" | "-MM" | "-###" | "--version" | "-fsyntax-only" => self.passes = true,
            "-MD" | "-MMD" => self.depends = true,
            "-emit-llvm" | "-emit-ast" => self.intermediate = true,
            "-pthread" => self.machine.push(word.to_owned()),
            _ if ["-dump", "-print-", "--print-", "--help", "-fmodules"]
                .iter()
                .any(|begin| text.starts_with(begin)) =>
            {
                self.passes = true;
            }
            _ if text.starts_with("-Wp,") => self.preprocessor(text),
            _ if text == "-g0" => self.debug = false,
            _ if text.starts_with("-g") => self.debug = true,
            _ if text.starts_with("-flto") => self.intermediate = true,
            _ if text == "-fno-lto" => self.intermediate = false,
            _ if ["-m", "--target=", "--sysroot=", "-fsanitize", "-fno-sanitize"]
                .iter()
                .any(|b| text.starts_with(b)) =>
            {
                self.machine.push(word.to_owned());
            }
            _ => {}
        }
    }

    /// `-Wp,-MD,file`
    fn preprocessor(&mut self, text: &str) {
        let parts: Vec<&str> = text.split(',').collect();
        for pair in parts.windows(2) {
            if matches!(pair[0], "-MD" | "-MMD" | "-MF") {
                self.depends = true;
                self.dependencies.push(PathBuf::from(pair[1]));
            }
        }
    }
}

fn base_name(word: &OsStr) -> String {
    Path::new(word).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// `gcc` of `gcc-12`, `mpicc` of `mpicc.openmpi`.
fn kind_of(name: &str) -> &str {
    let name = match name.rsplit_once('-') {
        Some((before, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => before,
        _ => name,
    };
    name.split('.').next().unwrap_or(name)
}

/// Whether a program is a compiler of C or C++ by its name: `gcc`, `x86_64-linux-gnu-g++-12`.
fn is_compiler(name: &str) -> bool {
    let name = kind_of(name);
    COMPILERS.iter().any(|known| name.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('-')))
}

fn by_extension(word: &OsStr) -> Option<Language> {
    match Path::new(word).extension()?.to_str()? {
        "c" => Some(Language::C),
        "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" => Some(Language::Cpp),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
        Line::read(&words, &mut |_| None)
    }

    fn sources(text: &str) -> Vec<String> {
        line(text).sources.iter().map(|source| source.name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn values_of_options_are_no_sources() {
        assert_eq!(sources("gcc -O2 -MF x.c -MT a.c -I b.c -include c.c -Xlinker d.c -c e.c -o f.c"), ["e.c"]);
        assert_eq!(sources("gcc -c a.c b.cpp c.o d.s e.i lib.a"), ["a.c", "b.cpp"]);
        assert_eq!(sources("gcc -x c - -x none b.h"), ["-"]);
        assert_eq!(sources("gcc -xc++ a.h -xnone b.o"), ["a.h"]);
    }

    #[test]
    fn what_does_not_compile_passes() {
        for text in
            ["gcc a.o -o a", "gcc -E a.c", "gcc -M a.c", "ld a.c", "gfortran a.c", "gcc -dumpversion a.c", "gcc -v"]
        {
            assert!(line(text).passes(), "{text}");
        }
        for text in ["gcc -c a.c", "ccache mpicc -c a.c", "/usr/bin/x86_64-linux-gnu-g++-12 a.cc", "clang-19 a.c -o a"]
            .into_iter()
            .chain(["mpicc.openmpi -c a.c", "gcc-4.8 -c a.c"])
        {
            assert!(!line(text).passes(), "{text}");
        }
    }

    #[test]
    fn languages_are_those_of_the_compiler() {
        let language = |text: &str| line(text).sources[0].language;
        assert_eq!(language("gcc a.c"), Language::C);
        assert_eq!(language("g++ a.c"), Language::Cpp);
        assert_eq!(language("mpiCC-4 a.c"), Language::Cpp);
        assert_eq!(language("mpicxx.mpich a.c"), Language::Cpp);
        assert_eq!(language("mpicc.mpich a.c"), Language::C);
        assert_eq!(language("gcc -x c++ a.c"), Language::Cpp);
        assert_eq!(language("gcc a.C"), Language::Cpp);
    }

    #[test]
    fn by_products_are_found() {
        let found = line("gcc -g -MMD -MF d/x.d -Wp,-MD,y.d -m32 --sysroot /s -flto -c a.c -ob.o");
        assert_eq!(found.dependencies, [PathBuf::from("d/x.d"), PathBuf::from("y.d")]);
        assert_eq!(found.output, Some(OsString::from("b.o")));
        assert_eq!(found.machine, ["-m32", "--sysroot", "/s"].map(OsString::from));
        assert!(found.debug && found.depends && found.intermediate);
    }
}
