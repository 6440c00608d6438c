//! Any bytes, and random programs.

use crate::support::{Place, good};
use proptest::prelude::*;
use runcast_call::translate::{Input, Language, translate};
use std::fmt::Write as _;

fn translate_any(bytes: Vec<u8>) {
    for language in [Language::C, Language::Cpp] {
        let input = Input::new("x.c", bytes.clone(), language);
        let done = translate(std::slice::from_ref(&input), &mut |_, _| Some("../h".to_owned()));
        assert_eq!(done.files.len(), 1);
        for problem in &done.problems {
            assert!(problem.line.is_some() && problem.column.is_some());
        }
        let has_includes =
            bytes.windows(7).any(|part| part == b"nclude " || part == b"include") || bytes.contains(&b'\\');
        if done.files[0].header.is_none() && !has_includes {
            assert_eq!(done.files[0].text, bytes);
        }
        let lines = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count();
        if done.files[0].header.is_some() && done.files[0].parallel.is_none() {
            assert_eq!(lines(&done.files[0].text), lines(&bytes) + 2);
        }
    }
}

const SOUP: &[&str] = &[
    "#pragma cll F F[0]\n",
    "#pragma cll end F\n",
    "#pragma cll G G[0]*n open\n",
    "#pragma cll end G\n",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    "?",
    ",",
    "=",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "goto",
    "return",
    "x",
    "int",
    "struct",
    "\n",
    " ",
    "\\\n",
    "\\",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "#if X\n",
    "#else\n",
    "#endif\n",
    "#if 0\n",
    "#elif 0\n",
    "_Pragma(\"cll F\")",
    "_Pragma(",
    "R\"(",
    ")\"",
    "::",
    "->",
    "try",
    "catch",
    "namespace",
    "class",
    "template",
    "<",
    ">",
    "1'0",
    "\u{feff}",
    "#",
    "%:",
    "<%",
    "%>",
    "return",
    "extern",
    "\"C\"",
    "#pragma omp parallel for\n",
    "#define x ",
    "#pragma cll report all\n",
    "#pragma parallel MPI\n",
    "[&](",
    "operator",
    "#include \"h\"\n",
    "\r\n",
    "\u{0}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        translate_any(bytes);
    }

    #[test]
    fn any_tokens_are_answered(parts in proptest::collection::vec(proptest::sample::select(SOUP), 0..60)) {
        translate_any(parts.concat().into_bytes());
    }

    #[test]
    fn tokens_of_a_function_are_answered(parts in proptest::collection::vec(proptest::sample::select(SOUP), 0..60)) {
        translate_any(format!("void f(void) {{\n{}\n}}\n", parts.concat()).into_bytes());
    }
}

#[test]
fn hostile_sources_end_soon() {
    for part in [
        "(",
        "{",
        "[",
        "#if X\n",
        "#if 0\n",
        "#elif 0\n",
        "if (x) ",
        "else ",
        "do ",
        "R\"x(",
        "/*",
        "'",
        "\"",
        "\\\n",
        "case ",
        "? ",
        "#pragma cll F F[0]\n",
        "#pragma cll end F\n",
        "x: ",
        "goto x; ",
        "int x; ",
        "struct s { ",
        "<",
        "[](",
        "#error '\\'\n",
        "'\\",
        "_Pragma(\"cll F F[0]\") ",
        "_Pragma(\"",
        "#pragma cll F F[0] + (",
        "catch ",
        "try ",
        "template<",
        "a<",
        "{\n#pragma cll F F[0]\nint i;\n#pragma cll end F\n i; } ",
        "#if X\n#endif\n",
    ] {
        let times = 300_000 / part.len();
        let source = format!("void f(void) {{\n#pragma cll A A[0]\n{}\n}}", part.repeat(times));
        let started = std::time::Instant::now();
        translate_any(source.into_bytes());
        assert!(started.elapsed().as_secs() < 60, "{part:?}: {:?}", started.elapsed());
    }
}

/// A random program: what it prints tells its way, and how often it enters each region is counted beside.
struct Writer {
    random: u64,
    text: String,
    regions: usize,
}

impl Writer {
    fn next(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % bound
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    /// One statement; `single`: no region of several may stand here.
    fn statement(&mut self, depth: u32) {
        let kind = if depth == 0 { self.next(2) } else { self.next(9) };
        match kind {
            0 => self.line("step(1);"),
            1 => self.line("x = (x * 5 + 3) % 97;"),
            2 => {
                self.line("if (x % 3 == 0)");
                self.one(depth - 1);
                self.line("else");
                self.one(depth - 1);
            }
            3 => {
                let name = format!("i{}", self.text.len());
                self.line(&format!("for (int {name} = 0; {name} < 3; {name}++)"));
                self.one(depth - 1);
            }
            4 => {
                self.line("{");
                self.several(depth - 1);
                self.line("}");
            }
            5 => {
                self.line("switch (x % 4) { case 0: step(7); break; case 1:");
                self.several(depth - 1);
                self.line("break; default: step(8); }");
            }
            6 => {
                let name = format!("k{}", self.text.len());
                self.line(&format!("{{ int {name} = 0; do"));
                self.one(depth - 1);
                self.line(&format!("while (++{name} < 2); }}"));
            }
            7 => self.line("if (x % 7 == 6) { step(9); return x; }"),
            _ => {
                self.line("if (x % 2) {");
                self.several(depth - 1);
                self.line("}");
            }
        }
    }

    /// A statement, or a region of one statement that counts its visits.
    fn one(&mut self, depth: u32) {
        if self.next(2) == 0 {
            return self.statement(depth);
        }
        let number = self.regions;
        self.regions += 1;
        self.line(&format!("#pragma cll R{number} R{number}[0] + R{number}[1]*x exits(ok)"));
        self.line(&format!("{{ count[{number}]++;"));
        self.statement(depth);
        self.line("}");
        self.line(&format!("#pragma cll end R{number}"));
    }

    fn several(&mut self, depth: u32) {
        for _ in 0..=self.next(3) {
            if self.next(3) > 0 {
                self.one(depth);
                continue;
            }
            let number = self.regions;
            self.regions += 1;
            self.line(&format!("#pragma cll R{number} R{number}[0]"));
            self.line(&format!("count[{number}]++;"));
            self.one(depth);
            self.one(depth);
            self.line(&format!("#pragma cll end R{number}"));
        }
    }
}

#[test]
fn random_programs_do_the_same_and_count_their_visits() {
    for seed in 0..8 {
        let mut writer = Writer { random: seed * 7919 + 1, text: String::new(), regions: 0 };
        for _ in 0..4 {
            writer.several(4);
        }
        let (body, regions) = (writer.text, writer.regions);
        let source = format!(
            "#include <stdio.h>\nstatic int count[{}];\nstatic void step(int n) {{ printf(\"%d \", n); }}\n\
             static int run(int x) {{\n{body}return x;\n}}\n\
             int main(void) {{\nfor (int n = 0; n < 20; n++) printf(\"= %d\\n\", run(n));\n\
             for (int i = 0; i < {regions}; i++) printf(\"R%d %d\\n\", i, count[i]);\nreturn 0; }}\n",
            regions.max(1)
        );
        assert_eq!(good("random.c", &source).files[0].experiments.len(), regions);
        let place = Place::new();
        let output = place.translate("random.c", &source);
        let compiler = if seed % 2 == 0 { "gcc" } else { "clang" };
        place.compiled(compiler, &["random.c"], &["-Wno-unknown-pragmas", "-Wno-dangling-else"], "before");
        place.compiled(compiler, &[&output], &[], "after");
        let (before, after) = (place.run("before"), place.run("after"));
        assert_eq!(before, after, "seed {seed}\n{source}");
        let (rows, _) = place.trace();
        let mut visits = std::collections::BTreeMap::new();
        for row in &rows {
            *visits.entry(row["region"].clone()).or_insert(0u64) += row["visits"].parse::<u64>().expect("a number");
        }
        for line in before.out.lines().filter(|line| line.starts_with('R')) {
            let (name, count) = line.split_once(' ').expect("a name and a number");
            let seen = visits.get(name).copied().unwrap_or(0);
            assert_eq!(seen, count.parse::<u64>().expect("a number"), "seed {seed}, {name}");
        }
    }
}
