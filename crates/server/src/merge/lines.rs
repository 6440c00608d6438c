//! Texts by lines: diff3 (Khanna, Kunal and Pierce, *A formal investigation of diff3*, 2007).

use super::Conflict;

/// Lines that are compared with each other, at most: beyond, what differs is one stretch.
const MOST_WORK: usize = 4_000_000;

/// Merges stretches that only one side changed.
pub fn merge(base: &str, theirs: &str, mine: &str) -> Result<String, Vec<Conflict>> {
    let (base, theirs, mine) = (split(base), split(theirs), split(mine));
    let (to_theirs, to_mine) = (matches(&base, &theirs), matches(&base, &mine));
    let mut merged = String::new();
    let mut conflicts = Vec::new();
    let (mut b, mut t, mut m) = (0, 0, 0);
    loop {
        // The next line that all three have.
        let stable = (b..base.len()).find_map(|line| Some((line, to_theirs[line]?, to_mine[line]?)));
        let (next_b, next_t, next_m) = stable.unwrap_or((base.len(), theirs.len(), mine.len()));
        let (was, their, my) = (&base[b..next_b], &theirs[t..next_t], &mine[m..next_m]);
        if their == was || their == my {
            merged.extend(my.iter().copied());
        } else if my == was {
            merged.extend(their.iter().copied());
        } else {
            let line = t as u64 + 1;
            conflicts.push(Conflict::at(format!("line {line}"), Some(line)));
        }
        let Some((line, ..)) = stable else { break };
        merged.push_str(base[line]);
        (b, t, m) = (next_b + 1, next_t + 1, next_m + 1);
    }
    if conflicts.is_empty() { Ok(merged) } else { Err(conflicts) }
}

/// Lines with their ends.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// For each line of one text, the line of the other that it stands for: a longest common subsequence.
fn matches(one: &[&str], other: &[&str]) -> Vec<Option<usize>> {
    let mut found = vec![None; one.len()];
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let tail = one[start..].iter().rev().zip(other[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    for (line, found) in found.iter_mut().enumerate().take(start) {
        *found = Some(line);
    }
    for back in 1..=tail {
        found[one.len() - back] = Some(other.len() - back);
    }
    let (left, right) = (&one[start..one.len() - tail], &other[start..other.len() - tail]);
    if left.len().saturating_mul(right.len()) > MOST_WORK {
        return found;
    }
    // Lengths of common subsequences of what begins at each pair.
    let width = right.len() + 1;
    let mut lengths = vec![0_u32; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            lengths[i * width + j] = match left[i] == right[j] {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            found[start + i] = Some(start + j);
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}
