//! The slow and obvious way: every draw of a phase is tried, the matrix is full, and its equations are solved by plain
//! elimination. It shares the model with the listed chain, and nothing else.

use crate::model::{Model, Semantics, Tie};
use nalgebra::{DMatrix, DVector};
use std::collections::HashMap;

/// Draws by a script, so that a phase can be played in every possible way.
pub(super) struct Draws {
    script: Vec<usize>,
    next: usize,
    widths: Vec<usize>,
    probability: f64,
}

impl Draws {
    fn pick(&mut self, probabilities: &[f64]) -> usize {
        if self.next == self.script.len() {
            self.script.push(0);
        }
        let choice = self.script[self.next];
        self.next += 1;
        self.widths.push(probabilities.len());
        self.probability *= probabilities[choice];
        choice
    }

    fn time(&mut self, law: &crate::Law) -> i64 {
        let probabilities: Vec<f64> = law.support().iter().map(|(_, probability)| *probability).collect();
        law.support()[self.pick(&probabilities)].0 as i64
    }
}

fn every_way<T>(mut play: impl FnMut(&mut Draws) -> T) -> Vec<(T, f64)> {
    let mut ways = Vec::new();
    let mut script = Vec::new();
    loop {
        let mut draws = Draws { script, next: 0, widths: Vec::new(), probability: 1.0 };
        let outcome = play(&mut draws);
        if draws.probability > 0.0 {
            ways.push((outcome, draws.probability));
        }
        script = draws.script;
        // The next script: the last choice that can be another one.
        while script.last().is_some_and(|choice| choice + 1 == draws.widths[script.len() - 1]) {
            script.pop();
        }
        match script.last_mut() {
            Some(choice) => *choice += 1,
            None => return ways,
        }
    }
}

/// A phase: the offsets after it, its duration on process 1, and the updates of each process.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Course {
    next: (usize, Vec<i64>),
    phase: i64,
    counts: Vec<i64>,
}

fn play(model: &Model, mode: usize, start: &[i64], draws: &mut Draws) -> Course {
    let (size, laws) = (model.size(), &model.modes.laws[mode]);
    let mut end_of_alpha = start.to_vec();
    for (process, end) in end_of_alpha.iter_mut().enumerate() {
        for _ in 0..model.processes[process].alpha_updates {
            *end += draws.time(&laws.update[process]);
        }
    }
    let (mut ends, mut counts) = (Vec::new(), Vec::new());
    for process in 0..size {
        let own = end_of_alpha[process];
        let mut last = i64::MIN;
        for other in (0..size).filter(|other| *other != process) {
            last = last.max(end_of_alpha[other] + draws.time(&laws.message[other][process]));
        }
        let most = i64::from(model.processes[process].beta_updates);
        let (mut now, mut done) = (own, 0);
        while last > own && done < most && now < last {
            let ready = now + draws.time(&laws.update[process]);
            let counts = match (model.semantics, model.tie) {
                (Semantics::Complete, _) => true,
                (Semantics::Abort, Tie::Counts) => ready <= last,
                (Semantics::Abort, Tie::Discards) => ready < last,
            };
            if !counts {
                break;
            }
            now = ready;
            done += 1;
        }
        ends.push(own.max(last).max(now));
        counts.push(i64::from(model.processes[process].alpha_updates) + done);
    }
    let next_mode = draws.pick(&model.modes.transition[mode]);
    let next = (next_mode, ends.iter().map(|end| end - ends[0]).collect());
    Course { next, phase: ends[0] - start[0], counts }
}

/// Everything that is compared.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub states: usize,
    /// Weight, states, period, E\[Phi\], E\[N\]; by decreasing weight.
    pub classes: Vec<(f64, usize, u64, f64, f64)>,
    /// E Phi, Var Phi, E N, Var N, Cov.
    pub phase: [f64; 5],
    pub asymptotic: Option<[f64; 3]>,
    pub extremes: (i64, i64),
    pub updates_mean: Vec<f64>,
    pub iterations_pmf: HashMap<i64, f64>,
    pub phase_pmf: HashMap<i64, f64>,
    pub wavefront: HashMap<(usize, Vec<i64>), f64>,
}

type State = (usize, Vec<i64>);

pub(super) fn answer(model: &Model) -> Answer {
    let mut states: Vec<State> = Vec::new();
    let mut start = Vec::new();
    for (mode, probability) in model.modes.start.iter().enumerate() {
        if *probability > 0.0 {
            start.push(*probability);
            states.push((mode, model.start.clone()));
        }
    }
    let mut courses: Vec<Vec<(Course, f64)>> = Vec::new();
    while let Some((mode, offsets)) = states.get(courses.len()).cloned() {
        let mut merged: HashMap<Course, f64> = HashMap::new();
        for (course, probability) in every_way(|draws| play(model, mode, &offsets, draws)) {
            *merged.entry(course).or_insert(0.0) += probability;
        }
        for course in merged.keys() {
            if !states.contains(&course.next) {
                states.push(course.next.clone());
            }
        }
        let mut merged: Vec<_> = merged.into_iter().collect();
        merged.sort_by(|a, b| a.0.cmp(&b.0));
        courses.push(merged);
    }
    let size = states.len();
    let place = |state: &State| states.iter().position(|other| other == state).expect("a known state");
    let mut matrix = DMatrix::<f64>::zeros(size, size);
    for (from, courses) in courses.iter().enumerate() {
        for (course, probability) in courses {
            matrix[(from, place(&course.next))] += probability;
        }
    }
    let classes = closed_classes(&matrix);
    let weights = absorbed(&matrix, &classes, &start);
    let mut law = DVector::<f64>::zeros(size);
    let mut answer = Answer { states: size, updates_mean: vec![0.0; model.size()], ..Answer::default() };
    for (members, weight) in classes.iter().zip(&weights) {
        let own = stationary(&matrix, members);
        let (mut phase, mut iterations) = (0.0, 0.0);
        for (state, share) in members.iter().zip(own.iter()) {
            law[*state] = weight * share;
            for (course, probability) in &courses[*state] {
                phase += share * probability * course.phase as f64;
                iterations += share * probability * most(course) as f64;
            }
        }
        answer.classes.push((*weight, members.len(), period(&matrix, members), phase, iterations));
    }
    answer.classes.sort_by(|a, b| b.0.total_cmp(&a.0));
    answer.extremes = (i64::MAX, 0);
    for (state, weight) in law.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        *answer.wavefront.entry(states[state].clone()).or_insert(0.0) += weight;
        for (course, probability) in &courses[state] {
            let iterations = most(course);
            answer.extremes = (answer.extremes.0.min(iterations), answer.extremes.1.max(iterations));
            *answer.iterations_pmf.entry(iterations).or_insert(0.0) += weight * probability;
            *answer.phase_pmf.entry(course.phase).or_insert(0.0) += weight * probability;
            for (sum, count) in answer.updates_mean.iter_mut().zip(&course.counts) {
                *sum += weight * probability * *count as f64;
            }
        }
    }
    let mean = |value: &dyn Fn(&Course) -> f64| -> f64 {
        let of =
            |state: usize| courses[state].iter().map(|(course, probability)| probability * value(course)).sum::<f64>();
        (0..size).map(|state| law[state] * of(state)).sum()
    };
    let (phase, iterations) = (mean(&|course| course.phase as f64), mean(&|course| most(course) as f64));
    let away = |course: &Course| [course.phase as f64 - phase, most(course) as f64 - iterations];
    let cov = |i: usize, j: usize| mean(&|course| away(course)[i] * away(course)[j]);
    answer.phase = [phase, cov(0, 0), iterations, cov(1, 1), cov(0, 1)];
    if let [members] = &classes[..] {
        // g over the class by (I - P + 1 pi) g = f.
        let count = members.len();
        let system = DMatrix::from_fn(count, count, |i, j| {
            f64::from(u8::from(i == j)) - matrix[(members[i], members[j])] + law[members[j]]
        });
        let system = system.lu();
        let g: Vec<DVector<f64>> = (0..2)
            .map(|which| {
                let f = DVector::from_fn(count, |i, _| {
                    courses[members[i]].iter().map(|(course, p)| p * away(course)[which]).sum::<f64>()
                });
                system.solve(&f).expect("a regular system")
            })
            .collect();
        let lagged = |which: usize, g: &DVector<f64>| {
            let mut sum = 0.0;
            for state in members {
                for (course, probability) in &courses[*state] {
                    let next = place(&course.next);
                    let next = members.iter().position(|member| *member == next).expect("a closed class");
                    sum += law[*state] * probability * away(course)[which] * g[next];
                }
            }
            sum
        };
        answer.asymptotic = Some([
            cov(0, 0) + 2.0 * lagged(0, &g[0]),
            cov(1, 1) + 2.0 * lagged(1, &g[1]),
            cov(0, 1) + lagged(0, &g[1]) + lagged(1, &g[0]),
        ]);
    }
    answer
}

fn most(course: &Course) -> i64 {
    *course.counts.iter().max().expect("a process")
}

fn closed_classes(matrix: &DMatrix<f64>) -> Vec<Vec<usize>> {
    let size = matrix.nrows();
    let mut reaches = matrix.map(|probability| probability > 0.0);
    for middle in 0..size {
        for from in 0..size {
            for to in 0..size {
                reaches[(from, to)] |= reaches[(from, middle)] && reaches[(middle, to)];
            }
        }
    }
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for state in 0..size {
        let reached: Vec<usize> = (0..size).filter(|to| reaches[(state, *to)]).collect();
        let recurrent = reached.iter().all(|to| reaches[(*to, state)]);
        if recurrent && !classes.contains(&reached) {
            classes.push(reached);
        }
    }
    classes
}

/// (I - P) h = P 1{class} over the states in no class.
fn absorbed(matrix: &DMatrix<f64>, classes: &[Vec<usize>], start: &[f64]) -> Vec<f64> {
    let left: Vec<usize> =
        (0..matrix.nrows()).filter(|state| !classes.iter().any(|class| class.contains(state))).collect();
    let count = left.len();
    let system = DMatrix::from_fn(count, count, |i, j| f64::from(u8::from(i == j)) - matrix[(left[i], left[j])]).lu();
    let weight = |class: &Vec<usize>| {
        let into = DVector::from_fn(count, |i, _| class.iter().map(|to| matrix[(left[i], *to)]).sum::<f64>());
        let ends = if left.is_empty() { into } else { system.solve(&into).expect("a regular system") };
        let of = |state: usize| match left.iter().position(|other| *other == state) {
            Some(place) => ends[place],
            None => f64::from(u8::from(class.contains(&state))),
        };
        start.iter().enumerate().map(|(state, probability)| probability * of(state)).sum()
    };
    classes.iter().map(weight).collect()
}

/// pi (P - I) = 0 with the last equation replaced by the sum.
fn stationary(matrix: &DMatrix<f64>, members: &[usize]) -> DVector<f64> {
    let count = members.len();
    let system = DMatrix::from_fn(count, count, |i, j| {
        let equation = matrix[(members[j], members[i])] - f64::from(u8::from(i == j));
        if i + 1 == count { 1.0 } else { equation }
    });
    let mut right = DVector::zeros(count);
    right[count - 1] = 1.0;
    system.lu().solve(&right).expect("a regular system")
}

/// The greatest common divisor of the times at which a state can come back.
fn period(matrix: &DMatrix<f64>, members: &[usize]) -> u64 {
    let mut now: Vec<usize> = vec![members[0]];
    let mut period = 0_u64;
    for time in 1..=(3 * members.len() as u64 + 3) {
        now = members.iter().copied().filter(|to| now.iter().any(|from| matrix[(*from, *to)] > 0.0)).collect();
        if now.contains(&members[0]) {
            let (mut a, mut b) = (period, time);
            while b > 0 {
                (a, b) = (b, a % b);
            }
            period = a;
        }
    }
    period
}
