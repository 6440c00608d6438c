//! Messages of a superstep, and what its communication took.

use super::super::grid::halo;
use super::super::numbers::{Found, Rules, Scope, condition};
use super::super::steps::{RankStep, Sync};
use super::{EXACT, Message, NEAR, Notes, Work};

/// The messages of a superstep: those that each process sends first, second, and so on, unless they go to all others.
pub fn sends(all: &[(Scope, &RankStep)], rules: Rules<'_>, notes: &mut Notes<'_>) -> Vec<Message> {
    let most = all.iter().map(|(_, step)| step.sends.len()).max().unwrap_or(0);
    let senders: Vec<&(Scope, &RankStep)> = all.iter().filter(|(_, step)| !step.sends.is_empty()).collect();
    if most > 1 && senders.iter().all(|(scope, step)| is_to_all(scope, step)) {
        let there: Vec<&Scope> = senders.iter().map(|(scope, _)| scope).collect();
        let absent: Vec<&Scope> = all.iter().filter(|(_, step)| step.sends.is_empty()).map(|(s, _)| s).collect();
        let observed: Vec<(Scope, f64)> =
            senders.iter().map(|(scope, step)| (scope.clone(), step.sends[0].1)).collect();
        let bytes = bytes(&observed, rules, notes);
        let when = notes.some("send", "no condition gives who sends to all", condition(&there, &absent));
        let message = |(bytes, when): (String, &str)| Message { to: "all".into(), bytes, condition: when.to_owned() };
        return bytes.zip(when).map(message).into_iter().collect();
    }
    let is_plain = (0..most).all(|nth| nth_goes_by_rule(all, nth, rules));
    let sent: Vec<(Scope, Vec<(usize, f64)>)> = if is_plain {
        Vec::new()
    } else {
        all.iter().map(|(scope, step)| (scope.clone(), step.sends.clone())).collect()
    };
    if let Some((halo, other)) = halo(&sent) {
        let message = |(number, (neighbor, observed)): (usize, (super::super::grid::Neighbor, Vec<(Scope, f64)>))| {
            // That another grid would do is said once.
            let found = Found { text: neighbor.to(), other: other.clone().filter(|_| number == 0) };
            let to = notes.number("to", Some(found), observed.len())?;
            let bytes = bytes(&observed, rules, notes)?;
            Some(Message { to, bytes, condition: neighbor.condition() })
        };
        return halo.into_iter().enumerate().filter_map(message).collect();
    }
    (0..most).filter_map(|nth| one(all, nth, rules, notes)).collect()
}

/// Whether rules give who sends a message, and where to.
fn nth_goes_by_rule(all: &[(Scope, &RankStep)], nth: usize, rules: Rules<'_>) -> bool {
    let (there, absent): (Vec<_>, Vec<_>) = all.iter().partition(|(_, step)| step.sends.len() > nth);
    let scopes = |of: &[&'_ (Scope, &RankStep)]| of.iter().map(|(scope, _)| scope.clone()).collect::<Vec<_>>();
    let (senders, others) = (scopes(&there), scopes(&absent));
    let to: Vec<(Scope, f64)> =
        there.iter().filter_map(|(scope, step)| Some((scope.clone(), step.sends.get(nth)?.0 as f64))).collect();
    condition(&senders.iter().collect::<Vec<_>>(), &others.iter().collect::<Vec<_>>()).is_some()
        && rules.destination(&to).is_some()
}

fn is_to_all(scope: &Scope, step: &RankStep) -> bool {
    let mut to: Vec<usize> = step.sends.iter().map(|(to, _)| *to).collect();
    to.sort_unstable();
    let others = (0..scope.procs as usize).filter(|&other| other as f64 != scope.me);
    to.into_iter().eq(others) && step.sends.iter().all(|(_, bytes)| *bytes == step.sends[0].1)
}

fn one(all: &[(Scope, &RankStep)], nth: usize, rules: Rules<'_>, notes: &mut Notes<'_>) -> Option<Message> {
    let has = |step: &RankStep| step.sends.len() > nth;
    let there: Vec<&Scope> = all.iter().filter(|(_, step)| has(step)).map(|(scope, _)| scope).collect();
    let absent: Vec<&Scope> = all.iter().filter(|(_, step)| !has(step)).map(|(scope, _)| scope).collect();
    let when = notes.some("send", "no condition gives who sends", condition(&there, &absent))?;
    let sent = || all.iter().filter_map(|(scope, step)| Some((scope.clone(), *step.sends.get(nth)?)));
    let to: Vec<(Scope, f64)> = sent().map(|(scope, (to, _))| (scope, to as f64)).collect();
    let sizes: Vec<(Scope, f64)> = sent().map(|(scope, (_, bytes))| (scope, bytes)).collect();
    let to = notes.number("to", rules.destination(&to), to.len());
    let bytes = bytes(&sizes, rules, notes);
    Some(Message { to: to?, bytes: bytes?, condition: when.to_owned() })
}

fn bytes(observed: &[(Scope, f64)], rules: Rules<'_>, notes: &mut Notes<'_>) -> Option<String> {
    let found = rules.number(observed, EXACT).or_else(|| rules.number(observed, NEAR));
    notes.number("bytes", found, observed.len())
}

/// `L + g*h` of a superstep: from the moment when the last of those that a process waits for has sent, to that when it has
/// everything. The least time for each h counts: others hold what the machine did meanwhile. A collective without messages
/// costs more on more processes: `L + d*log2(procs)`.
pub fn exchange_line(work: &Work<'_>, own: &[usize], at: usize) -> ((f64, f64), f64) {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut by_doublings: Vec<(f64, f64)> = Vec::new();
    for &machine in own {
        for &place in &work.folded[machine].places[at] {
            let steps: Vec<&RankStep> = work.machines[machine].members.iter().map(|member| &member[place]).collect();
            let received = |to: usize| steps.iter().flat_map(|s| &s.sends).filter(move |m| m.0 == to);
            let traffic = |of: usize| {
                let sent: f64 = steps[of].sends.iter().map(|(_, bytes)| bytes).sum();
                sent.max(received(of).map(|(_, bytes)| bytes).sum())
            };
            for (me, step) in steps.iter().enumerate() {
                let waits_for = |other: &usize| {
                    step.sync() == Sync::Barrier || *other == me || steps[*other].sends.iter().any(|m| m.0 == me)
                };
                let partners: Vec<usize> = (0..steps.len()).filter(waits_for).collect();
                let sent = partners.iter().map(|&other| steps[other].sent_s).fold(f64::MIN, f64::max);
                let h = partners.iter().map(|&other| traffic(other)).fold(0.0, f64::max);
                let took = (step.done_s - sent).max(0.0);
                keep_least(&mut points, h, took);
                keep_least(&mut by_doublings, (steps.len() as f64).log2(), took);
            }
        }
    }
    if points.iter().all(|(h, _)| *h == 0.0) {
        let (start, doubling) = line(&by_doublings);
        return ((start, 0.0), doubling);
    }
    (line(&points), 0.0)
}

fn keep_least(points: &mut Vec<(f64, f64)>, at: f64, took: f64) {
    match points.iter_mut().find(|(known, _)| *known == at) {
        Some((_, least)) => *least = least.min(took),
        None => points.push((at, took)),
    }
}

/// The line through points with the least relative squares, neither of its constants below 0.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let weight = |y: f64| 1.0 / y.max(1e-9).powi(2);
    let sum = |f: &dyn Fn(f64, f64) -> f64| points.iter().map(|&(h, t)| weight(t) * f(h, t)).sum::<f64>();
    let (one, t) = (sum(&|_, _| 1.0), sum(&|_, t| t));
    if one == 0.0 {
        return (0.0, 0.0);
    }
    let center = sum(&|h, _| h) / one;
    let spread = sum(&|h, _| (h - center).powi(2));
    let g = if spread > 0.0 { sum(&|h, t| (h - center) * t) / spread } else { 0.0 };
    let start = t / one - g * center;
    if g < 0.0 {
        return (t / one, 0.0);
    }
    if start < 0.0 {
        let (ht, hh) = (sum(&|h, t| h * t), sum(&|h, _| h * h));
        return (0.0, if hh > 0.0 { ht / hh } else { 0.0 });
    }
    (start, g)
}
