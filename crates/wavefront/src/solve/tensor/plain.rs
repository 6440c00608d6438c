//! One phase on states that distinguish every process.

use super::arrive::{Arrive, spread};
use super::axis::{self, Axis};
use super::count::Beta;
use super::depart::{Timed, depart};
use super::ends::Ends;
use super::engine::{Engine, Limit};
use super::faces::{Faces, others};
use super::follow::Follow;
use super::krylov;
use super::pair::Pair;
use super::times::{Shape, Times};
use crate::model::{Model, Tie};

/// States as lags against the process that starts last, on the faces of a box.
pub(super) struct Plain<'m> {
    model: &'m Model,
    shape: Shape,
    groups: Vec<Vec<usize>>,
    states: Faces,
    meetings: Faces,
    modes: Vec<Mode>,
}

struct Mode {
    times: Times,
    axes: Vec<Axis>,
    pair: Option<Pair>,
    arrivals: Arrivals,
}

enum Arrivals {
    Factored(Vec<Arrive>),
    Followed(Vec<Follow>),
}

/// How much of the work for one number of iterations each of the some 30 phases is charged with.
pub(super) const PARTS_OF_FOLLOWING: f64 = 1.0 / 6.0;

/// Bytes for the solution of linear equations.
pub(super) fn solving(places: f64) -> f64 {
    8.0 * places * (krylov::basis(places.min(1e12) as usize) + 30) as f64
}

/// What [`Plain`] takes: bytes, and products of numbers in a phase.
pub(super) fn needs(model: &Model, shape: &Shape) -> (f64, f64) {
    let size = shape.size;
    let depth = |process: usize| (shape.clip[process] + 1) as f64;
    let length = |process: usize| (shape.latest[process] + 1) as f64;
    let box_of = |of: &dyn Fn(usize) -> f64, but: usize| others(size, but).map(of).product::<f64>();
    let ends: f64 = (0..size).map(length).product();
    let states = size as f64 * ((shape.lag + 1) as f64).powi(size as i32 - 1);
    let follows = !shape.abort;
    let levels = shape.levels(model);
    let counts = model.processes.iter().any(|process| process.beta_updates > 0);
    let laws = |leader: usize, whole: bool| -> f64 {
        let meetings = box_of(&depth, leader);
        let law = |process: usize| {
            let seen = if whole || process == leader { meetings } else { meetings / depth(process) };
            seen * length(process)
        };
        (0..size).map(law).sum()
    };
    let modes = model.modes.count() as f64;
    let tables: f64 = (0..size).map(|leader| 8.0 * laws(leader, follows) + 4.0 * ends).sum();
    let once =
        if counts && !follows { (0..size).map(|leader| 8.0 * laws(leader, true)).fold(0.0, f64::max) } else { 0.0 };
    let axes: f64 = (0..size).map(|process| 8.0 * shape.rows() as f64 * depth(process)).sum();
    let bytes = modes * (tables + axes) + once + 16.0 * ends + solving(states * modes);
    let work = |leader: usize| {
        let meetings = box_of(&depth, leader);
        let followed = levels * PARTS_OF_FOLLOWING * meetings * ends;
        if follows || size < 2 {
            return meetings * ends + followed;
        }
        let first = others(size, leader).next_back().unwrap_or(0);
        meetings * ends / length(first) + meetings / depth(first) * ends + followed
    };
    let turns = (shape.turn.1 - shape.turn.0 + 1) as f64;
    let departing =
        if size == 2 { states * states } else { turns * states * size as f64 * ((shape.lag + 1) as f64).min(20.0) };
    (bytes, modes * ((0..size).map(work).sum::<f64>() + departing))
}

impl<'m> Plain<'m> {
    pub fn new(model: &'m Model, shape: Shape) -> Plain<'m> {
        let states = Faces::new(vec![shape.lag + 1; shape.size]);
        let meetings = Faces::new(shape.clip.iter().map(|clip| clip + 1).collect());
        let modes = (0..model.modes.count()).map(|mode| Mode::new(model, &shape, &states, mode)).collect();
        let groups = (0..shape.size).map(|process| vec![process]).collect();
        Plain { model, shape, groups, states, meetings, modes }
    }
}

impl Mode {
    fn new(model: &Model, shape: &Shape, states: &Faces, mode: usize) -> Mode {
        let times = Times::of(model, &model.modes.laws[mode]);
        let axes = (0..shape.size).map(|process| Axis::plain(&times.alpha[process], shape, process)).collect();
        let pair = (shape.size == 2).then(|| Pair::new(&times, shape));
        let arrivals = if shape.abort {
            Arrivals::Factored((0..shape.size).map(|leader| Arrive::new(&times, shape, states, leader)).collect())
        } else {
            let beta = |process| Beta::new(model, mode, process, None, Tie::Counts, shape.wait[process]);
            let betas: Vec<Beta> = (0..shape.size).map(beta).collect();
            let follow = |leader| Follow::new(&times, shape, states, leader, &betas);
            Arrivals::Followed((0..shape.size).map(follow).collect())
        };
        Mode { times, axes, pair, arrivals }
    }

    fn depart(&self, engine: &Plain<'_>, measure: &[f64], out: &mut [f64], timed: Option<&mut Timed<'_>>) {
        let (states, meetings) = (&engine.states, &engine.meetings);
        match &self.pair {
            Some(pair) => pair.depart(&engine.shape, states, measure, meetings, out, timed),
            None => depart(engine.shape.turn, &self.axes, states, measure, meetings, out, timed),
        }
    }

    fn arrive(&self, meetings: &Faces, leader: usize, weights: &[f64], out: &mut Vec<f64>) -> &Ends {
        let weights = meetings.face(weights, leader);
        match &self.arrivals {
            Arrivals::Factored(all) => {
                all[leader].apply(weights, out);
                &all[leader].roles.ends
            }
            Arrivals::Followed(all) => {
                all[leader].apply(&meetings.widths, weights, out);
                &all[leader].roles.ends
            }
        }
    }
}

impl Engine for Plain<'_> {
    fn places(&self) -> usize {
        self.states.places()
    }

    fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    fn lags(&self, place: usize, lags: &mut [usize]) -> Option<f64> {
        self.states.point(place, lags).then_some(1.0)
    }

    fn place(&self, lags: &[usize]) -> Option<usize> {
        self.states.place(lags)
    }

    fn step(&self, mode: usize, measure: &[f64], out: &mut [f64]) {
        let mode = &self.modes[mode];
        let mut weights = vec![0.0; self.meetings.places()];
        mode.depart(self, measure, &mut weights, None);
        out.fill(0.0);
        let mut ends = Vec::new();
        for leader in 0..self.shape.size {
            mode.arrive(&self.meetings, leader, &weights, &mut ends).settle(&ends, out);
        }
    }

    fn timed(&self, mode: usize, measure: &[f64], center: f64, timed: &mut [f64]) -> f64 {
        let mode = &self.modes[mode];
        let mut weights = vec![0.0; self.meetings.places()];
        let mut later = weights.clone();
        let mut with_turn = Timed { center, meetings: &mut later, squares: 0.0 };
        mode.depart(self, measure, &mut weights, Some(&mut with_turn));
        let mut squares = with_turn.squares;
        timed.fill(0.0);
        let mut ends = Vec::new();
        for leader in 0..self.shape.size {
            let of = mode.arrive(&self.meetings, leader, &weights, &mut ends);
            squares += of.settle_timed(&ends, timed).1;
            let of = mode.arrive(&self.meetings, leader, &later, &mut ends);
            of.settle(&ends, timed);
            squares += 2.0 * of.timed(&ends);
        }
        squares
    }

    fn limited(&self, mode: usize, measure: &[f64], limit: Limit, center: f64, out: &mut [f64]) -> f64 {
        let (index, mode, shape) = (mode, &self.modes[mode], &self.shape);
        let (betas, axes) = axis::limited(self.model, shape, &mode.times.alpha, (index, limit), 0..shape.size);
        let meetings = Faces::new(axes.iter().map(|axis| axis.width).collect());
        let mut weights = vec![0.0; meetings.places()];
        let mut later = weights.clone();
        let mut with_turn = Timed { center, meetings: &mut later, squares: 0.0 };
        depart(shape.turn, &axes, &self.states, measure, &meetings, &mut weights, Some(&mut with_turn));
        out.fill(0.0);
        let mut timed = 0.0;
        let mut ends = Vec::new();
        for leader in 0..shape.size {
            let follow = Follow::new(&mode.times, shape, &self.states, leader, &betas);
            follow.apply(&meetings.widths, meetings.face(&weights, leader), &mut ends);
            follow.roles.ends.settle(&ends, out);
            timed += follow.roles.ends.timed(&ends);
            follow.apply(&meetings.widths, meetings.face(&later, leader), &mut ends);
            timed += ends.iter().sum::<f64>();
        }
        timed
    }

    fn first(&self, mode: usize, lags: &[usize], out: &mut [f64]) {
        let (mode, shape) = (&self.modes[mode], &self.shape);
        let alpha = &mode.times.alpha;
        let mut weights = vec![0.0; self.meetings.places()];
        let mut part = Vec::new();
        for turn in axis::turns(alpha, lags) {
            let rows: Vec<Vec<f64>> = (0..shape.size)
                .map(|process| axis::row(&alpha[process], shape.clip[process], turn + lags[process] as i64))
                .collect();
            for leader in 0..shape.size {
                let face = self.meetings.face_mut(&mut weights, leader);
                part.clear();
                part.resize(face.len(), 0.0);
                part[0] = rows[leader][0];
                let mut filled = 1;
                for process in others(shape.size, leader) {
                    let mut row = rows[process].clone();
                    if process < leader {
                        row[0] = 0.0;
                    }
                    spread(&mut part, &mut filled, &row);
                }
                face.iter_mut().zip(&part).for_each(|(sum, value)| *sum += value);
            }
        }
        out.fill(0.0);
        let mut ends = Vec::new();
        for leader in 0..shape.size {
            mode.arrive(&self.meetings, leader, &weights, &mut ends).settle(&ends, out);
        }
    }
}
