//! The run-time library as a text for the assembler, in a header.
//!
//! With link-time optimization an object holds the compiler's own form of a program, and no linker can add code of the
//! machine to it. But such objects carry what stands in an `asm` outside of functions. A link puts the texts of several
//! objects into one input of the assembler, so the first of them shuts the others out, and its local labels have names of
//! their own.

use std::fmt::Write;

const BEGIN: &str = "__asm__(\".ifndef cll_library_here_\\n.set cll_library_here_, 1\\n\"\n";
const END: &str = "\".text\\n.endif\\n\");\n";

/// The header for what a compiler has written; none where it may not be mixed with another text.
pub fn header(assembly: &str) -> Option<String> {
    let mut text = String::from(BEGIN);
    for line in assembly.lines().map(str::trim).filter(|line| stays(line)) {
        if line.starts_with(".intel_syntax") {
            return None;
        }
        text.push('"');
        for c in labelled(line).chars() {
            match c {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\t' => text.push(' '),
                c if c.is_control() || !c.is_ascii() => return None,
                c => text.push(c),
            }
        }
        let _ = writeln!(text, "\\n\"");
    }
    text.push_str(END);
    Some(text)
}

/// What is about the file as a whole belongs to the program's own text.
fn stays(line: &str) -> bool {
    const OF_FILE: [&str; 4] = [".file", ".ident", ".addrsig", "#"];
    !line.is_empty() && !OF_FILE.iter().any(|begin| line.starts_with(begin)) && !line.contains(".note.GNU-stack")
}

/// A line with its local labels renamed.
fn labelled(line: &str) -> String {
    const OF_TEXTS: [&str; 2] = [".string", ".asci"];
    let mut rest = line;
    let mut text = String::with_capacity(line.len() + 8);
    if OF_TEXTS.iter().any(|begin| line.starts_with(begin)) {
        return line.to_owned();
    }
    while let Some(at) = rest.find(".L") {
        let (before, label) = rest.split_at(at);
        text.push_str(before);
        let within = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '$');
        text.push_str(if within { ".L" } else { ".Lcll_" });
        rest = &label[2..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_renamed_and_texts_kept() {
        let made =
            header("\t.file\t\"rt.c\"\n.LC0:\n\t.string\t\"a.L1\\n\\\"\"\n\tjmp\t.L2\n\tlea\tx.L3(%rip), %rax\n")
                .unwrap();
        let expected = [
            BEGIN,
            "\".Lcll_C0:\\n\"\n",
            "\".string \\\"a.L1\\\\n\\\\\\\"\\\"\\n\"\n",
            "\"jmp .Lcll_2\\n\"\n",
            "\"lea x.L3(%rip), %rax\\n\"\n",
            END,
        ];
        assert_eq!(made, expected.concat());
    }

    #[test]
    fn another_syntax_is_refused() {
        assert_eq!(header("\t.intel_syntax noprefix\n"), None);
    }
}
