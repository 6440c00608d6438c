//! Lines of `key=value=value,key=value`, in which a backslash takes their meaning from commas and equal signs.

/// The entries of a line: keys and their values.
pub(super) fn entries(line: &str) -> Vec<(String, Vec<String>)> {
    let mut entries = Vec::new();
    let mut parts = vec![String::new()];
    let mut letters = line.trim_ascii_end().chars();
    loop {
        let next = letters.next();
        match next {
            Some('\\') => match letters.next() {
                Some('n') => push(&mut parts, '\n'),
                Some(letter) => push(&mut parts, letter),
                None => {}
            },
            Some('=') => parts.push(String::new()),
            Some(',') | None => {
                let mut whole = std::mem::replace(&mut parts, vec![String::new()]).into_iter();
                if let Some(key) = whole.next() {
                    entries.push((key, whole.collect()));
                }
                if next.is_none() {
                    return entries;
                }
            }
            Some(letter) => push(&mut parts, letter),
        }
    }
}

fn push(parts: &mut [String], letter: char) {
    if let Some(part) = parts.last_mut() {
        part.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_signs_are_text() {
        let found = entries("__rec=ctx,ref=1=2,data=a\\,b\\=c\\\\d\\ne=\n");
        let text = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            found,
            [
                ("__rec".to_owned(), text(&["ctx"])),
                ("ref".to_owned(), text(&["1", "2"])),
                ("data".to_owned(), text(&["a,b=c\\d\ne", ""])),
            ]
        );
    }
}
