//! The description of an application by its script, before any time is known: parameters, labels, messages, and counts
//! of operations.
//!
//! Messages of collectives depend on the algorithm and are not among the edges; their calls are counted.

use crate::application::{Access, Application, Op, Programs, Task};
use crate::script::{self, Limits, Value};
use runcast_core::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The description of an application by its script.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DryRun {
    /// Parameters, in the order in which the script asked for them.
    pub params: Vec<DryParameter>,
    pub labels: Vec<DryLabel>,
    /// Who sends to whom.
    pub edges: Vec<Edge>,
    /// Counts of operations, over all processes.
    pub counts: BTreeMap<String, u64>,
    /// Calls of collectives, by label.
    pub collectives: Vec<CollectiveCalls>,
    /// Messages of `log` in the script.
    pub log: Vec<String>,
    /// Errors, and notes on what is unknown.
    pub problems: Vec<Problem>,
}

/// A parameter of the script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DryParameter {
    pub name: String,
    /// Its default value: a number or a text.
    pub default: serde_json::Value,
    pub help: String,
    pub value: serde_json::Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DryLabel {
    pub name: String,
    pub count: u64,
}

/// Messages from the processes of one label to those of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub messages: u64,
    /// Their bytes in total.
    pub bytes: u64,
}

/// Calls of a collective among the processes of a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CollectiveCalls {
    pub name: String,
    pub label: String,
    /// How often the group made it, all groups together.
    pub calls: u64,
    /// Bytes as MPI counts them, all calls together.
    pub bytes: u64,
}

/// Records a script and examines the result; its errors are among the problems.
///
/// # Examples
/// ```
/// let source = r#"label{ "pair", count = 2, run = function(rank)
///     for _ = 1, 3 do if rank == 0 then send{ to = 1, size = 100 } else recv{ from = 0 } end end
/// end }"#;
/// let found = runcast_sim::dry_run::dry_run(source, "pair.luau", &Default::default(), &Default::default());
/// assert_eq!((found.edges[0].messages, found.edges[0].bytes), (3, 300));
/// ```
pub fn dry_run(source: &str, file: &str, parameters: &BTreeMap<String, Value>, limits: &Limits) -> DryRun {
    let recorded = match script::record(source, file, parameters, limits) {
        Ok(recorded) => recorded,
        Err(problems) => return DryRun { problems, ..DryRun::default() },
    };
    let mut found = of_application(&recorded.application);
    let is_text = |name: &String| found.params.iter().any(|known| known.name == *name && known.default.is_string());
    if parameters.keys().any(is_text) {
        // A text that was given hides the default.
        if let Ok(plain) = script::record(source, file, &BTreeMap::new(), limits) {
            let defaults = of_application(&plain.application).params;
            for param in &mut found.params {
                if let Some(plain) = defaults.iter().find(|plain| plain.name == param.name) {
                    param.default = plain.default.clone();
                }
            }
        }
    }
    for name in &recorded.unused {
        let names: Vec<&str> = found.params.iter().map(|param| param.name.as_str()).collect();
        let problem = Problem::new("unknown_parameter", format!("the script has no parameter {name}"));
        found.problems.push(problem.at(format!("/params/{name}")).value(name.as_str()).allowed(names.join(", ")));
    }
    found
}

/// The description of a recorded application.
pub fn of_application(application: &Application) -> DryRun {
    let mut sums = Sums::default();
    let mut problems = Vec::new();
    for (index, label) in application.labels.iter().enumerate() {
        match &label.programs {
            Programs::Same(program) => sums.walk(application, index, *program, &Ranks::First(label.count)),
            Programs::PerRank(programs) => {
                let mut ranks: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
                for (rank, program) in programs.iter().enumerate() {
                    ranks.entry(*program).or_default().push(rank as u64);
                }
                for (program, ranks) in ranks {
                    sums.walk(application, index, program, &Ranks::These(ranks));
                }
            }
            Programs::Live => {
                let message = format!(
                    "processes of {} decide at run time, by the messages they receive or by the clock: their operations are not counted",
                    label.name
                );
                let problem = Problem::new("live_label", message).in_file(application.file.as_str());
                problems.push(problem.at_line(u64::from(label.line)).at(label.name.as_str()));
            }
        }
    }
    let name = |label: usize| application.labels.get(label).map_or_else(String::new, |label| label.name.clone());
    let number = |value: f64| runcast_core::json::number(value);
    DryRun {
        params: application
            .parameters
            .iter()
            .map(|parameter| DryParameter {
                name: parameter.name.clone(),
                default: parameter.text.clone().map_or_else(|| number(parameter.default), Into::into),
                help: parameter.help.clone(),
                value: parameter.text.clone().map_or_else(|| number(parameter.value), Into::into),
            })
            .collect(),
        labels: application.labels.iter().map(|l| DryLabel { name: l.name.clone(), count: l.count }).collect(),
        edges: sums
            .edges
            .iter()
            .map(|(&(from, to), &(messages, bytes))| Edge { from: name(from), to: name(to), messages, bytes })
            .collect(),
        collectives: sums
            .collectives
            .iter()
            .map(|(&(label, word), &(calls, members, bytes))| CollectiveCalls {
                name: word.to_owned(),
                label: name(label),
                calls: calls / members.max(1),
                bytes: bytes / members.max(1),
            })
            .collect(),
        counts: sums.counts.into_iter().map(|(word, count)| (word.to_owned(), count)).collect(),
        log: application.log.clone(),
        problems,
    }
}

/// Which ranks of a label run a program.
enum Ranks {
    /// The first this many: all.
    First(u64),
    These(Vec<u64>),
}

impl Ranks {
    fn count(&self) -> u64 {
        match self {
            Ranks::First(count) => *count,
            Ranks::These(ranks) => ranks.len() as u64,
        }
    }

    /// How many of `count` items dealt round-robin to `of` ranks these ranks get.
    fn share(&self, count: u64, of: u64) -> u64 {
        let of = of.max(1);
        match self {
            Ranks::First(ranks) if *ranks >= of => count,
            Ranks::First(ranks) => (count / of).saturating_mul(*ranks).saturating_add((count % of).min(*ranks)),
            Ranks::These(ranks) => {
                ranks.iter().map(|rank| count / of + u64::from(*rank < count % of)).fold(0, u64::saturating_add)
            }
        }
    }
}

#[derive(Default)]
struct Sums {
    edges: BTreeMap<(usize, usize), (u64, u64)>,
    counts: BTreeMap<&'static str, u64>,
    /// Calls by all members, members of a group, bytes of all calls.
    collectives: BTreeMap<(usize, &'static str), (u64, u64, u64)>,
}

impl Sums {
    fn walk(&mut self, application: &Application, label: usize, program: u32, ranks: &Ranks) {
        let Some(program) = application.programs.get(program as usize) else { return };
        let mut loops: Vec<(usize, u64)> = Vec::new();
        let mut times = ranks.count();
        let mut turns = 1u64;
        for (place, (op, _)) in program.ops.iter().enumerate() {
            while let Some(&(_, before)) = loops.last().filter(|(end, _)| *end <= place) {
                loops.pop();
                turns = before;
                times = ranks.count().saturating_mul(turns);
            }
            if let Op::Repeat { count, len } = op {
                loops.push((place + 1 + *len as usize, turns));
                turns = turns.saturating_mul(*count);
                times = ranks.count().saturating_mul(turns);
                continue;
            }
            self.op(application, label, op, times, turns, ranks);
        }
    }

    fn op(&mut self, app: &Application, own: usize, op: &Op, times: u64, turns: u64, ranks: &Ranks) {
        let word = word(op);
        add(self.counts.entry(word).or_default(), times);
        add(self.counts.entry("operations").or_default(), times);
        let to_label = |label: u32| app.labels.get(label as usize).map_or(0, |label| label.count);
        match *op {
            Op::Send { to, size, .. } | Op::Isend { to, size, .. } | Op::Remote { to, size, .. } => {
                let to = match to {
                    crate::application::Peer::Offset(_) => own,
                    crate::application::Peer::Process(process) => app.label_of(process),
                };
                self.edge(own, to, times, size);
            }
            Op::P2pSend { label, size } | Op::ScatterSend { label, size } | Op::GatherSend { label, size } => {
                self.edge(own, label as usize, times.saturating_mul(to_label(label)), size);
            }
            Op::One2OneSend { label, size, count } => {
                let senders = app.labels.get(own).map_or(1, |label| label.count);
                self.edge(own, label as usize, ranks.share(count, senders).saturating_mul(turns), size);
            }
            Op::Collective(index) | Op::Icollective { collective: index, .. } => {
                let Some(collective) = app.collectives.get(index as usize) else { return };
                let Some(group) = app.groups.get(collective.group as usize) else { return };
                let members = group.members.as_ref().map_or_else(|| to_label(group.label), |m| m.len() as u64);
                let sum = self.collectives.entry((group.label as usize, collective.kind.name())).or_default();
                add(&mut sum.0, times);
                sum.1 = members;
                add(&mut sum.2, times.saturating_mul(collective.size));
            }
            Op::Farm(index) => {
                let Some(farm) = app.farms.get(index as usize) else { return };
                let tasks = farm.tasks.saturating_mul(turns);
                self.edge(own, farm.to as usize, tasks, farm.task_size);
                self.edge(farm.to as usize, own, tasks, farm.result_size);
            }
            _ => {}
        }
    }

    fn edge(&mut self, from: usize, to: usize, messages: u64, size: u64) {
        if messages == 0 {
            return;
        }
        let sum = self.edges.entry((from, to)).or_default();
        add(&mut sum.0, messages);
        add(&mut sum.1, messages.saturating_mul(size));
        add(self.counts.entry("messages").or_default(), messages);
        add(self.counts.entry("bytes").or_default(), messages.saturating_mul(size));
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

fn word(op: &Op) -> &'static str {
    match op {
        Op::Repeat { .. } => "repeat",
        Op::Compute(_) | Op::Launch { task: Task::Block(_), .. } => "compute",
        Op::Send { .. } => "send",
        Op::Recv { .. } => "recv",
        Op::Isend { .. } => "isend",
        Op::Irecv { .. } => "irecv",
        Op::Wait { .. } | Op::Several { .. } => "wait",
        Op::P2pSend { .. } => "p2p_send",
        Op::P2pRecv { .. } => "p2p_recv",
        Op::One2OneSend { .. } => "one2one_send",
        Op::One2OneRecv { .. } => "one2one_recv",
        Op::ScatterSend { .. } => "scatter_send",
        Op::ScatterRecv { .. } => "scatter_recv",
        Op::GatherSend { .. } => "gather_send",
        Op::GatherRecv { .. } => "gather_recv",
        Op::Collective(_) => "collective",
        Op::Icollective { .. } => "icollective",
        Op::Farm(_) => "farm",
        Op::FarmWorker(_) => "farm_worker",
        Op::Remote { access: Access::Put, .. } => "put",
        Op::Remote { access: Access::Get, .. } => "get",
        Op::Remote { access: Access::Accumulate, .. } => "accumulate",
        Op::Flush { .. } => "flush",
        Op::Lock { .. } => "lock",
        Op::Unlock { .. } => "unlock",
        Op::Copy(_) | Op::Launch { task: Task::Copy(_), .. } => "copy",
        Op::Read { .. } => "read",
        Op::Write { .. } => "write",
        Op::Sleep(_) => "sleep",
        Op::Phase(_) => "phase",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(source: &str, params: &[(&str, Value)]) -> DryRun {
        let params = params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        dry_run(source, "app.luau", &params, &Limits::default())
    }

    #[test]
    fn parameters_labels_edges_and_counts_of_a_master_with_workers() {
        let source = r#"
            local p = param("p", 4, "workers")
            local n = param("n", 10)
            label{ "master", count = 1, run = function()
                for i = 1, n do for w = 0, p - 1 do send{ to = proc("worker", w), size = 100 } end end
                allreduce{ size = 8 }
            end }
            label{ "worker", count = p, run = function(rank)
                for i = 1, n do recv{ from = proc("master", 0) } compute{ ops = 1e6 } end
                barrier{}
            end }
        "#;
        let found = run(source, &[("p", Value::Number(3.0))]);
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        assert_eq!(found.params[0].name, "p");
        assert_eq!((&found.params[0].default, &found.params[0].value), (&4.into(), &3.into()));
        assert_eq!(found.params[0].help, "workers");
        let labels: Vec<(&str, u64)> = found.labels.iter().map(|label| (label.name.as_str(), label.count)).collect();
        assert_eq!(labels, [("master", 1), ("worker", 3)]);
        let edge = &found.edges[0];
        assert_eq!((edge.from.as_str(), edge.to.as_str(), edge.messages, edge.bytes), ("master", "worker", 30, 3000));
        assert_eq!((found.counts["send"], found.counts["compute"], found.counts["messages"]), (30, 30, 30));
        let barrier = found.collectives.iter().find(|calls| calls.name == "barrier").expect("the barrier");
        assert_eq!((barrier.label.as_str(), barrier.calls), ("worker", 1));
    }

    #[test]
    fn what_is_wrong_stands_among_the_problems_with_its_line() {
        let found = run("label{ \"a\", count = 1, run = function()\n  nothing()\nend }", &[]);
        assert_eq!(found.problems[0].line, Some(2));
        let found = run("label{ \"a\", count = 1, run = function() sleep(1) end }", &[("q", Value::Number(1.0))]);
        assert_eq!(found.problems[0].code, "unknown_parameter");
        assert_eq!(found.labels.len(), 1);
    }

    #[test]
    fn every_template_can_be_looked_at() {
        for template in crate::templates::TEMPLATES {
            let found = run(template.app, &[]);
            assert!(found.problems.iter().all(|problem| problem.code == "live_label"), "{}: {found:?}", template.name);
            assert!(!found.labels.is_empty(), "{}", template.name);
        }
    }
}
