//! Modes of series that were made from known ones, and what they do to the spread of the run time.

use super::*;
use crate::sample::series::series_of;
use crate::sample::table::{Kind, Row};
use runcast_core::random::SplitMix;

/// Two processes in lockstep with a hidden mode: a phase is an update of the slower one, messages take no time.
struct Truth {
    transition: Vec<Vec<f64>>,
    /// Mean update of each process (inner) in each mode (outer) [s].
    updates: Vec<[f64; 2]>,
}

fn two() -> Truth {
    Truth { transition: vec![vec![0.99, 0.01], vec![0.03, 0.97]], updates: vec![[2.0, 2.0], [6.0, 2.0]] }
}

fn three() -> Truth {
    let transition = vec![vec![0.99, 0.01, 0.0], vec![0.01, 0.97, 0.02], vec![0.0, 0.03, 0.97]];
    Truth { transition, updates: vec![[1.0, 1.0], [3.0, 2.0], [9.0, 2.5]] }
}

fn next(row: &[f64], random: &mut SplitMix) -> usize {
    let draw = random.uniform();
    let sums = row.iter().scan(0.0, |sum, p| {
        *sum += p;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= draw).count().min(row.len() - 1)
}

impl Truth {
    /// A time that varies by a quarter around its mean.
    fn time(&self, mode: usize, process: usize, random: &mut SplitMix) -> f64 {
        self.updates[mode][process] * (0.75 + 0.5 * random.uniform())
    }

    /// So many phases: the samples of both processes, each going on by itself, and how often which mode followed which.
    fn samples(&self, phases: usize, seed: u64) -> (Samples, Vec<Vec<f64>>) {
        let mut random = SplitMix::new(seed, 0);
        let (mut mode, mut rows) = (0, Vec::new());
        let mut clocks = [0.0; 2];
        let mut follows = vec![vec![0.0; self.updates.len()]; self.updates.len()];
        let row = |process: usize, rep: usize, start_s: f64, time_s: f64| Row {
            kind: Kind::Update,
            process: format!("p{}", process + 1).into(),
            peer: None,
            host: "".into(),
            rep: rep as u64,
            start_s: Some(start_s),
            time_s,
            mode: None,
        };
        for phase in 0..phases {
            let time = self.time(mode, 0, &mut random);
            rows.push(row(0, phase, clocks[0], time));
            clocks[0] += time;
            while clocks[1] < clocks[0] {
                let time = self.time(mode, 1, &mut random);
                rows.push(row(1, rows.len(), clocks[1], time));
                clocks[1] += time;
            }
            let after = next(&self.transition[mode], &mut random);
            follows[mode][after] += 1.0;
            mode = after;
        }
        (Samples { rows }, follows)
    }

    /// Duration of this many phases: maxima over both processes.
    fn run(&self, phases: usize, mode: &mut usize, random: &mut SplitMix) -> f64 {
        let mut sum = 0.0;
        for _ in 0..phases {
            sum += self.time(*mode, 0, random).max(self.time(*mode, 1, random));
            *mode = next(&self.transition[*mode], random);
        }
        sum
    }
}

fn options(modes: usize) -> FitOptions {
    FitOptions { modes, window: WINDOW, seed: 0 }
}

#[test]
fn two_modes_are_recovered() {
    let truth = two();
    let (mut samples, follows) = truth.samples(40_000, 5);
    let series = series_of(&samples);
    let modes = fit(&series, &options(2)).expect("modes");
    assert_eq!(modes.names, ["calm", "busy"]);
    assert!(modes.bic_gain > 100.0 && modes.has_generator, "{}", modes.bic_gain);
    for mode in 0..2 {
        let realized = follows[mode][1 - mode] / (follows[mode][0] + follows[mode][1]);
        let found = modes.transition[mode][1 - mode];
        println!("leaves {mode}: made with {realized}, found {found}");
        assert!((found / realized - 1.0).abs() < 0.25, "{found} {realized}");
        for process in 0..2 {
            let (found, made) = (modes.update_mean_s[mode][process], truth.updates[mode][process]);
            assert!((found / made - 1.0).abs() < 0.06, "{mode} {process}: {found} {made}");
        }
        assert!((modes.phase_mean_s[mode] / [2.17, 6.0][mode] - 1.0).abs() < 0.06, "{:?}", modes.phase_mean_s);
    }
    modes.label(&series, &mut samples);
    let known = samples.rows.iter().filter(|row| row.mode.is_some()).count();
    assert!(known * 10 > samples.rows.len() * 8, "{known} of {}", samples.rows.len());
    let slow = samples.rows.iter().filter(|row| &*row.process == "p1" && row.time_s > 4.0 && row.mode.is_some());
    let (all, busy) =
        slow.fold((0u32, 0u32), |(all, busy), row| (all + 1, busy + u32::from(row.mode.as_deref() == Some("busy"))));
    assert!(f64::from(busy) > 0.95 * f64::from(all), "{busy} of {all}");
}

#[test]
fn three_modes_are_recovered_in_their_order() {
    let truth = three();
    let (samples, follows) = truth.samples(60_000, 2);
    let modes = fit(&series_of(&samples), &options(3)).expect("modes");
    assert_eq!(modes.names, ["calm", "busy", "heavy"]);
    for (mode, follows) in follows.iter().enumerate() {
        let realized = 1.0 - follows[mode] / follows.iter().sum::<f64>();
        let found = 1.0 - modes.transition[mode][mode];
        println!("leaves {mode}: made with {realized}, found {found}");
        assert!((found / realized - 1.0).abs() < 0.3, "{mode}: {found} {realized}");
        assert!((modes.update_mean_s[mode][0] / truth.updates[mode][0] - 1.0).abs() < 0.1, "{:?}", modes.update_mean_s);
    }
}

/// Standard deviation of the time of 1,000 phases, in the long run.
fn spread(run: &mut dyn FnMut() -> f64) -> f64 {
    let times: Vec<f64> = (0..3000).map(|_| run()).collect();
    runcast_core::statistics::population_sd(&times)
}

#[test]
fn modes_get_the_spread_right_and_one_law_does_not() {
    let truth = two();
    let (samples, _) = truth.samples(40_000, 5);
    let series = series_of(&samples);
    let modes = fit(&series, &options(2)).expect("modes");
    let (mut mode, mut random) = (0, SplitMix::new(1, 1));
    let right = spread(&mut || truth.run(1000, &mut mode, &mut random));

    let by = |process: usize, mode: Option<usize>| -> Vec<f64> {
        let series = &series[process];
        let inside = |index: &usize| {
            mode.is_none_or(|mode| modes.clear[modes.windows.nearest(series.middle_s(*index))] == Some(mode))
        };
        (0..series.time_s.len()).filter(inside).map(|index| series.time_s[index]).collect()
    };
    let draw = |times: &[f64], random: &mut SplitMix| times[random.below(times.len())];
    let laws: Vec<[Vec<f64>; 2]> = (0..2).map(|mode| [by(0, Some(mode)), by(1, Some(mode))]).collect();
    let mut mode = 0;
    let with_modes = spread(&mut || {
        (0..1000)
            .map(|_| {
                let phase = draw(&laws[mode][0], &mut random).max(draw(&laws[mode][1], &mut random));
                mode = next(&modes.transition[mode], &mut random);
                phase
            })
            .sum()
    });
    let pooled = [by(0, None), by(1, None)];
    let without =
        spread(&mut || (0..1000).map(|_| draw(&pooled[0], &mut random).max(draw(&pooled[1], &mut random))).sum());
    println!("truth {right}, with modes {with_modes}, pooled {without}");
    assert!((with_modes / right - 1.0).abs() < 0.2, "{with_modes} {right}");
    assert!(without < 0.25 * right, "{without} {right}");
}

#[test]
fn one_law_gains_nothing_from_modes() {
    let truth = Truth { transition: vec![vec![1.0]], updates: vec![[2.0, 3.0]] };
    let (samples, _) = truth.samples(4_000, 3);
    match fit(&series_of(&samples), &options(2)) {
        Ok(modes) => assert!(modes.bic_gain <= 0.0, "{}", modes.bic_gain),
        Err(reason) => assert_eq!(reason, NoModes::Empty),
    }
}

#[test]
fn what_cannot_be_fitted_is_told() {
    let truth = two();
    let (mut samples, _) = truth.samples(100, 3);
    assert_eq!(fit(&series_of(&samples), &options(2)), Err(NoModes::TooFew { windows: 19, needed: 40 }));
    samples.rows[3].start_s = None;
    assert_eq!(fit(&series_of(&samples), &options(2)), Err(NoModes::NoCommonTime));
    let same = |rep: u64| Row { rep, start_s: Some(rep as f64), time_s: 1.0, ..samples.rows[0].clone() };
    let constant = Samples { rows: (0..1000).map(same).collect() };
    assert_eq!(fit(&series_of(&constant), &options(2)), Err(NoModes::Constant));
}

#[test]
fn the_same_seed_gives_the_same_modes() {
    let (samples, _) = three().samples(5_000, 2);
    let series = series_of(&samples);
    let fitted = |seed| fit(&series, &FitOptions { modes: 3, window: WINDOW, seed });
    assert_eq!(fitted(4), fitted(4));
}
