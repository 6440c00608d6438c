//! Supersteps that come again and again in the same order: each round of them becomes a part of its own, on all processes, so
//! that rounds fold into one superstep with `repeat`.

use super::machines::Member;
use super::steps::{RankStep, Sync};

/// Rounds of more supersteps than this are not looked for.
const LONGEST: usize = 16;

/// What tells supersteps apart: how they end, their groups, their regions.
type Word = (Sync, usize, Vec<String>);

/// The members with their rounds as parts.
pub(super) fn in_rounds(members: Vec<Member>) -> Vec<Member> {
    let count = members.first().map_or(0, Vec::len);
    if members.iter().any(|member| member.len() != count) {
        return members;
    }
    let words: Vec<Word> = (0..count).map(|place| word(&members, place)).collect();
    let mut rounds: Vec<(usize, usize, usize)> = Vec::new();
    let mut at = 0;
    while at < count {
        match longest(&words, at) {
            Some((length, times)) => {
                rounds.push((at, length, times));
                at += length * times;
            }
            None => at += 1,
        }
    }
    if rounds.is_empty() {
        return members;
    }
    let processes = members.len();
    members.into_iter().map(|member| folded(member, &rounds, processes)).collect()
}

fn word(members: &[Member], place: usize) -> Word {
    let all = || members.iter().map(|member| &member[place]);
    let mut regions: Vec<String> = all()
        .flat_map(|step| step.before.iter().chain(&step.work).chain(&step.exchange))
        .map(|region| region.name.clone())
        .collect();
    regions.sort();
    regions.dedup();
    (members[0][place].sync(), members[0][place].part.as_ref().map_or(0, |(ends, _)| ends.len()), regions)
}

/// The round that begins here and covers most, of at least two kinds of supersteps; the shortest of those.
fn longest(words: &[Word], at: usize) -> Option<(usize, usize)> {
    // A superstep that is the same as the next one folds without a part.
    if words.get(at + 1) == words.get(at) {
        return None;
    }
    let mut best: Option<(usize, usize)> = None;
    for length in 2..=LONGEST.min((words.len() - at) / 2) {
        let round = &words[at..at + length];
        let times = words[at..].chunks_exact(length).take_while(|chunk| *chunk == round).count();
        if times >= 2 && best.is_none_or(|(length_before, before)| times * length > length_before * before) {
            best = Some((length, times));
        }
    }
    best
}

fn folded(member: Member, rounds: &[(usize, usize, usize)], processes: usize) -> Member {
    let mut steps = member.into_iter();
    let (mut made, mut at) = (Vec::new(), 0);
    for &(from, length, times) in rounds {
        made.extend(steps.by_ref().take(from - at));
        for _ in 0..times {
            let part: Vec<RankStep> = steps.by_ref().take(length).collect();
            made.push(RankStep { part: Some((vec![processes], part)), ..RankStep::default() });
        }
        at = from + length * times;
    }
    made.extend(steps);
    made
}
