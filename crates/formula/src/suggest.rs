//! "Did you mean": the known word nearest to an unknown one. Also shortening of what is quoted in messages.

/// Words longer than this are not compared.
const LONGEST: usize = 64;
/// Nor are more candidates than this.
const CANDIDATES: usize = 1000;

/// Of a few allowed words the one that differs least from `word`, if it is near enough to be a slip.
///
/// A difference is a letter added, left out, changed or exchanged with its neighbor; upper and lower case differ by half.
/// A third of the letters may differ, one at least and three at most. Words of more than 64 letters are not compared, nor
/// more than 1000 candidates, so that no input takes long.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    within(2, word, candidates)
}

/// The same among the names of a formula, where two of a single letter are rather different things: `q` is no slip of `p`.
pub(crate) fn nearest_name<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    within(1, word, candidates)
}

/// Half differences are counted, so that case can weigh one; of the shortest words `least` are allowed.
fn within<'a>(least: usize, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if word.len() > LONGEST {
        return None;
    }
    let allowed = (word.len() * 2 / 3).clamp(least, 6);
    candidates
        .into_iter()
        .take(CANDIDATES)
        .filter(|candidate| candidate.len() <= 4 * LONGEST)
        .map(|candidate| (distance(&word, &candidate.chars().collect::<Vec<_>>()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Twice the edit distance, by the usual table of prefixes, three rows of it.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).map(|column| 2 * column).collect();
    for (i, &a) in left.iter().enumerate() {
        let mut row = vec![2 * (i + 1)];
        for (j, &b) in right.iter().enumerate() {
            let mut least = (above[j] + change(a, b)).min(above[j + 1] + 2).min(row[j] + 2);
            if i > 0 && j > 0 && a == right[j - 1] && b == left[i - 1] {
                least = least.min(before[j - 1] + 2);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(0)
}

fn change(a: char, b: char) -> usize {
    if a == b {
        0
    } else if a.to_lowercase().eq(b.to_lowercase()) {
        1
    } else {
        2
    }
}

/// The text as it is quoted in a message: control characters visible, at most 40 characters.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut short: String = text.chars().take(SHOWN).flat_map(visible).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push_str("..");
    }
    short
}

fn visible(c: char) -> impl Iterator<Item = char> {
    let escape = c.is_control().then(|| c.escape_default());
    let plain = (!c.is_control()).then_some(c);
    escape.into_iter().flatten().chain(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        assert_eq!(nearest("regoin", ["p", "region", "app"]), Some("region"));
        assert_eq!(nearest_name("n", ["p", "N"]), Some("N"));
        assert_eq!(nearest("bb", ["a", "b"]), Some("b"));
        assert_eq!(nearest("lgo2", ["log", "log2", "log10"]), Some("log2"));
        assert_eq!(nearest("tikcs", ["ticks", "values"]), Some("ticks"));
        assert_eq!(nearest("partitions", ["work", "send", "partition"]), Some("partition"));
    }

    #[test]
    fn what_is_far_is_not_suggested() {
        assert_eq!(nearest_name("q", ["p", "N"]), None);
        assert_eq!(nearest("", ["work", "send"]), None);
        assert_eq!(nearest("nodes", ["p", "region"]), None);
        assert_eq!(nearest(&"a".repeat(100_000), ["a"]), None);
    }

    #[test]
    fn quoted_texts_are_short_and_visible() {
        assert_eq!(shorten("a\nb\u{1b}"), "a\\nb\\u{1b}");
        assert_eq!(shorten(&"x".repeat(1000)).len(), 42);
    }
}
