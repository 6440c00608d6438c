//! A seeded evolutionary search over a grid, for when it is too large to try everything: the same front again for the same
//! seed, and no promise that it is the front of all.
//!
//! Selection by rank of fronts and crowding, as in K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, *A fast and elitist
//! multiobjective genetic algorithm: NSGA-II*, IEEE Trans. Evol. Comput. 6(2), 2002.

use super::pareto;
use runcast_core::Problem;
use runcast_core::random::SplitMix;
use std::collections::{BTreeMap, HashSet};

/// Members of a generation.
const POPULATION: usize = 48;
/// Generations without a new point, after which it ends.
const PATIENCE: usize = 20;

/// A point of the grid: an index along each dimension.
pub type Point = Vec<usize>;
/// What a point costs; none: it is not allowed (it failed, or a constraint forbids it).
pub type Objectives = Option<Vec<f64>>;
/// What finds out what points cost.
pub type Evaluate<'e> = dyn FnMut(&[Point]) -> Result<Vec<Objectives>, Problem> + 'e;

/// Everything that was evaluated, in the order of the points.
///
/// # Errors
/// Those of the evaluation.
pub fn search(
    sizes: &[usize],
    budget: usize,
    seed: u64,
    evaluate: &mut Evaluate<'_>,
) -> Result<BTreeMap<Point, Objectives>, Problem> {
    let mut known: BTreeMap<Point, Objectives> = BTreeMap::new();
    if sizes.contains(&0) {
        return Ok(known);
    }
    let mut random = SplitMix::new(seed, 0);
    let mut generation = corners(sizes);
    while generation.len() < POPULATION {
        generation.push(sizes.iter().map(|&size| random.below(size)).collect());
    }
    let mut stale = 0;
    loop {
        let mut seen: HashSet<&Point> = HashSet::new();
        let fresh: Vec<Point> = generation
            .iter()
            .filter(|point| !known.contains_key(*point) && seen.insert(point))
            .take(budget - known.len())
            .cloned()
            .collect();
        stale = if fresh.is_empty() { stale + 1 } else { 0 };
        for (point, objectives) in fresh.iter().zip(evaluate(&fresh)?) {
            known.insert(point.clone(), objectives);
        }
        if known.len() >= budget || stale >= PATIENCE {
            return Ok(known);
        }
        let parents = fittest(&known);
        generation = (0..POPULATION).map(|_| child(&parents, sizes, &mut random)).collect();
    }
}

/// All first, all last, all middle.
fn corners(sizes: &[usize]) -> Vec<Point> {
    let at = |share: fn(usize) -> usize| sizes.iter().map(|&size| share(size)).collect();
    vec![at(|_| 0), at(|size| size - 1), at(|size| size / 2)]
}

/// The best half of a population by fronts, the lonelier first within a front.
fn fittest(known: &BTreeMap<Point, Objectives>) -> Vec<Point> {
    let allowed: Vec<(&Point, &Vec<f64>)> =
        known.iter().filter_map(|(point, objectives)| Some((point, objectives.as_ref()?))).collect();
    let mut rest: Vec<usize> = (0..allowed.len()).collect();
    let mut chosen = Vec::new();
    while !rest.is_empty() && chosen.len() < POPULATION / 2 {
        let points: Vec<Vec<f64>> = rest.iter().map(|&index| allowed[index].1.clone()).collect();
        let on: HashSet<usize> = pareto::front(&points).into_iter().map(|index| rest[index]).collect();
        let mut on_front: Vec<usize> = rest.iter().copied().filter(|index| on.contains(index)).collect();
        spread_out(&mut on_front, &allowed);
        chosen.extend(on_front);
        rest.retain(|index| !on.contains(index));
    }
    chosen.truncate(POPULATION / 2);
    if chosen.is_empty() {
        return known.keys().cloned().collect();
    }
    chosen.into_iter().map(|index| allowed[index].0.clone()).collect()
}

/// Sorts a front by crowding distance, the largest first.
fn spread_out(front: &mut [usize], allowed: &[(&Point, &Vec<f64>)]) {
    let objectives = front.first().map_or(0, |&index| allowed[index].1.len());
    let mut distance: BTreeMap<usize, f64> = front.iter().map(|&index| (index, 0.0)).collect();
    for objective in 0..objectives {
        let value = |index: usize| allowed[index].1[objective];
        let mut order = front.to_vec();
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let range = value(order[order.len() - 1]) - value(order[0]);
        for (position, &index) in order.iter().enumerate() {
            let gap = match (position.checked_sub(1), order.get(position + 1)) {
                (Some(before), Some(&after)) if range > 0.0 => (value(after) - value(order[before])) / range,
                (Some(_), Some(_)) => 0.0,
                _ => f64::INFINITY,
            };
            *distance.entry(index).or_default() += gap;
        }
    }
    front.sort_by(|a, b| distance[b].total_cmp(&distance[a]).then(a.cmp(b)));
}

/// Along each dimension the index of one parent or the other; now and then a neighbor's or any.
fn child(parents: &[Point], sizes: &[usize], random: &mut SplitMix) -> Point {
    let (one, other) = (random.below(parents.len()), random.below(parents.len()));
    sizes
        .iter()
        .enumerate()
        .map(|(dimension, &size)| {
            let index = parents[if random.below(2) == 0 { one } else { other }][dimension];
            match random.below(8) {
                0 => (index + 1).min(size - 1),
                1 => index.saturating_sub(1),
                2 => random.below(size),
                _ => index,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time falls and cost grows along each of four dimensions of 40: 2.56 million points.
    fn evaluate(points: &[Point]) -> Result<Vec<Objectives>, Problem> {
        let cost = |point: &Point| point.iter().sum::<usize>() as f64;
        let time = |point: &Point| point.iter().map(|&index| 40.0 / (index + 1) as f64).sum::<f64>();
        Ok(points.iter().map(|point| Some(vec![time(point), cost(point)])).collect())
    }

    #[test]
    fn it_is_reproducible_keeps_to_its_budget_and_beats_blind_draws() {
        let sizes = [40; 4];
        let one = search(&sizes, 2000, 1, &mut evaluate).expect("evaluates");
        assert_eq!(one.len(), 2000);
        assert_eq!(one, search(&sizes, 2000, 1, &mut evaluate).expect("evaluates"));
        assert_ne!(one, search(&sizes, 2000, 2, &mut evaluate).expect("evaluates"));
        // The best time at a cost of at most 40 is 4 * 40/11 at (10, 10, 10, 10).
        let best = |found: &mut dyn Iterator<Item = Vec<f64>>| {
            found.filter(|point| point[1] <= 40.0).map(|point| point[0]).fold(f64::INFINITY, f64::min)
        };
        let searched = best(&mut one.values().flatten().cloned());
        let mut random = SplitMix::new(1, 1);
        let blind: Vec<Point> = (0..2000).map(|_| (0..4).map(|_| random.below(40)).collect()).collect();
        let drawn = best(&mut evaluate(&blind).expect("evaluates").into_iter().flatten());
        assert!(searched < 1.1 * (4.0 * 40.0 / 11.0), "{searched}");
        assert!(searched < drawn, "{searched} {drawn}");
    }

    #[test]
    fn small_grids_end_by_themselves_and_forbidden_points_do_no_harm() {
        let found = search(&[2, 3], 1000, 0, &mut |points| {
            Ok(points.iter().map(|point| (point[0] == 1).then(|| vec![point[1] as f64])).collect())
        })
        .expect("evaluates");
        assert_eq!(found.len(), 6);
        let none = search(&[3], 10, 0, &mut |points| Ok(vec![None; points.len()])).expect("evaluates");
        assert_eq!(none.len(), 3);
        assert!(search(&[3, 0], 10, 0, &mut evaluate).expect("nothing").is_empty());
    }
}
