//! Dependency files: rules of make in which the names of translations are replaced.

/// The file with names replaced: `name` gives the name in place of one, none to leave it out, or the same.
///
/// Prerequisites that come twice are left out the second time, and so are rules without a target. A file in which
/// nothing changes comes back as it is.
pub fn mend(text: &[u8], name: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut mended = Vec::with_capacity(text.len());
    let mut changed = false;
    for line in logical_lines(text) {
        let words = words(&line);
        let Some(colon) = words.iter().position(|word| word.colon) else {
            mended.extend_from_slice(&line);
            mended.push(b'\n');
            continue;
        };
        let mut replaced = |words: &[Word]| {
            let mut seen: Vec<Vec<u8>> = Vec::new();
            for word in words {
                let plain = unescaped(&word.text);
                let new = name(&plain);
                changed |= new.as_deref() != Some(&plain);
                let Some(new) = new else { continue };
                let new = if new == plain { word.text.clone() } else { escaped(&new) };
                if seen.contains(&new) {
                    changed = true;
                } else {
                    seen.push(new);
                }
            }
            seen
        };
        let targets = replaced(&words[..=colon]);
        let prerequisites = replaced(&words[colon + 1..]);
        if targets.is_empty() {
            continue;
        }
        mended.extend(targets.join(&b' '));
        mended.push(b':');
        let mut column = mended.iter().rev().take_while(|&&byte| byte != b'\n').count();
        for word in prerequisites {
            if column + word.len() > 72 {
                mended.extend_from_slice(b" \\\n");
                column = 0;
            }
            mended.push(b' ');
            column += 1 + word.len();
            mended.extend(word);
        }
        mended.push(b'\n');
    }
    if changed { mended } else { text.to_vec() }
}

/// A word of a rule, as written; `colon`: it is the last target.
struct Word {
    text: Vec<u8>,
    colon: bool,
}

/// Lines, with those that a backslash continues joined to one.
fn logical_lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut line: Vec<u8> = Vec::new();
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    for part in text.split(|&byte| byte == b'\n') {
        let part = part.strip_suffix(b"\r").unwrap_or(part);
        match part.strip_suffix(b"\\") {
            Some(part) => {
                line.extend_from_slice(part);
                line.push(b' ');
            }
            None => {
                line.extend_from_slice(part);
                lines.push(std::mem::take(&mut line));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

fn words(line: &[u8]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut text = Vec::new();
    let mut seen_colon = false;
    let mut at = 0;
    let end = |text: &mut Vec<u8>, words: &mut Vec<Word>| {
        if !text.is_empty() {
            words.push(Word { text: std::mem::take(text), colon: false });
        }
    };
    while let Some(&byte) = line.get(at) {
        let next = line.get(at + 1).copied();
        match byte {
            b'\\' if next.is_some() => {
                text.push(byte);
                text.extend(next);
                at += 1;
            }
            b' ' | b'\t' => end(&mut text, &mut words),
            b':' if !seen_colon && next.is_none_or(|next| next == b' ' || next == b'\t') => {
                seen_colon = true;
                end(&mut text, &mut words);
                if let Some(last) = words.last_mut() {
                    last.colon = true;
                }
            }
            _ => text.push(byte),
        }
        at += 1;
    }
    end(&mut text, &mut words);
    words
}

/// The name that a word of make stands for.
fn unescaped(word: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(word.len());
    let mut at = 0;
    while let Some(&byte) = word.get(at) {
        let next = word.get(at + 1).copied();
        match (byte, next) {
            (b'\\', Some(next @ (b' ' | b'\t' | b'#' | b':'))) | (b'$', Some(next @ b'$')) => {
                name.push(next);
                at += 1;
            }
            _ => name.push(byte),
        }
        at += 1;
    }
    name
}

fn escaped(name: &[u8]) -> Vec<u8> {
    let mut word = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b' ' | b'\t' | b'#' => word.push(b'\\'),
            b'$' => word.push(b'$'),
            _ => {}
        }
        word.push(byte);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> String {
        let mut name = |name: &[u8]| match name {
            b"/s/own.h" => None,
            name => Some(name.strip_prefix(b"/s/").unwrap_or(name).to_vec()),
        };
        String::from_utf8(mend(text.as_bytes(), &mut name)).expect("UTF-8")
    }

    #[test]
    fn names_come_back_and_ours_go() {
        let text = "a.o: /s/a.c /s/own.h \\\n b.h /s/b.h /s/c\\ d.h $$x.h\n\n/s/own.h:\n\n/s/b.h:\n";
        assert_eq!(mended(text), "a.o: a.c b.h c\\ d.h $$x.h\n\n\nb.h:\n");
    }

    #[test]
    fn what_has_no_name_of_ours_stays_as_it_is() {
        for text in ["a.o: a.c \\\n  b.h\n", "", "x", "a.o b.o : a.c", "c:\\x.o: a.c\n"] {
            assert_eq!(mended(text), text);
        }
    }
}
