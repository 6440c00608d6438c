//! Ranks of MPI programs that wait for different numbers of messages: those at an edge of a grid have nobody to wait for, where
//! the others end a superstep. They end it, too, without waiting.

use super::machines::Member;
use super::steps::{RankStep, Sync};

/// The members with equal numbers of supersteps between collectives.
pub(super) fn aligned(members: Vec<Member>) -> Vec<Member> {
    // Only receives of MPI differ in this way; the programs of pub.h say what they wait for.
    if !members.iter().flatten().any(|step| step.joins) {
        return members;
    }
    let parts: Vec<Vec<Member>> = members.iter().map(between_collectives).collect();
    let count = parts.first().map_or(0, Vec::len);
    if parts.iter().any(|own| own.len() != count) {
        return members;
    }
    let mut made: Vec<Member> = members.iter().map(|_| Member::new()).collect();
    for part in 0..count {
        let waits = |own: &Vec<Member>| own[part].iter().filter(|step| step.sync() == Sync::Oblivious).count();
        let most = parts.iter().map(waits).max().unwrap_or(0);
        // What those who wait do before their first wait.
        let first = parts.iter().find(|own| waits(own) == most).and_then(|own| own[part].first());
        let before: Vec<String> =
            first.map_or(Vec::new(), |step| step.work.iter().map(|region| region.name.clone()).collect());
        for (own, made) in parts.iter().zip(&mut made) {
            made.extend(padded(own[part].clone(), most - waits(own), &before));
        }
    }
    made
}

/// The supersteps up to and with each collective, and those behind the last one.
fn between_collectives(member: &Member) -> Vec<Member> {
    let mut parts = vec![Member::new()];
    for step in member {
        let is_last = step.sync() == Sync::Barrier;
        if let Some(part) = parts.last_mut() {
            part.push(step.clone());
        }
        if is_last {
            parts.push(Member::new());
        }
    }
    parts
}

/// Supersteps with so many more that end at once: with what is sent, and the regions of these names, where there was none.
fn padded(mut steps: Member, missing: usize, before: &[String]) -> Member {
    if missing == 0 {
        return steps;
    }
    let place = steps.iter().position(|step| step.sync() != Sync::Oblivious).unwrap_or(steps.len());
    let mut added = vec![RankStep { sync: Some(Sync::Oblivious), joins: true, ..RankStep::default() }; missing];
    if place == 0
        && let (Some(first), Some(next)) = (added.first_mut(), steps.first_mut())
    {
        first.sends = std::mem::take(&mut next.sends);
        (first.sent_s, first.done_s) = (next.sent_s, next.sent_s);
        let (own, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut next.work).into_iter().partition(|region| before.contains(&region.name));
        (first.work, next.work) = (own, rest);
    }
    steps.splice(place..place, added);
    steps
}
