//! "Did you mean": the known word nearest to an unknown one.

/// The candidate that differs by at most a third of the letters, if there is one.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(41).collect();
    if word.len() > 40 {
        return None;
    }
    let allowed = (word.len() / 3).max(1);
    let found = candidates.into_iter().take(500).filter(|candidate| candidate.len() <= 80);
    let found = found.map(|candidate| (distance(&word, &candidate.chars().collect::<Vec<_>>()), candidate));
    found.filter(|(distance, _)| *distance <= allowed).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Letters to add, leave out, change or exchange with their neighbor, by the usual table of prefixes.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut least = (above[j] + usize::from(a != b)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let keys = ["work", "send", "block", "partition"];
        assert_eq!(nearest("worck", keys), Some("work"));
        assert_eq!(nearest("partitions", keys), Some("partition"));
        assert_eq!(nearest("sned", keys), Some("send"));
        assert_eq!(nearest("xyzzy", keys), None);
        assert_eq!(nearest("", keys), None);
    }
}
