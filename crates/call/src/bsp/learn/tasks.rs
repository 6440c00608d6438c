//! Machines with the same supersteps are one task; what was observed in them becomes formulas.

mod observe;

use super::machines::{Machine, Run, machines};
use super::numbers::{ARGUMENTS, Found, Rules, Scope, condition, machine_condition};
use super::steps::{RankStep, Region, Sync};
use observe::{exchange_line, sends};
use runcast_core::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// What has been learned: a program, and what could not be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learnt {
    /// Recorded parameters, with the values of the largest run.
    pub parameters: Vec<(String, f64)>,
    pub processes: usize,
    pub tasks: Vec<Task>,
    pub models: Vec<ModelUse>,
    pub blocks: Vec<Block>,
    pub formulas: Vec<Formula>,
    pub unlearned: Vec<Unlearned>,
}

/// A task of the program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Task {
    pub name: String,
    pub args: Vec<String>,
    pub steps: Vec<TaskStep>,
}

/// A superstep of a task; formulas are texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskStep {
    pub name: String,
    pub condition: String,
    pub repeat: Option<String>,
    pub before: Vec<String>,
    pub partition: Vec<String>,
    pub call: Option<(String, Vec<String>)>,
    pub work: Vec<String>,
    pub sends: Vec<Message>,
    pub sync: Option<Sync>,
    pub block: Option<String>,
}

/// A message of a superstep.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub to: String,
    pub bytes: String,
    pub condition: String,
}

/// The model of a region, with formulas for its values.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelUse {
    pub name: String,
    pub region: String,
    pub with: Vec<(String, String)>,
    /// The median time of its visits \[s\].
    pub median_s: f64,
}

/// What communication costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub name: String,
    /// A model of the whole exchange; else a line.
    pub model: Option<String>,
    /// Seconds to start, and for a byte.
    pub line: (f64, f64),
    /// Of a superstep without messages, seconds more for each doubling of the processes.
    pub doubling_s: f64,
}

/// A formula that was found for observed numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    pub task: String,
    pub step: String,
    pub key: String,
    pub formula: String,
    /// Another formula that fits as well, and differs on other machines.
    pub ambiguous: Option<String>,
    pub observations: usize,
}

/// What has no formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlearned {
    pub what: String,
    pub place: String,
}

/// Observed sizes are exact, other numbers only nearly so.
const NEAR: f64 = 1e-2;
const EXACT: f64 = 1e-9;
/// So many ways to hand arguments to parts are tried.
const MOST_WAYS: usize = 10_000;

/// A superstep as machines of a task have it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    sync: Sync,
    groups: usize,
    exchange: Option<String>,
    regions: BTreeSet<String>,
}

/// A machine with its supersteps folded: those that repeat are one.
struct Folded {
    words: Vec<Word>,
    /// For each of them, which supersteps it stands for.
    places: Vec<Vec<usize>>,
}

fn folded(machine: &Machine) -> Folded {
    let mut folded = Folded { words: Vec::new(), places: Vec::new() };
    let steps = machine.members.first().map_or(0, Vec::len);
    for place in 0..steps {
        let all = || machine.members.iter().map(|member| &member[place]);
        let word = Word {
            sync: machine.members[0][place].sync(),
            groups: machine.members[0][place].part.as_ref().map_or(0, |(ends, _)| ends.len()),
            exchange: all().find_map(|step| step.exchange.as_ref()).map(|region| region.name.clone()),
            regions: all().flat_map(|step| step.before.iter().chain(&step.work)).map(|r| r.name.clone()).collect(),
        };
        match (folded.words.last(), folded.places.last_mut()) {
            (Some(last), Some(places)) if *last == word && (word.sync != Sync::None || word.groups == 1) => {
                places.push(place);
            }
            _ => {
                folded.words.push(word);
                folded.places.push(vec![place]);
            }
        }
    }
    folded
}

/// What is known before arguments are chosen.
struct Work<'r> {
    runs: &'r [Run],
    machines: Vec<Machine>,
    folded: Vec<Folded>,
    /// The class of each machine, and the task of each class.
    class: Vec<usize>,
    task: Vec<usize>,
    names: Vec<String>,
    task_names: Vec<String>,
}

/// Learns a program from runs.
pub fn learn(runs: &[Run]) -> Result<Learnt, Problem> {
    let machines = machines(runs)?;
    if !machines.iter().any(|machine| machine.members.iter().flatten().any(|step| step.sync() != Sync::None)) {
        let problem = Problem::new("no_supersteps", "no run synchronizes its processes");
        return Err(problem.hint("record with CLL_BSP=1, on two processes at least, a program that uses pub.h"));
    }
    let work = Work::new(runs, machines);
    let calls = work.calls();
    let choices = calls.len() * work.names.len();
    let ways = ARGUMENTS.len().checked_pow(choices as u32).filter(|ways| *ways <= MOST_WAYS).unwrap_or(1);
    let mut best: Option<Learnt> = None;
    for way in 0..ways {
        let learnt = work.learnt(&calls, way);
        let is_better = best.as_ref().is_none_or(|best| learnt.unlearned.len() < best.unlearned.len());
        if is_better {
            let is_perfect = learnt.unlearned.is_empty();
            best = Some(learnt);
            if is_perfect {
                break;
            }
        }
    }
    let mut learnt = best.unwrap_or_default();
    for run in runs {
        for what in &run.unlearned {
            let one = Unlearned { what: what.clone(), place: "calls of MPI".to_owned() };
            if !learnt.unlearned.contains(&one) {
                learnt.unlearned.push(one);
            }
        }
    }
    Ok(learnt)
}

/// A superstep that starts a part: of a class, its how-manieth.
type Call = (usize, usize);

impl<'r> Work<'r> {
    fn new(runs: &'r [Run], machines: Vec<Machine>) -> Self {
        let folded: Vec<Folded> = machines.iter().map(folded).collect();
        let mut shapes: Vec<&Vec<Word>> = Vec::new();
        let class: Vec<usize> = folded
            .iter()
            .map(|one| match shapes.iter().position(|shape| **shape == one.words) {
                Some(class) => class,
                None => {
                    shapes.push(&one.words);
                    shapes.len() - 1
                }
            })
            .collect();
        let task = tasks_of(&machines, &folded, &class, shapes.len());
        let count = task.iter().max().map_or(0, |most| most + 1);
        let names: Vec<String> = runs.first().map_or(Vec::new(), |run| {
            run.values.iter().map(|(name, _)| name.clone()).filter(|name| name != "P").collect()
        });
        let task_names = (0..count).map(|at| if at == 0 { "main".to_owned() } else { format!("part_{at}") }).collect();
        Work { runs, machines, folded, class, task, names, task_names }
    }

    /// Arguments are called as the parameters, in small letters where that is another name.
    fn args(&self) -> Vec<String> {
        self.names.iter().map(|name| name.to_lowercase()).collect()
    }

    fn calls(&self) -> Vec<Call> {
        let calls = self.folded.iter().enumerate().flat_map(|(machine, folded)| {
            let words = folded.words.iter().enumerate().filter(|(_, word)| word.groups > 0);
            words.map(move |(at, _)| (self.class[machine], at))
        });
        calls.collect::<BTreeSet<Call>>().into_iter().collect()
    }

    /// The scope of each machine, if parts get their arguments in a given way.
    fn scopes(&self, calls: &[Call], way: usize) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = Vec::new();
        for machine in &self.machines {
            let procs = machine.members.len() as f64;
            let (depth, args) = match machine.parent {
                None => {
                    let values = &self.runs[machine.run].values;
                    let value = |name: &String| values.iter().find(|(known, _)| known == name).map_or(1.0, |v| v.1);
                    (0.0, self.names.iter().map(value).collect())
                }
                Some((parent, step, _, groups)) => {
                    let around: &Scope = &scopes[parent];
                    let call = (self.class[parent], self.place(parent, step));
                    let number = calls.iter().position(|known| *known == call).unwrap_or(0);
                    let handed = around.args.iter().enumerate().map(|(argument, &n)| {
                        ARGUMENTS[self.rule(number, argument, way)].1(n, groups as f64, around.procs)
                    });
                    (around.depth + 1.0, handed.collect())
                }
            };
            scopes.push(Scope { me: 0.0, procs, it: 0.0, depth, args });
        }
        scopes
    }

    /// Which rule an argument of a call has in a way: the digits of its number.
    fn rule(&self, call: usize, argument: usize, way: usize) -> usize {
        let digit = (call * self.names.len() + argument) as u32;
        way / ARGUMENTS.len().pow(digit) % ARGUMENTS.len()
    }

    /// Which folded superstep one of a machine belongs to.
    fn place(&self, machine: usize, step: usize) -> usize {
        self.folded[machine].places.iter().position(|places| places.contains(&step)).unwrap_or(0)
    }

    fn learnt(&self, calls: &[Call], way: usize) -> Learnt {
        let scopes = self.scopes(calls, way);
        let largest = self.runs.iter().max_by(|a, b| a.processes.cmp(&b.processes));
        let mut learnt = Learnt {
            parameters: largest.map_or(Vec::new(), |run| run.values.clone()),
            processes: largest.map_or(1, |run| run.processes),
            ..Learnt::default()
        };
        learnt.parameters.retain(|(name, _)| name != "P");
        let args = self.args();
        for (task, name) in self.task_names.iter().enumerate() {
            let classes: Vec<usize> = (0..self.task.len()).filter(|&class| self.task[class] == task).collect();
            let mut steps = Vec::new();
            for &class in &classes {
                let of = |wanted: bool| -> Vec<&Scope> {
                    let own = |&machine: &usize| {
                        let other = self.class[machine];
                        self.task[other] == task && (other == class) == wanted
                    };
                    (0..self.machines.len()).filter(own).map(|machine| &scopes[machine]).collect()
                };
                let condition = machine_condition(&of(true), &of(false));
                if condition.is_none() {
                    let what = "when a machine takes these supersteps and not others of its task".to_owned();
                    learnt.unlearned.push(Unlearned { what, place: name.clone() });
                }
                let own: Vec<usize> = (0..self.machines.len()).filter(|&m| self.class[m] == class).collect();
                for at in 0..self.folded[own[0]].words.len() {
                    let maker = Maker { work: self, scopes: &scopes, args: &args, own: &own, at, task: name };
                    let mut step = maker.step(calls, way, &mut learnt);
                    step.condition = condition.unwrap_or_default().to_owned();
                    steps.push(step);
                }
            }
            learnt.tasks.push(Task { name: name.clone(), args: args.clone(), steps });
        }
        learnt
    }
}

/// Classes that are called at one place are one task; the outermost machines are the first.
fn tasks_of(machines: &[Machine], folded: &[Folded], class: &[usize], count: usize) -> Vec<usize> {
    let mut task: Vec<usize> = (0..count).collect();
    let mut called: BTreeMap<Option<(usize, usize)>, usize> = BTreeMap::new();
    for (number, machine) in machines.iter().enumerate() {
        let from = machine.parent.map(|(parent, step, ..)| {
            let place = folded[parent].places.iter().position(|places| places.contains(&step)).unwrap_or(0);
            (class[parent], place)
        });
        let first = *called.entry(from).or_insert(class[number]);
        let (keep, gone) = (task[first].min(task[class[number]]), task[first].max(task[class[number]]));
        task.iter_mut().filter(|task| **task == gone).for_each(|task| *task = keep);
    }
    // Numbered from 0 without gaps.
    let kept: BTreeSet<usize> = task.iter().copied().collect();
    task.iter().map(|own| kept.iter().position(|one| one == own).unwrap_or(0)).collect()
}

/// Makes one superstep of a task.
struct Maker<'a> {
    work: &'a Work<'a>,
    scopes: &'a [Scope],
    args: &'a [String],
    /// The machines of the class.
    own: &'a [usize],
    at: usize,
    task: &'a str,
}

impl Maker<'_> {
    fn rules(&self) -> Rules<'_> {
        Rules { names: self.args }
    }

    /// Each process of each machine in each repetition: where, and what it did.
    fn all(&self) -> Vec<(Scope, &RankStep)> {
        let mut all = Vec::new();
        for &machine in self.own {
            let places = &self.work.folded[machine].places[self.at];
            for (me, member) in self.work.machines[machine].members.iter().enumerate() {
                for (it, &place) in places.iter().enumerate() {
                    let scope = Scope { me: me as f64, it: it as f64, ..self.scopes[machine].clone() };
                    all.push((scope, &member[place]));
                }
            }
        }
        all
    }

    fn step(&self, calls: &[Call], way: usize, learnt: &mut Learnt) -> TaskStep {
        let word = &self.work.folded[self.own[0]].words[self.at];
        let all = self.all();
        let mut names: Vec<String> = Vec::new();
        for (_, step) in &all {
            for region in step.before.iter().chain(&step.work).chain(&step.exchange) {
                if !names.contains(&region.name) {
                    names.push(region.name.clone());
                }
            }
        }
        let name = if names.is_empty() { format!("step {}", self.at + 1) } else { names.join("-") };
        let mut step = TaskStep { name: name.clone(), ..TaskStep::default() };
        let mut notes = Notes { learnt, task: self.task, step: &name };

        let counts: Vec<(Scope, f64)> = self
            .own
            .iter()
            .map(|&m| (self.scopes[m].clone(), self.work.folded[m].places[self.at].len() as f64))
            .collect();
        if counts.iter().any(|(_, count)| *count > 1.0) {
            step.repeat = notes.number("repeat", self.rules().repetitions(&counts), counts.len());
        }
        if word.groups > 0 {
            for group in 0..word.groups {
                let ends = |m: &usize| {
                    let place = self.work.folded[*m].places[self.at][0];
                    let part = self.work.machines[*m].members[0][place].part.as_ref();
                    part.map(|(ends, _)| (self.scopes[*m].clone(), ends[group] as f64))
                };
                let ends: Vec<(Scope, f64)> = self.own.iter().filter_map(ends).collect();
                let is_last = group + 1 == word.groups;
                let end = if is_last {
                    Some("procs".to_owned())
                } else {
                    notes.number("partition", self.rules().number(&ends, EXACT), ends.len())
                };
                step.partition.extend(end);
            }
            step.call = self.call(calls, way);
        }
        for (before, list) in [(true, &mut step.before), (false, &mut step.work)] {
            for region in &names {
                let visits = |step: &'_ RankStep| -> Vec<Region> {
                    let list = if before { &step.before } else { &step.work };
                    list.iter().filter(|one| one.name == *region).cloned().collect()
                };
                list.extend(self.region(region, &all, &visits, &mut notes));
            }
        }
        step.sends = sends(&all, self.rules(), &mut notes);
        if word.sync != Sync::None {
            step.sync = Some(word.sync);
            step.block = self.block(word, &all, &mut notes);
        }
        step
    }

    fn call(&self, calls: &[Call], way: usize) -> Option<(String, Vec<String>)> {
        let parent = self.own[0];
        let inside = self.work.machines.iter().enumerate().find(|(_, machine)| {
            machine.parent.is_some_and(|(p, step, ..)| p == parent && self.work.place(p, step) == self.at)
        });
        let task = self.work.task[self.work.class[inside?.0]];
        let call = (self.work.class[parent], self.at);
        let number = calls.iter().position(|known| *known == call)?;
        let args = self
            .args
            .iter()
            .enumerate()
            .map(|(argument, name)| ARGUMENTS[self.work.rule(number, argument, way)].0.replace("{n}", name));
        Some((self.work.task_names[task].clone(), args.collect()))
    }

    /// What a region adds to the work.
    fn region(
        &self,
        region: &str,
        all: &[(Scope, &RankStep)],
        visits: &dyn Fn(&RankStep) -> Vec<Region>,
        notes: &mut Notes<'_>,
    ) -> Option<String> {
        let found: Vec<(&Scope, Vec<Region>)> = all.iter().map(|(scope, step)| (scope, visits(step))).collect();
        let there: Vec<&Scope> = found.iter().filter(|(_, all)| !all.is_empty()).map(|(scope, _)| *scope).collect();
        if there.is_empty() {
            return None;
        }
        let absent: Vec<&Scope> = found.iter().filter(|(_, all)| all.is_empty()).map(|(scope, _)| *scope).collect();
        let condition = notes.some(region, "when it is visited", condition(&there, &absent))?;
        let times: Vec<(Scope, f64)> = found
            .iter()
            .filter(|(_, all)| !all.is_empty())
            .map(|(scope, all)| ((*scope).clone(), all.len() as f64))
            .collect();
        let times = if times.iter().all(|(_, count)| *count == 1.0) {
            "1".to_owned()
        } else {
            notes.number(&format!("visits of {region}"), self.rules().number(&times, EXACT), times.len())?
        };
        let flat: Vec<(&Scope, &Region)> =
            found.iter().flat_map(|(scope, all)| all.iter().map(move |region| (*scope, region))).collect();
        let model = self.model(region, &flat, notes)?;
        let visited = if times == "1" { model } else { format!("({times})*{model}") };
        Some(if condition.is_empty() { visited } else { format!("if({condition}, {visited}, 0)") })
    }

    /// The model of a region, with formulas for its values.
    fn model(&self, region: &str, visits: &[(&Scope, &Region)], notes: &mut Notes<'_>) -> Option<String> {
        let mut with = Vec::new();
        for (value, _) in &visits.first()?.1.values {
            let number = |region: &Region| region.values.iter().find(|(name, _)| name == value).map(|(_, v)| *v);
            let observed: Vec<(Scope, f64)> =
                visits.iter().filter_map(|(scope, region)| Some(((*scope).clone(), number(region)?))).collect();
            let found = self.rules().number(&observed, EXACT).or_else(|| self.rules().number(&observed, NEAR));
            with.push((value.clone(), notes.number(&format!("{region} {value}"), found, observed.len())?));
        }
        let models = &mut notes.learnt.models;
        if let Some(known) = models.iter().find(|known| known.region == region && known.with == with) {
            return Some(known.name.clone());
        }
        let others = models.iter().filter(|known| known.region == region).count();
        let name = if others == 0 { region.to_owned() } else { format!("{region}_{}", others + 1) };
        let mut times: Vec<f64> = visits.iter().map(|(_, region)| region.time_s).collect();
        times.sort_by(f64::total_cmp);
        let median_s = times[times.len() / 2];
        models.push(ModelUse { name: name.clone(), region: region.to_owned(), with, median_s });
        Some(name)
    }

    fn block(&self, word: &Word, all: &[(Scope, &RankStep)], notes: &mut Notes<'_>) -> Option<String> {
        let name = match &word.exchange {
            Some(region) => region.clone(),
            None => format!("{}_{}", self.task, self.at + 1),
        };
        let held: Option<Vec<(&Scope, &Region)>> =
            all.iter().map(|(scope, step)| Some((scope, step.exchange.as_ref()?))).collect();
        let model = held.and_then(|held| self.model(word.exchange.as_deref()?, &held, notes));
        let (line, doubling_s) =
            if model.is_some() { ((0.0, 0.0), 0.0) } else { exchange_line(self.work, self.own, self.at) };
        if !notes.learnt.blocks.iter().any(|block| block.name == name) {
            notes.learnt.blocks.push(Block { name: name.clone(), model, line, doubling_s });
        }
        Some(name)
    }
}

/// Where formulas, and what has none, are noted.
struct Notes<'l> {
    learnt: &'l mut Learnt,
    task: &'l str,
    step: &'l str,
}

impl Notes<'_> {
    fn number(&mut self, key: &str, found: Option<Found>, observations: usize) -> Option<String> {
        let Some(found) = found else {
            self.unlearned(key, "no formula gives its numbers");
            return None;
        };
        self.learnt.formulas.push(Formula {
            task: self.task.to_owned(),
            step: self.step.to_owned(),
            key: key.to_owned(),
            formula: found.text.clone(),
            ambiguous: found.other,
            observations,
        });
        Some(found.text)
    }

    fn some<T>(&mut self, key: &str, what: &str, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.unlearned(key, what);
        }
        found
    }

    fn unlearned(&mut self, key: &str, why: &str) {
        let place = format!("task {}, step {}", self.task, self.step);
        self.learnt.unlearned.push(Unlearned { what: format!("{key}: {why}"), place });
    }
}
