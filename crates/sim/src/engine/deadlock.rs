//! No event is left, but processes still wait: the report of who waits for whom, a cycle first.

use runcast_core::Problem;

/// Lines of a report, so that ten thousand processes that wait do not fill the screen.
const MOST_LINES: usize = 20;
/// Members of a cycle that are named.
const MOST_MEMBERS: usize = 12;

/// The error `deadlock`.
///
/// `blocked` are those that wait, ascending, each with the one that it waits for, if that is a single one; `describe`
/// describes one: `cell[3] recv from cell[4] tag 1 (heat.luau:14)`. `of` is their total number.
pub fn problem(blocked: &[(u64, Option<u64>)], of: u64, describe: &dyn Fn(u64) -> String) -> Problem {
    let mut lines = vec![format!("deadlock: {} of {of} processes wait forever", blocked.len())];
    let cycle = cycle(blocked);
    if !cycle.is_empty() {
        let mut named: Vec<String> = cycle.iter().take(MOST_MEMBERS).map(|who| describe(*who)).collect();
        if cycle.len() > MOST_MEMBERS {
            named.push(format!("{} more, back to the first", cycle.len() - MOST_MEMBERS));
        }
        lines.push(format!("in a cycle: {}", named.join(" <- ")));
    }
    let others: Vec<u64> = blocked.iter().map(|(who, _)| *who).filter(|who| !cycle.contains(who)).collect();
    let room = MOST_LINES - lines.len();
    let shown = if others.len() > room { room - 1 } else { others.len() };
    lines.extend(others.iter().take(shown).map(|who| describe(*who)));
    if shown < others.len() {
        lines.push(format!("and {} more", others.len() - shown));
    }
    Problem::new("deadlock", lines.join("\n"))
}

/// The cycle with the least member, starting there; empty if there is none.
fn cycle(blocked: &[(u64, Option<u64>)]) -> Vec<u64> {
    let next = |who: u64| {
        let at = blocked.binary_search_by_key(&who, |(who, _)| *who).ok()?;
        let to = blocked[at].1?;
        blocked.binary_search_by_key(&to, |(who, _)| *who).ok().map(|_| to)
    };
    // Each is visited once: one that was seen on an earlier way leads to no new cycle.
    let mut seen = std::collections::HashMap::new();
    for (start, _) in blocked {
        let mut at = Some(*start);
        while let Some(who) = at {
            if let Some(by) = seen.get(&who) {
                if by != start {
                    break;
                }
                let mut found = vec![who];
                let mut member = next(who);
                while let Some(another) = member.filter(|another| *another != who) {
                    found.push(another);
                    member = next(another);
                }
                let least = found.iter().enumerate().min_by_key(|(_, who)| **who).map_or(0, |(at, _)| at);
                found.rotate_left(least);
                return found;
            }
            seen.insert(who, *start);
            at = next(who);
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_comes_first_and_the_rest_is_short() {
        let mut blocked: Vec<(u64, Option<u64>)> = (0..100).map(|who| (who, Some(who + 1))).collect();
        blocked[50].1 = Some(48);
        blocked[99].1 = None;
        let problem = problem(&blocked, 200, &|who| format!("cell[{who}]"));
        let lines: Vec<&str> = problem.message.lines().collect();
        assert_eq!(lines[0], "deadlock: 100 of 200 processes wait forever");
        assert_eq!(lines[1], "in a cycle: cell[48] <- cell[49] <- cell[50]");
        assert_eq!(lines[2], "cell[0]");
        assert_eq!(lines.len(), 20);
        assert_eq!(lines[19], "and 80 more");
    }

    #[test]
    fn no_circle_when_all_wait_for_one_that_is_gone() {
        let problem = problem(&[(1, Some(0)), (2, Some(0))], 3, &|who| format!("cell[{who}]"));
        assert_eq!(problem.message.lines().count(), 3);
    }
}
