//! Sizes and speed of the exact method.
//!
//! CPU time is that of the one thread that solves. Memory is what is reckoned before any is taken; the peak over all rows is
//! asked of the system, for one row cannot be told from what the allocator kept of those before.

use runcast_core::random::SplitMix;
use runcast_wavefront::model::Semantics;
use runcast_wavefront::solve::bound::Bound;
use runcast_wavefront::solve::tensor::{self, Options};
use runcast_wavefront::{Law, Model, Solution, cases};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use std::time::Instant;

/// Goes of which the fastest counts, where one is soon over.
const GOES: usize = 3;

/// Above this, once is enough.
const SOON_S: f64 = 1.0;

/// The steady-state solver of Storm, given the finished matrix of the chain of the last table: as published with the
/// wavefront specification of this project, measured on one core of a 2-core x86-64 virtual machine.
const STORM_S: f64 = 7.2;

pub fn section() -> Result<String, String> {
    let mut text = String::from("### Exact method\n\n");
    text.push_str(
        "One thread, every number that `wavefront solve` gives. *Phases* is how often one phase was applied: for the \
         stationary law, and in all (states and classes, spreads). *Residual* is the sum of |pi P - pi|.\n\n\
         | model | states | solved | CPU s | goal | MB | phases | residual |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let before = forget_peak();
    for row in rows()? {
        text.push_str(&row.line()?);
    }
    text.push('\n');
    if let (Some(before), Some(peak)) = (before, memory("VmHWM:")) {
        let _ = writeln!(
            text,
            "*MB* is reckoned before; over all rows, {:.0} MB were taken.\n",
            (peak.max(before) - before) as f64 / 1e6
        );
    }
    text.push_str(&reference()?);
    Ok(text)
}

struct Row {
    name: String,
    model: Model,
    lump: bool,
    goal_s: f64,
}

fn rows() -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let sizes =
        [(2, 500, 500, 0, 1.0), (3, 60, 20, 0, 60.0), (4, 20, 20, 0, 60.0), (5, 8, 20, 0, 60.0), (6, 4, 20, 0, 60.0)];
    let counted = [(3, 40, 20, 1, 60.0), (4, 10, 20, 1, 60.0)];
    for (size, most, values, beta, goal_s) in sizes.into_iter().chain(counted) {
        let model = different(size, (1, most), values)?.with_updates(&vec![(1, beta); size]);
        let name = format!("p = {size}, all different, messages 1..{most}, {values} values of U, B = {beta}");
        rows.push(Row { name, model, lump: false, goal_s });
    }
    let complete = different(3, (1, 20), 20)?.with_updates(&[(1, 1); 3]);
    let complete = Model { semantics: Semantics::Complete, ..complete };
    rows.push(Row {
        name: "p = 3, messages 1..20, complete, B = 1".to_owned(),
        model: complete,
        lump: false,
        goal_s: 60.0,
    });
    for beta in [0, 1] {
        let model = cases::homogeneous(6, 1, 8).with_updates(&[(1, beta); 6]);
        let name = format!("p = 6, all alike, messages 1..8, B = {beta}");
        rows.push(Row { name, model, lump: true, goal_s: 60.0 });
    }
    Ok(rows)
}

/// Processes and links of which no two have the same law.
fn different(size: usize, message: (u64, u64), values: u64) -> Result<Model, String> {
    let mut random = SplitMix::new(size as u64, 0);
    let mut law = |from: u64, to: u64| {
        let weights: Vec<f64> = (from..=to).map(|_| 0.2 + random.uniform()).collect();
        let sum: f64 = weights.iter().sum();
        Law::new((from..=to).zip(weights).map(|(ticks, weight)| (ticks, weight / sum)))
            .map_err(|error| error.to_string())
    };
    let first = |process: usize| 10 + process as u64;
    let update = (0..size).map(|process| law(first(process), first(process) + values - 1)).collect::<Result<_, _>>()?;
    let mut model = cases::plain(1.0, 0.9, update, Law::constant(1));
    for from in 0..size {
        for to in (0..size).filter(|to| *to != from) {
            model.modes.laws[0].message[from][to] = Arc::new(law(message.0, message.1)?);
        }
    }
    Ok(model)
}

impl Row {
    fn line(&self) -> Result<String, String> {
        let options = Options { lump: self.lump, ..Options::default() };
        let mut least = f64::INFINITY;
        let mut solved = None;
        for _ in 0..GOES {
            let (seconds, done) = timed(|| tensor::solution_with_effort(&self.model, &options));
            solved = Some(done.map_err(|error| error.to_string())?);
            least = least.min(seconds);
            if seconds > SOON_S {
                break;
            }
        }
        let (solution, effort) = solved.ok_or("not solved")?;
        let states = solution.states;
        let reachable = states.reachable.unwrap_or(0);
        if reachable as f64 > Bound::of(&self.model).states {
            return Err(format!("{}: more states than the bound allows", self.name));
        }
        Ok(format!(
            "| {} | {reachable} | {} | {least:.2} | {}, {} | {:.0} | {} / {} | {:.0e} |\n",
            self.name,
            states.solved.unwrap_or(0),
            self.goal_s,
            if least < self.goal_s { "reached" } else { "**missed**" },
            tensor::needs(&self.model, self.lump).bytes / 1e6,
            effort.stationary_steps,
            effort.steps,
            effort.residual,
        ))
    }
}

/// The chain on which others were measured, against elimination in its dense matrix.
fn reference() -> Result<String, String> {
    let model = cases::homogeneous(3, 1, 30);
    let options = Options { lump: false, ..Options::default() };
    let mut least = f64::INFINITY;
    let mut solution = None;
    for _ in 0..2 * GOES {
        let (seconds, done) = timed(|| tensor::solution(&model, &options));
        least = least.min(seconds);
        solution = Some(done.map_err(|error| error.to_string())?);
    }
    let solution = solution.ok_or("not solved")?;
    let begun = Instant::now();
    let dense = Dense::of(&model);
    let (law, transitions) = (dense.stationary(), dense.transitions());
    let dense_s = begun.elapsed().as_secs_f64();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "p = 3, U of 4, 5 or 8 ticks, messages 1..30, nothing lumped, {} states: {least:.3} s of CPU time with everything \
         that is built. The matrix of this chain has {:.2} million entries. For a finished matrix of this size Storm took \
         {STORM_S} s and was 1e-5 off (published figures, not measured here): {:.0} times as long. Against powers of the \
         dense matrix ({dense_s:.1} s to sum it up from all times and to multiply) the law is {:.0e} off, summed over all \
         states.",
        solution.states.reachable.unwrap_or(0),
        transitions as f64 / 1e6,
        STORM_S / least,
        distance(&solution, &dense.states, &law),
    );
    Ok(text)
}

/// The transition matrix of three processes under abort, summed up over all alphas and ends as it is defined.
struct Dense {
    states: HashMap<Vec<i64>, usize>,
    matrix: Vec<f64>,
}

impl Dense {
    fn of(model: &Model) -> Dense {
        let most = model.messages().map(|law| law.most()).max().unwrap_or(0) as i64;
        let up_to: Vec<f64> = (0..=most as u64).map(|ticks| model.modes.laws[0].message[0][1].up_to(ticks)).collect();
        let arrived = |wait: i64| if wait < 0 { 0.0 } else { up_to[wait.min(most) as usize] };
        let mut states: HashMap<Vec<i64>, usize> = HashMap::from([(vec![0; 3], 0)]);
        let mut order = vec![vec![0_i64; 3]];
        let mut rows: Vec<HashMap<usize, f64>> = Vec::new();
        let update = &model.modes.laws[0].update;
        while rows.len() < order.len() {
            let start = order[rows.len()].clone();
            let mut row = HashMap::new();
            let mut moved = vec![0.0; ((most + 1) * (most + 1) * (most + 1)) as usize];
            for (a, pa) in update[0].support() {
                for (b, pb) in update[1].support() {
                    for (c, pc) in update[2].support() {
                        let y: Vec<i64> =
                            start.iter().zip([a, b, c]).map(|(start, time)| start + *time as i64).collect();
                        let last = y.iter().copied().max().unwrap_or(0);
                        let ready = |process: usize, end: i64| -> f64 {
                            let others = (0..3).filter(|from| *from != process);
                            if end < y[process] { 0.0 } else { others.map(|from| arrived(end - y[from])).product() }
                        };
                        let law = |process: usize| -> Vec<f64> {
                            (last..=last + most).map(|end| ready(process, end) - ready(process, end - 1)).collect()
                        };
                        let (one, two, three) = (law(0), law(1), law(2));
                        let mut places = moved.iter_mut();
                        for first in &one {
                            for second in &two {
                                for (third, place) in three.iter().zip(&mut places) {
                                    *place += pa * pb * pc * first * second * third;
                                }
                            }
                        }
                    }
                }
            }
            let side = most + 1;
            for (place, probability) in moved.iter().enumerate().filter(|(_, probability)| **probability > 0.0) {
                let place = place as i64;
                let ends = [place / (side * side), place / side % side, place % side];
                let to: Vec<i64> = ends.iter().map(|end| end - ends[0]).collect();
                let next = order.len();
                let index = *states.entry(to.clone()).or_insert(next);
                if index == next {
                    order.push(to);
                }
                *row.entry(index).or_insert(0.0) += probability;
            }
            rows.push(row);
        }
        let mut matrix = vec![0.0; order.len() * order.len()];
        for (row, part) in rows.iter().zip(matrix.chunks_exact_mut(order.len())) {
            row.iter().for_each(|(to, probability)| part[*to] = *probability);
        }
        Dense { states, matrix }
    }

    fn transitions(&self) -> usize {
        self.matrix.iter().filter(|probability| **probability > 0.0).count()
    }

    /// The law after many phases; this chain forgets in some ten.
    fn stationary(&self) -> Vec<f64> {
        let size = self.states.len();
        let mut law = vec![1.0 / size as f64; size];
        for _ in 0..200 {
            let mut next = vec![0.0; size];
            for (weight, row) in law.iter().zip(self.matrix.chunks_exact(size)) {
                next.iter_mut().zip(row).for_each(|(sum, probability)| *sum += weight * probability);
            }
            law = next;
        }
        let sum: f64 = law.iter().sum();
        law.iter().map(|weight| weight / sum).collect()
    }
}

/// The sum of the differences of two laws of the wavefront.
fn distance(solution: &Solution, states: &HashMap<Vec<i64>, usize>, law: &[f64]) -> f64 {
    let mut left = law.to_vec();
    let met = solution.wavefront.iter().map(|state| match states.get(&state.offsets) {
        Some(place) => (state.probability - std::mem::take(&mut left[*place])).abs(),
        None => state.probability,
    });
    let met: f64 = met.sum();
    met + left.iter().sum::<f64>()
}

/// CPU time of this thread, in s.
fn timed<T>(go: impl FnOnce() -> T) -> (f64, T) {
    let (begun, clock) = (cpu_s(), Instant::now());
    let done = go();
    let seconds = match (begun, cpu_s()) {
        (Some(begun), Some(ended)) => ended - begun,
        _ => clock.elapsed().as_secs_f64(),
    };
    (seconds, done)
}

fn cpu_s() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds * 1e-9)
}

/// Resets the peak of the memory, where the system lets a process do so, and gives what is in use, in bytes.
fn forget_peak() -> Option<u64> {
    fs::write("/proc/self/clear_refs", "5").ok()?;
    memory("VmRSS:")
}

fn memory(field: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
