//! How fast the translator is.

use runcast_call::translate::{Input, Language, translate};
use std::fmt::Write as _;
use std::time::Instant;

/// What was agreed on, in 10^6 bytes per second.
const GOAL_MB_PER_S: f64 = 20.0;
const ROUNDS: usize = 9;
const FUNCTIONS: usize = 20_000;

/// The part of the section.
pub fn section() -> Result<String, String> {
    let mut text = String::from("### Translating\n\n");
    let _ = writeln!(
        text,
        "Generated sources through the translator, the best of {ROUNDS} rounds on one core; the goal is \
         {GOAL_MB_PER_S} MB/s.\n\n| source | MB | regions | MB/s |\n|---|---:|---:|---:|"
    );
    let cases = [
        ("C, no pragma", 0, false, Language::C),
        ("C, a region a function", 1, false, Language::C),
        ("C++, 3 regions a function", 3, false, Language::Cpp),
        ("C++, 3 regions a function, all of them different", 3, true, Language::Cpp),
    ];
    for (what, regions, different, language) in cases {
        let source = source(regions, different);
        let megabytes = source.len() as f64 / 1e6;
        let input = Input::new("big.c", source.into_bytes(), language);
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let started = Instant::now();
            let done = translate(std::slice::from_ref(&input), &mut |_, _| None);
            best = best.min(started.elapsed().as_secs_f64());
            let found: usize = done.files[0].experiments.iter().map(|experiment| experiment.sites.len()).sum();
            if let Some(problem) = done.problems.first() {
                return Err(format!("the generated source is wrong: {problem}"));
            }
            if found != regions * FUNCTIONS {
                return Err(format!("{found} regions were found, and {} are there", regions * FUNCTIONS));
            }
        }
        let _ = writeln!(text, "| {what} | {megabytes:.1} | {} | {:.0} |", regions * FUNCTIONS, megabytes / best);
    }
    Ok(text)
}

/// A source as people write them: comments, strings, control statements, declarations.
/// Regions have the same three formulas everywhere, unless they are `different`.
fn source(regions: usize, different: bool) -> String {
    let mut text = String::from(
        "/* Generated. */\n#include <stdio.h>\n#include <stdlib.h>\n\nstruct node { int rows; double *value; };\n\n",
    );
    for number in 0..FUNCTIONS {
        let _ = write!(
            text,
            "/* What function {number} does: \"quotes\", 'c', and more of it. */\n\
             static double function_{number}(const struct node *node, int count)\n{{\n    double sum = 0.5e-3;\n"
        );
        for region in 0..regions {
            let region = if different { region + regions * number } else { region };
            let _ = write!(
                text,
                "#pragma cll E{region} E{region}[0] + E{region}[1]*count*node->rows + E{region}[2]*log2(count) seg(count)\n\
                 \x20   for (int i = 0; i < count; i++) {{\n        if (node->value[i] > 1.0 && i % 2 == 0)\n\
                 \x20           sum += node->value[i] * (double)i; // a comment\n        else\n            sum -= 1.0;\n    }}\n\
                 #pragma cll end E{region}\n"
            );
        }
        let _ = write!(
            text,
            "    switch (count) {{\n    case 1:\n        printf(\"%d: %g\\n\", count, sum);\n        break;\n    default:\n\
             \x20       sum = sum > 3 ? sum * 2 : (sum - 1) / 3;\n    }}\n#ifdef DEBUG\n    fprintf(stderr, \"%g\\n\", sum);\n\
             #else\n    (void)node;\n#endif\n    return sum;\n}}\n\n"
        );
    }
    text
}
