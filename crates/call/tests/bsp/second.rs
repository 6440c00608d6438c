//! A second implementation, slow and obvious: programs as plain data, and formulas (1) to (6) word by word.

use runcast_core::random::SplitMix;
use std::fmt::Write as _;

/// A task: its supersteps.
pub type Task = Vec<Step>;

/// A superstep of a machine of so many processors; lists have an entry for each.
#[derive(Debug, Clone)]
pub struct Step {
    pub before: Vec<f64>,
    pub work: Vec<f64>,
    /// Cumulative end and task of each group.
    pub groups: Vec<(usize, Task)>,
    pub sync: Sync,
    /// From, to, bytes.
    pub messages: Vec<(usize, usize, f64)>,
    pub g: Vec<f64>,
    pub l: f64,
    pub is_sum: bool,
    /// How often it is repeated.
    pub repeat: usize,
    /// Whether the messages are written as `partners` and `h_bytes`, which then are these.
    pub given_h: Option<Vec<f64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    None,
    Oblivious,
    Barrier,
}

/// What a random program is to be like.
#[derive(Clone, Copy)]
pub struct Wish {
    pub only_barriers: bool,
}

pub struct Random {
    numbers: SplitMix,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { numbers: SplitMix::new(seed, 0) }
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.numbers.below(bound)
    }

    /// A time: often a small whole number, so that ties are frequent.
    fn time(&mut self) -> f64 {
        match self.below(3) {
            0 => self.below(4) as f64,
            1 => 0.25 * self.below(20) as f64,
            _ => 5.0 * self.numbers.uniform(),
        }
    }

    fn times(&mut self, procs: usize) -> Vec<f64> {
        (0..procs).map(|_| self.time()).collect()
    }

    pub fn start(&mut self, procs: usize) -> Vec<f64> {
        if self.below(2) == 0 { vec![0.0; procs] } else { self.times(procs) }
    }

    pub fn task(&mut self, procs: usize, depth: usize, wish: Wish) -> Task {
        (0..1 + self.below(3)).map(|_| self.step(procs, depth, wish)).collect()
    }

    fn step(&mut self, procs: usize, depth: usize, wish: Wish) -> Step {
        let groups = if depth > 0 && self.below(3) == 0 { self.groups(procs, depth, wish) } else { Vec::new() };
        let sync = match self.below(4) {
            _ if wish.only_barriers => Sync::Barrier,
            0 => Sync::None,
            1 => Sync::Barrier,
            _ => Sync::Oblivious,
        };
        let mut messages = Vec::new();
        if sync != Sync::None {
            for _ in 0..self.below(2 * procs + 1) {
                messages.push((self.below(procs), self.below(procs), self.time()));
            }
            // Somebody sends to all others.
            if self.below(4) == 0 {
                let (from, bytes) = (self.below(procs), self.time());
                messages.extend((0..procs).map(|to| (from, to, bytes)));
            }
        }
        let given_h = (sync == Sync::Oblivious && self.below(5) == 0).then(|| self.times(procs));
        let g = if self.below(2) == 0 { vec![self.time(); procs] } else { self.times(procs) };
        Step {
            before: self.times(procs),
            work: self.times(procs),
            groups,
            sync,
            messages,
            g,
            l: self.time(),
            is_sum: self.below(2) == 0,
            repeat: if self.below(5) == 0 { 2 } else { 1 },
            given_h,
        }
    }

    fn groups(&mut self, procs: usize, depth: usize, wish: Wish) -> Vec<(usize, Task)> {
        let mut groups = Vec::new();
        let mut end = 0;
        while end < procs {
            let size = 1 + self.below(procs - end);
            end += size;
            groups.push((end, self.task(size, depth - 1, wish)));
        }
        groups
    }
}

/// When each processor is done. In the reading of BSP, Om is all of the machine, always.
pub fn run(task: &Task, start: &[f64], is_bsp: bool) -> Vec<f64> {
    let mut f = start.to_vec();
    for step in task {
        for _ in 0..step.repeat {
            f = superstep(step, &f, is_bsp);
        }
    }
    f
}

fn superstep(step: &Step, f: &[f64], is_bsp: bool) -> Vec<f64> {
    let procs = f.len();
    let mut done: Vec<f64> = f.iter().zip(&step.before).map(|(f, w)| f + w).collect();
    // (5), (6)
    let mut first = 0;
    for (end, task) in &step.groups {
        let group = run(task, &done[first..*end], is_bsp);
        done.splice(first..*end, group);
        first = *end;
    }
    for (done, w) in done.iter_mut().zip(&step.work) {
        *done += w;
    }
    // (1)
    let om = |i: usize| -> Vec<usize> {
        let sends = |j: usize| step.messages.iter().any(|(from, to, _)| (*from, *to) == (j, i));
        match step.sync {
            _ if is_bsp => (0..procs).collect(),
            Sync::Barrier => (0..procs).collect(),
            Sync::None => vec![i],
            Sync::Oblivious => (0..procs).filter(|&j| j == i || sends(j)).collect(),
        }
    };
    // (4)
    let others = || step.messages.iter().filter(|(from, to, _)| from != to);
    let bytes = |j: usize| {
        let incoming: f64 = others().filter(|(_, to, _)| *to == j).map(|(_, _, bytes)| bytes).sum();
        let outgoing: f64 = others().filter(|(from, _, _)| *from == j).map(|(_, _, bytes)| bytes).sum();
        if step.is_sum { incoming + outgoing } else { incoming.max(outgoing) }
    };
    let largest = |of: &dyn Fn(usize) -> f64, among: Vec<usize>| among.into_iter().map(of).fold(0.0, f64::max);
    let h = |i: usize| match &step.given_h {
        Some(given) if is_bsp || step.sync == Sync::Barrier => largest(&|j| given[j], (0..procs).collect()),
        Some(given) => given[i],
        None => largest(&bytes, om(i)),
    };
    // (2)
    let latest = |i: usize| om(i).into_iter().map(|j| done[j]).fold(f64::NEG_INFINITY, f64::max);
    let cost = |i: usize| if step.sync == Sync::None { 0.0 } else { step.g[i] * h(i) + step.l };
    (0..procs).map(|i| latest(i) + cost(i)).collect()
}

/// The program as a file.
pub fn toml(task: &Task, start: &[f64]) -> String {
    let starts: Vec<String> = start.iter().map(f64::to_string).collect();
    let mut out = Writer { text: String::new(), tasks: Vec::new(), blocks: 0 };
    let main = out.task(task, start.len());
    let machine =
        format!("machine = {{ processors = {}, task = \"{main}\", start = [{}] }}\n", start.len(), starts.join(", "));
    format!("{machine}{}{}", out.text, out.tasks.concat())
}

struct Writer {
    text: String,
    tasks: Vec<String>,
    blocks: usize,
}

impl Writer {
    fn task(&mut self, task: &Task, procs: usize) -> String {
        let mut text = String::new();
        let name = format!("t{}", self.tasks.len());
        self.tasks.push(String::new());
        let place = self.tasks.len() - 1;
        for step in task {
            text.push_str(&self.step(step, &name, procs));
            // A step that is passed over changes nothing.
            let _ = writeln!(text, "[[task.{name}.step]]\nif = \"procs == {}\"\nwork = 1000\n", procs + 1);
        }
        self.tasks[place] = text;
        name
    }

    fn step(&mut self, step: &Step, task: &str, procs: usize) -> String {
        let mut text = format!("[[task.{task}.step]]\n");
        let _ = writeln!(text, "before = \"{}\"\nwork = \"{}\"", by_processor(&step.before), by_processor(&step.work));
        if step.repeat != 1 {
            let _ = writeln!(text, "repeat = {}", step.repeat);
        }
        if !step.groups.is_empty() {
            let (mut ends, mut names, mut first) = (Vec::new(), Vec::new(), 0);
            for (end, inner) in &step.groups {
                names.push(format!("\"{}\"", self.task(inner, end - first)));
                ends.push(end.to_string());
                first = *end;
            }
            let _ = writeln!(text, "partition = [{}]\ncall = [{}]", ends.join(", "), names.join(", "));
        }
        if step.sync == Sync::None {
            return text;
        }
        let block = format!("b{}", self.blocks);
        self.blocks += 1;
        let duplex = if step.is_sum { "sum" } else { "max" };
        let _ = writeln!(
            self.text,
            "block.{block} = {{ g = \"{}\", L = {}, h = \"{duplex}\" }}",
            by_processor(&step.g),
            step.l
        );
        let sync = if step.sync == Sync::Barrier { "barrier" } else { "oblivious" };
        let _ = writeln!(text, "block = \"{block}\"\nsync = \"{sync}\"");
        match &step.given_h {
            Some(given) => self.partners(step, given, procs, &mut text),
            None => messages(step, procs, &mut text),
        }
        text
    }

    /// As many partners for each as anybody has; oneself where there are fewer.
    fn partners(&self, step: &Step, given: &[f64], procs: usize, text: &mut String) {
        let of = |i: usize| -> Vec<usize> {
            step.messages.iter().filter(|(_, to, _)| *to == i).map(|(from, _, _)| *from).collect()
        };
        let most = (0..procs).map(|i| of(i).len()).max().unwrap_or(0);
        let partner = |k: usize| {
            let who: Vec<f64> = (0..procs).map(|i| of(i).get(k).copied().unwrap_or(i) as f64).collect();
            format!("\"{}\"", by_processor(&who))
        };
        let partners: Vec<String> = (0..most).map(partner).collect();
        let _ = writeln!(text, "partners = [{}]\nh_bytes = \"{}\"", partners.join(", "), by_processor(given));
    }
}

/// Messages one by one; somebody's to all as such where all are there.
fn messages(step: &Step, procs: usize, text: &mut String) {
    let mut sends: Vec<String> = Vec::new();
    let mut left = step.messages.as_slice();
    let mut expected = vec![0.0; procs];
    while let Some(&(from, to, bytes)) = left.first() {
        let is_to_all = left.len() >= procs && (0..procs).all(|to| left[to] == (from, to, bytes));
        if is_to_all {
            sends.push(format!("{{ to = \"all\", bytes = {bytes}, if = \"me == {from}\" }}"));
            (0..procs).filter(|&to| to != from).for_each(|to| expected[to] += 1.0);
            left = &left[procs..];
        } else {
            sends.push(format!("{{ to = {to}, bytes = {bytes}, if = \"me == {from}\" }}"));
            expected[to] += if from == to { 0.0 } else { 1.0 };
            left = &left[1..];
        }
    }
    let _ = writeln!(text, "send = [ {} ]\nexpect = \"{}\"", sends.join(", "), by_processor(&expected));
}

/// A formula that is another number for each processor.
fn by_processor(values: &[f64]) -> String {
    let last = values.last().copied().unwrap_or(0.0).to_string();
    let inner = values.iter().enumerate().rev().skip(1);
    inner.fold(last, |rest, (me, value)| format!("if(me == {me}, {value}, {rest})"))
}
