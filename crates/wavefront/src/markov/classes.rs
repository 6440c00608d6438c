//! Strongly connected classes: which are closed, how likely the chain is to end in each, and their periods.

use super::components;
use super::elimination::Elimination;

/// A transition matrix by rows.
pub(crate) struct Matrix {
    size: usize,
    rows: Vec<f64>,
}

/// A closed class that is reached.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassOf {
    pub members: Vec<usize>,
    /// The probability to end in it.
    pub weight: f64,
    /// Its period, in phases.
    pub period: u64,
}

/// The classes of a chain, with their stationary laws.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    /// Closed ones that are reached, by decreasing weight.
    pub list: Vec<ClassOf>,
    /// The stationary law of each over its members.
    pub laws: Vec<Vec<f64>>,
    /// The only class, where there is only one.
    pub only: Option<Only>,
    /// States that were eliminated, equal ones as one.
    pub solved: u64,
    /// How often each state is entered in the long run, over all classes.
    pub stationary: Vec<f64>,
}

/// A class with what is needed for further equations.
#[derive(Debug)]
pub(crate) struct Only {
    pub elimination: Elimination,
    /// The stationary law of what was eliminated.
    pub law: Vec<f64>,
    /// Of every member the place where it was eliminated; equal states have one.
    pub places: Vec<usize>,
    /// The member that stood for each of them.
    pub first: Vec<usize>,
}

/// Of every state its class; classes are numbered from those that lead to no other backwards.
struct Components {
    of: Vec<usize>,
    closed: Vec<bool>,
}

impl Matrix {
    /// Nothing but zeros.
    pub fn new(size: usize) -> Matrix {
        Matrix { size, rows: vec![0.0; size * size] }
    }

    pub fn of(rows: &[Vec<f64>]) -> Matrix {
        Matrix { size: rows.len(), rows: rows.concat() }
    }

    pub fn row(&self, state: usize) -> &[f64] {
        &self.rows[state * self.size..(state + 1) * self.size]
    }

    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.rows
    }

    /// The states that can follow.
    fn next(&self, state: usize) -> impl Iterator<Item = usize> {
        self.row(state).iter().enumerate().filter(|(_, probability)| **probability > 0.0).map(|(next, _)| next)
    }

    /// The classes that are reached from the start, and their laws. States of one kind (`kinds`, if given) are those
    /// that turn into each other when equal processes change places.
    pub fn classes(self, start: &[(usize, f64)], kinds: Option<&[usize]>) -> Classes {
        let components = self.components();
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); components.closed.len()];
        (0..self.size).for_each(|state| members[components.of[state]].push(state));
        let closed: Vec<usize> = (0..components.closed.len()).filter(|class| components.closed[*class]).collect();
        let weights = self.absorbed(&components, &closed, start);
        let mut list: Vec<ClassOf> = (closed.iter().zip(weights))
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(class, weight)| {
                let members = std::mem::take(&mut members[*class]);
                let period = self.period(&members);
                ClassOf { members, weight, period }
            })
            .collect();
        list.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.members[0].cmp(&b.members[0])));
        let mut classes = Classes { stationary: vec![0.0; self.size], ..Classes::default() };
        classes.solved = self.size as u64;
        for class in &list {
            let only = self.eliminated(&class.members, kinds);
            let mut alike = vec![0.0; only.first.len()];
            only.places.iter().for_each(|place| alike[*place] += 1.0);
            let law: Vec<f64> = only.places.iter().map(|place| only.law[*place] / alike[*place]).collect();
            for (state, probability) in class.members.iter().zip(&law) {
                classes.stationary[*state] = class.weight * probability;
            }
            classes.solved -= (class.members.len() - only.first.len()) as u64;
            classes.laws.push(law);
            classes.only = (list.len() == 1).then_some(only);
        }
        classes.list = list;
        classes
    }

    fn eliminated(&self, members: &[usize], kinds: Option<&[usize]>) -> Only {
        let (places, first) = kinds
            .and_then(|kinds| lumped(members, kinds))
            .unwrap_or_else(|| ((0..members.len()).collect(), (0..members.len()).collect()));
        let size = first.len();
        let mut rows = vec![0.0; size * size];
        for (lumped, first) in rows.chunks_exact_mut(size).zip(&first) {
            let row = self.row(members[*first]);
            members.iter().zip(&places).for_each(|(next, place)| lumped[*place] += row[*next]);
        }
        let elimination = Elimination::new(rows, size, 1);
        Only { law: elimination.stationary(), elimination, places, first }
    }

    /// The probabilities to end in the closed classes.
    fn absorbed(&self, components: &Components, closed: &[usize], start: &[(usize, f64)]) -> Vec<f64> {
        if closed.len() == 1 {
            return vec![1.0];
        }
        let mut left: Vec<usize> = (0..self.size).filter(|state| !components.closed[components.of[*state]]).collect();
        // What leads on comes last, so that it is eliminated before it could fill anything.
        left.sort_by_key(|state| components.of[*state]);
        let size = closed.len() + left.len();
        let mut places: Vec<usize> =
            (0..self.size).map(|state| closed.binary_search(&components.of[state]).unwrap_or_default()).collect();
        left.iter().enumerate().for_each(|(place, state)| places[*state] = closed.len() + place);
        let mut rows = vec![0.0; size * size];
        for (row, state) in rows[closed.len() * size..].chunks_exact_mut(size).zip(&left) {
            self.row(*state).iter().zip(&places).for_each(|(probability, place)| row[*place] += probability);
        }
        let mut law = vec![0.0; size];
        start.iter().for_each(|(state, probability)| law[places[*state]] += probability);
        Elimination::new(rows, size, closed.len()).absorbed(law)
    }

    /// The greatest common divisor of the lengths of all ways back, in phases.
    fn period(&self, members: &[usize]) -> u64 {
        let mut level = vec![u64::MAX; self.size];
        let mut queue = std::collections::VecDeque::from([members[0]]);
        level[members[0]] = 0;
        let mut period = 0;
        while let Some(state) = queue.pop_front() {
            let following = level[state] + 1;
            for next in self.next(state) {
                if level[next] == u64::MAX {
                    level[next] = following;
                    queue.push_back(next);
                }
                period = divisor(period, following.abs_diff(level[next]));
            }
        }
        period.max(1)
    }

    fn components(&self) -> Components {
        let found = components(self.size, self.size, |state| self.next(state));
        let (mut of, mut closed) = (vec![0; self.size], vec![true; found.len()]);
        for (class, members) in found.iter().enumerate() {
            members.iter().for_each(|member| of[*member] = class);
        }
        for state in 0..self.size {
            closed[of[state]] &= self.next(state).all(|next| of[next] == of[state]);
        }
        Components { of, closed }
    }
}

impl Classes {
    /// Least common multiple of the periods.
    pub fn period(&self) -> u64 {
        self.list.iter().fold(1, |all, class| (all / divisor(all, class.period)).saturating_mul(class.period))
    }

    /// States in closed classes.
    pub fn recurrent(&self) -> u64 {
        self.list.iter().map(|class| class.members.len() as u64).sum()
    }
}

/// Places of the members, one for each kind, and the first member of each; none where a kind has members in other
/// classes too, which then differ.
fn lumped(members: &[usize], kinds: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut sizes = vec![0_usize; kinds.len()];
    kinds.iter().for_each(|kind| sizes[*kind] += 1);
    let mut place = vec![usize::MAX; kinds.len()];
    let (mut places, mut first) = (Vec::with_capacity(members.len()), Vec::new());
    for (index, state) in members.iter().enumerate() {
        let kind = kinds[*state];
        if place[kind] == usize::MAX {
            place[kind] = first.len();
            first.push(index);
        }
        sizes[kind] -= 1;
        places.push(place[kind]);
    }
    members.iter().all(|state| sizes[kinds[*state]] == 0).then_some((places, first))
}

/// The greatest common divisor.
pub(crate) fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
