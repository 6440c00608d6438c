//! Which process or link holds a run up: the critical path of T_1(K), traced back.
//!
//! A phase of process i ends when the last of what it waits for is there: its own alpha, or a message. From there the path
//! goes on to the sender's start of the phase; ties share equally. With q_i(s) the chance that the path of the far
//! future comes through process i at the start of a phase in state s,
//!
//! ```text
//! q_i(s) = E[sum over l of share(l from i) q_l(s') | s],    q >= 0,    sum over i of q_i(s) = 1
//! ```
//!
//! Every tick of T_1(K) belongs to one alpha, one message, or (semantics "complete") the overrun of one update: their mean
//! times per phase sum to E\[Phi\].

mod path;
mod trace;

use crate::model::{Model, Part, Semantics};
use crate::solve::chain::Chain;
use crate::solve::solution::{Method, Solution};
use runcast_core::problem::Warning;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much less time a part takes whose gain is asked for.
const FASTER: f64 = 0.9;

/// How it is to be found.
#[derive(Debug, Clone, Default)]
pub struct SensitivityOptions {
    /// Of the simulation, where it comes to that.
    pub seed: u64,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Who is on the critical path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// Exact, or from a simulated path.
    pub method: Method,
    /// In the order of the model.
    pub processes: Vec<ProcessShare>,
    /// Every link, by sender, then receiver.
    pub links: Vec<LinkShare>,
    /// Mean time per phase on the path that an update runs on after the last message \[s\]; 0 under abort.
    pub overrun_time_s: f64,
    /// Warnings for the user.
    #[serde(skip)]
    pub warnings: Vec<Warning>,
}

/// What a process has to do with the critical path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcessShare {
    /// As the model calls it.
    pub name: String,
    /// Share of the phases with its alpha on the path.
    pub critical_share: f64,
    /// Share of the phases that it ends on the path without having waited.
    pub own_share: f64,
    /// Mean time of its alpha on the path per phase \[s\].
    pub critical_time_s: f64,
    /// Fall of E\[Phi\] when its updates take 10 % less \[s\]; none where that was not to be found.
    pub gain_s: Option<f64>,
}

/// What a link has to do with the critical path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkShare {
    pub from: String,
    pub to: String,
    /// Share of the phases with its message on the path.
    pub critical_share: f64,
    /// Mean time of its message on the path per phase \[s\].
    pub critical_time_s: f64,
    /// Fall of E\[Phi\] when its messages take 10 % less \[s\]; none where that was not to be found.
    pub gain_s: Option<f64>,
}

/// Shares and times of the path, in ticks; matrices by sender, then receiver.
#[derive(Debug, Clone, PartialEq)]
struct Critical {
    process_share: Vec<f64>,
    process_time: Vec<f64>,
    /// On the diagonal those who did not wait.
    link_share: Vec<f64>,
    link_time: Vec<f64>,
    overrun_time: f64,
}

impl Critical {
    fn zero(size: usize) -> Critical {
        Critical {
            process_share: vec![0.0; size],
            process_time: vec![0.0; size],
            link_share: vec![0.0; size * size],
            link_time: vec![0.0; size * size],
            overrun_time: 0.0,
        }
    }

    fn add(&mut self, other: &Critical) {
        let add = |sum: &mut [f64], more: &[f64]| sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        add(&mut self.process_share, &other.process_share);
        add(&mut self.process_time, &other.process_time);
        add(&mut self.link_share, &other.link_share);
        add(&mut self.link_time, &other.link_time);
        self.overrun_time += other.overrun_time;
    }

    fn scale(&mut self, factor: f64) {
        let all = [&mut self.process_share, &mut self.process_time, &mut self.link_share, &mut self.link_time];
        all.into_iter().flatten().for_each(|value| *value *= factor);
        self.overrun_time *= factor;
    }
}

/// The critical path in the long run, and what faster parts would gain.
///
/// `phase_mean` solves a model for E\[Phi\] in ticks, or says that it cannot; it is asked once for each process and link, until
/// it cannot.
///
/// None: it was interrupted.
pub fn sensitivity(
    model: &Model,
    chain: Option<&Chain>,
    solution: &Solution,
    options: &SensitivityOptions,
    phase_mean: &mut dyn FnMut(&Model) -> Option<f64>,
) -> Option<Sensitivity> {
    let stop = || options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    let mut warnings = Vec::new();
    let exact = chain.and_then(|chain| path::critical(chain, &stop));
    if stop() {
        return None;
    }
    let (method, critical) = match exact {
        Some((critical, settled)) => {
            if !settled {
                let message = "the shares of the critical path have not settled: parts of the model hardly meet";
                warnings.push(Warning::new("path_unsettled", message));
            }
            (Method::Exact, critical)
        }
        None => (Method::MonteCarlo, trace::critical(model, options.seed, &stop)?),
    };
    let size = model.size();
    // Where one faster link cannot be solved, none can: there may be thousands of them.
    let mut gain = |part: Part, solvable: &mut bool| {
        let mean = if *solvable { phase_mean(&model.faster(part, FASTER)) } else { None };
        *solvable = mean.is_some();
        Some((solution.phase.phase_mean - mean?) * model.step_s)
    };
    let mut solvable = true;
    let mut processes = Vec::with_capacity(size);
    for process in 0..size {
        if stop() {
            return None;
        }
        processes.push(ProcessShare {
            name: model.processes[process].name.clone(),
            critical_share: critical.process_share[process],
            own_share: critical.link_share[process * size + process],
            critical_time_s: critical.process_time[process] * model.step_s,
            gain_s: gain(Part::Process(process), &mut solvable),
        });
    }
    let mut links = Vec::new();
    solvable = true;
    for (from, to) in (0..size * size).map(|link| (link / size, link % size)).filter(|(from, to)| from != to) {
        if stop() {
            return None;
        }
        links.push(LinkShare {
            from: model.processes[from].name.clone(),
            to: model.processes[to].name.clone(),
            critical_share: critical.link_share[from * size + to],
            critical_time_s: critical.link_time[from * size + to] * model.step_s,
            gain_s: gain(Part::Link { from, to }, &mut solvable),
        });
    }
    if processes.iter().any(|process| process.gain_s.is_none()) || links.iter().any(|link| link.gain_s.is_none()) {
        warnings.push(Warning::new("gain_unknown", "some gains are unknown: the faster model could not be solved"));
    }
    let overrun_time_s = match model.semantics {
        Semantics::Abort => 0.0,
        Semantics::Complete => critical.overrun_time * model.step_s,
    };
    Some(Sensitivity { method, processes, links, overrun_time_s, warnings })
}

#[cfg(test)]
mod tests;
