//! Pragmas around loops, as a patch.

/// A pragma around lines of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The first and the last line of the loop, from 1.
    pub begin_line: usize,
    pub end_line: usize,
    pub name: String,
    /// What stands behind the name: the formula and options.
    pub clause: String,
}

/// Lines of context of a hunk.
const CONTEXT: usize = 3;

/// Lines that are put in before a line, from 0.
struct Added {
    before: usize,
    line: Vec<u8>,
}

/// The source with its pragmas.
pub fn with_pragmas(source: &[u8], placed: &[Placed]) -> Vec<u8> {
    let lines: Vec<&[u8]> = source.split_inclusive(|byte| *byte == b'\n').collect();
    let mut added = added(&lines, placed).into_iter().peekable();
    let mut text = Vec::with_capacity(source.len() + 100 * placed.len());
    for number in 0..=lines.len() {
        while let Some(next) = added.next_if(|next| next.before == number) {
            if text.last().is_some_and(|byte| *byte != b'\n') {
                text.push(b'\n');
            }
            text.extend(next.line);
        }
        text.extend(lines.get(number).copied().unwrap_or_default());
    }
    text
}

/// A unified diff that puts them in, for `patch -p1`; empty without any.
pub fn patch(name: &str, source: &[u8], placed: &[Placed]) -> Vec<u8> {
    let lines: Vec<&[u8]> = source.split_inclusive(|byte| *byte == b'\n').collect();
    let added = added(&lines, placed);
    let mut text = Vec::new();
    if added.is_empty() {
        return text;
    }
    let path = name.strip_prefix("./").unwrap_or(name).trim_start_matches('/');
    text.extend(format!("--- a/{path}\n+++ b/{path}\n").into_bytes());
    let mut done = 0;
    let mut from = 0;
    while from < added.len() {
        // Additions whose contexts touch make one hunk.
        let mut to = from + 1;
        while to < added.len() && added[to].before <= added[to - 1].before + 2 * CONTEXT {
            to += 1;
        }
        let first = added[from].before.saturating_sub(CONTEXT);
        let last = (added[to - 1].before + CONTEXT).min(lines.len());
        let count = last - first;
        let start = |line: usize, count: usize| if count == 0 { line } else { line + 1 };
        let head = format!(
            "@@ -{},{count} +{},{} @@\n",
            start(first, count),
            start(first + done, count + to - from),
            count + to - from
        );
        text.extend(head.into_bytes());
        let mut next = from;
        for number in first..=last {
            while next < to && added[next].before == number {
                text.push(b'+');
                text.extend(&added[next].line);
                next += 1;
            }
            if let Some(line) = lines.get(number).filter(|_| number < last) {
                text.push(b' ');
                text.extend(*line);
                if !line.ends_with(b"\n") {
                    text.extend(b"\n\\ No newline at end of file\n");
                }
            }
        }
        done += to - from;
        from = to;
    }
    text
}

/// The lines of pragmas, in order.
fn added(lines: &[&[u8]], placed: &[Placed]) -> Vec<Added> {
    let mut added = Vec::new();
    for pragma in placed {
        let Some(first) = pragma.begin_line.checked_sub(1).and_then(|place| lines.get(place)) else { continue };
        // A last line without an end could not be followed by another one in a patch.
        let ends = lines.get(pragma.end_line.saturating_sub(1)).is_some_and(|line| line.ends_with(b"\n"));
        if !ends {
            continue;
        }
        let end: &[u8] = if first.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
        let line = |text: String| [text.as_bytes(), end].concat();
        let begin = line(format!("#pragma cll {} {}", pragma.name, pragma.clause));
        added.push(Added { before: pragma.begin_line - 1, line: begin });
        added.push(Added { before: pragma.end_line, line: line(format!("#pragma cll end {}", pragma.name)) });
    }
    added.sort_by_key(|added| added.before);
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(begin_line: usize, end_line: usize, name: &str) -> Placed {
        Placed { begin_line, end_line, name: name.to_owned(), clause: format!("{name}[0]*n") }
    }

    #[test]
    fn a_hunk_has_its_context() {
        let source = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let text = String::from_utf8(patch("./src/a.c", source, &[placed(5, 5, "F")])).expect("UTF-8");
        let expected = "--- a/src/a.c\n+++ b/src/a.c\n@@ -2,7 +2,9 @@\n 2\n 3\n 4\n+#pragma cll F F[0]*n\n 5\n\
                        +#pragma cll end F\n 6\n 7\n 8\n";
        assert_eq!(text, expected);
        let whole = String::from_utf8(with_pragmas(source, &[placed(5, 5, "F")])).expect("UTF-8");
        assert!(whole.contains("4\n#pragma cll F F[0]*n\n5\n#pragma cll end F\n6\n"), "{whole}");
    }

    #[test]
    fn hunks_far_apart_are_two() {
        let source: String = (1..=40).map(|line| format!("{line}\r\n")).collect();
        let text = String::from_utf8(patch("a.c", source.as_bytes(), &[placed(2, 3, "F"), placed(30, 31, "G")]))
            .expect("UTF-8");
        assert!(text.contains("@@ -1,6 +1,8 @@") && text.contains("@@ -27,8 +29,10 @@"), "{text}");
        assert!(text.contains("+#pragma cll end G\r\n"));
    }
}
