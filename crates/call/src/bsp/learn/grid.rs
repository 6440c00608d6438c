//! Neighbors in grids of one, two and three dimensions, along axes and diagonals, with an edge or around it.
//!
//! The grids are those of square and cubic numbers of processes, and the most even ones of powers of two; the last dimension
//! varies fastest, as in MPI.

use super::numbers::Scope;

/// A direction of a grid: how far apart neighbors are, and how many there are.
#[derive(Clone, Copy)]
struct Axis {
    stride: (&'static str, fn(f64) -> f64),
    extent: (&'static str, fn(f64) -> f64),
}

const ONE: (&str, fn(f64) -> f64) = ("1", |_| 1.0);
const ALL: (&str, fn(f64) -> f64) = ("procs", |procs| procs);
const ROOT: (&str, fn(f64) -> f64) = ("round(sqrt(procs))", |procs| procs.sqrt().round());
const LESS: (&str, fn(f64) -> f64) = ("2^floor(log2(procs)/2)", |procs| (procs.log2() / 2.0).floor().exp2());
const MORE: (&str, fn(f64) -> f64) = ("2^ceil(log2(procs)/2)", |procs| (procs.log2() / 2.0).ceil().exp2());
const CUBE: (&str, fn(f64) -> f64) = ("round(cbrt(procs))", |procs| procs.cbrt().round());
const CUBE_2: (&str, fn(f64) -> f64) = ("round(cbrt(procs))^2", |procs| procs.cbrt().round().powi(2));
const THIRD: (&str, fn(f64) -> f64) = ("2^floor(log2(procs)/3)", |procs| third(procs, 0.0));
const SECOND: (&str, fn(f64) -> f64) = ("2^floor((log2(procs) + 1)/3)", |procs| third(procs, 1.0));
const FIRST: (&str, fn(f64) -> f64) = ("2^floor((log2(procs) + 2)/3)", |procs| third(procs, 2.0));
const BOTH: (&str, fn(f64) -> f64) =
    ("2^(floor(log2(procs)/3) + floor((log2(procs) + 1)/3))", |procs| third(procs, 0.0) * third(procs, 1.0));

fn third(procs: f64, more: f64) -> f64 {
    ((procs.log2() + more) / 3.0).floor().exp2()
}

const fn axis(stride: (&'static str, fn(f64) -> f64), extent: (&'static str, fn(f64) -> f64)) -> Axis {
    Axis { stride, extent }
}

const GRIDS: [&[Axis]; 6] = [
    &[axis(ONE, ALL)],
    &[axis(ONE, ROOT), axis(ROOT, ROOT)],
    &[axis(ONE, LESS), axis(LESS, MORE)],
    &[axis(ONE, MORE), axis(MORE, LESS)],
    &[axis(ONE, CUBE), axis(CUBE, CUBE), axis(CUBE_2, CUBE)],
    &[axis(ONE, THIRD), axis(THIRD, SECOND), axis(BOTH, FIRST)],
];

impl Axis {
    fn place(&self, me: f64, procs: f64) -> f64 {
        let (stride, extent) = ((self.stride.1)(procs), (self.extent.1)(procs));
        (me / stride).floor() - extent * (me / (stride * extent)).floor()
    }

    fn place_text(&self) -> String {
        let (stride, extent) = (self.stride.0, self.extent.0);
        match (stride, extent) {
            (_, "procs") => "me".to_owned(),
            ("1", _) => format!("me - {extent}*floor(me/({extent}))"),
            _ => format!("floor(me/({stride})) - {extent}*floor(me/({stride}*{extent}))"),
        }
    }

    fn has_next(&self, up: bool, me: f64, procs: f64) -> bool {
        let place = self.place(me, procs);
        if up { place < (self.extent.1)(procs) - 1.0 } else { place > 0.0 }
    }

    fn has_next_text(&self, up: bool) -> String {
        if up { format!("{} < {} - 1", self.place_text(), self.extent.0) } else { format!("{} > 0", self.place_text()) }
    }
}

/// A neighbor: one step up or down along some axes of a grid.
#[derive(Clone)]
pub(super) struct Neighbor {
    steps: Vec<(Axis, bool)>,
    is_around: bool,
}

impl Neighbor {
    /// Whether a process has it.
    fn is_there(&self, me: f64, procs: f64) -> bool {
        self.is_around || self.steps.iter().all(|(axis, up)| axis.has_next(*up, me, procs))
    }

    fn number(&self, me: f64, procs: f64) -> f64 {
        self.steps.iter().fold(me, |number, (axis, up)| {
            let (stride, extent) = ((axis.stride.1)(procs), (axis.extent.1)(procs));
            let far = if axis.has_next(*up, me, procs) { stride } else { stride - stride * extent };
            if *up { number + far } else { number - far }
        })
    }

    /// Its number, as a formula.
    pub fn to(&self) -> String {
        let steps = self.steps.iter().map(|(axis, up)| {
            let (stride, extent) = (axis.stride.0, axis.extent.0);
            let far = if self.is_around {
                format!("if({}, {stride}, {stride} - {stride}*{extent})", axis.has_next_text(*up))
            } else {
                stride.to_owned()
            };
            if *up { format!(" + {far}") } else { format!(" - {far}") }
        });
        format!("me{}", steps.collect::<String>())
    }

    /// Who has it, as a formula.
    pub fn condition(&self) -> String {
        if self.is_around {
            return String::new();
        }
        self.steps.iter().map(|(axis, up)| axis.has_next_text(*up)).collect::<Vec<_>>().join(" and ")
    }
}

/// Neighbors to which processes send, each with the processes that do and what each sends there.
pub(super) type Halo = Vec<(Neighbor, Vec<(Scope, f64)>)>;

/// The grid to all of whose neighbors in some directions processes send; and another one that holds, too, and differs on other
/// numbers of processes.
pub(super) fn halo(sent: &[(Scope, Vec<(usize, f64)>)]) -> Option<(Halo, Option<String>)> {
    let ways = GRIDS.iter().flat_map(|grid| [(*grid, false), (*grid, true)]);
    let mut found = ways.filter_map(|(grid, is_around)| on(grid, is_around, sent));
    let first = found.next()?;
    let other = found.find(|other| (1..=10).any(|power| goals(&first, power) != goals(other, power)));
    Some((first, other.and_then(|other| Some(other.first()?.0.to()))))
}

/// Where all processes of a machine of 2^power send, in order.
fn goals(halo: &Halo, power: i32) -> Vec<Vec<usize>> {
    let procs = f64::from(power).exp2();
    let of = |me: usize| {
        let me = me as f64;
        let there = halo.iter().filter(|(neighbor, _)| neighbor.is_there(me, procs));
        let mut goals: Vec<usize> = there.map(|(neighbor, _)| neighbor.number(me, procs) as usize).collect();
        goals.sort_unstable();
        goals
    };
    (0..procs as usize).map(of).collect()
}

fn on(grid: &[Axis], is_around: bool, sent: &[(Scope, Vec<(usize, f64)>)]) -> Option<Halo> {
    let mut left: Vec<Vec<(usize, f64)>> = sent.iter().map(|(_, messages)| messages.clone()).collect();
    let mut halo = Halo::new();
    for neighbor in neighbors(grid, is_around) {
        let mut places = Vec::new();
        for (at, (scope, _)) in sent.iter().enumerate() {
            if !neighbor.is_there(scope.me, scope.procs) {
                continue;
            }
            let number = neighbor.number(scope.me, scope.procs);
            match left[at].iter().position(|(to, _)| *to as f64 == number) {
                Some(place) => places.push((at, place)),
                None => {
                    places.clear();
                    break;
                }
            }
        }
        if places.is_empty() {
            continue;
        }
        let observed = places.into_iter().map(|(at, place)| (sent[at].0.clone(), left[at].remove(place).1)).collect();
        halo.push((neighbor, observed));
    }
    (!halo.is_empty() && left.iter().all(Vec::is_empty)).then_some(halo)
}

/// All neighbors, those along axes first.
fn neighbors(grid: &[Axis], is_around: bool) -> Vec<Neighbor> {
    let mut all: Vec<Vec<(Axis, bool)>> = vec![Vec::new()];
    for axis in grid {
        let ways = |steps: &Vec<(Axis, bool)>| {
            let with = |up: bool| steps.iter().copied().chain([(*axis, up)]).collect::<Vec<_>>();
            [steps.clone(), with(true), with(false)]
        };
        all = all.iter().flat_map(ways).collect();
    }
    all.retain(|steps| !steps.is_empty());
    all.sort_by_key(Vec::len);
    all.into_iter().map(|steps| Neighbor { steps, is_around }).collect()
}
