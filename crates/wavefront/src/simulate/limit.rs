//! The mode in the long run.

/// The law of the mode in the long run (time averages, where it is periodic), and the class of each mode: 0, 1, .. for
/// those of closed classes that are reached, none for the others.
///
/// Transient modes are taken out one by one, then each closed class is solved, both without a subtraction (W. K.
/// Grassmann, M. I. Taksar, D. P. Heyman, Oper. Res. 33(5), 1985).
pub struct Limit {
    /// Probabilities of the modes.
    pub weights: Vec<f64>,
    /// The closed class of each mode.
    pub class: Vec<Option<usize>>,
    /// How many closed classes are reached.
    pub classes: usize,
}

impl Limit {
    /// Of a chain with these rows, begun with the law `start`.
    pub fn new(transition: &[Vec<f64>], start: &[f64]) -> Limit {
        let count = start.len();
        let reaches = reachability(transition);
        let is_closed = |from: usize| (0..count).all(|to| !reaches[from][to] || reaches[to][from]);
        let closed: Vec<bool> = (0..count).map(is_closed).collect();
        let begun = absorbed(transition, start, &closed);
        let mut limit = Limit { weights: vec![0.0; count], class: vec![None; count], classes: 0 };
        for mode in 0..count {
            if !closed[mode] || limit.class[mode].is_some() {
                continue;
            }
            let members: Vec<usize> = (0..count).filter(|other| reaches[mode][*other]).collect();
            let weight: f64 = members.iter().map(|member| begun[*member]).sum();
            if weight <= 0.0 {
                continue;
            }
            for (member, share) in members.iter().zip(stationary(transition, &members)) {
                limit.weights[*member] = weight * share;
                limit.class[*member] = Some(limit.classes);
            }
            limit.classes += 1;
        }
        limit
    }

    /// The mode at the share `at` (0 to 1) of all, those of a class side by side: evenly spread shares give each class
    /// its weight.
    pub fn mode_at(&self, at: f64) -> usize {
        let mut order: Vec<usize> = (0..self.weights.len()).filter(|mode| self.class[*mode].is_some()).collect();
        order.sort_by_key(|mode| self.class[*mode]);
        let mut sum = 0.0;
        for mode in &order {
            sum += self.weights[*mode];
            if at < sum {
                return *mode;
            }
        }
        order.last().copied().unwrap_or(0)
    }
}

/// Which modes follow which, sooner or later; each follows itself.
fn reachability(transition: &[Vec<f64>]) -> Vec<Vec<bool>> {
    let count = transition.len();
    let reach = |from: usize| {
        let mut seen = vec![false; count];
        let mut open = vec![from];
        seen[from] = true;
        while let Some(here) = open.pop() {
            for (next, probability) in transition[here].iter().enumerate() {
                if *probability > 0.0 && !seen[next] {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        seen
    };
    (0..count).map(reach).collect()
}

/// Where the chain first is in a closed class.
fn absorbed(transition: &[Vec<f64>], start: &[f64], closed: &[bool]) -> Vec<f64> {
    let count = start.len();
    let (mut rows, mut law) = (transition.to_vec(), start.to_vec());
    let mut is_left = vec![true; count];
    for mode in (0..count).filter(|mode| !closed[*mode]) {
        is_left[mode] = false;
        let row = rows[mode].clone();
        let leaves: f64 = (0..count).filter(|to| is_left[*to]).map(|to| row[to]).sum();
        let spread = |mass: f64, into: &mut [f64]| {
            for to in (0..count).filter(|to| is_left[*to]) {
                into[to] += mass * row[to] / leaves;
            }
        };
        if leaves > 0.0 {
            spread(std::mem::take(&mut law[mode]), &mut law);
            for from in (0..count).filter(|from| is_left[*from]) {
                let mass = std::mem::take(&mut rows[from][mode]);
                spread(mass, &mut rows[from]);
            }
        }
    }
    law
}

/// The stationary law of a closed class.
fn stationary(transition: &[Vec<f64>], members: &[usize]) -> Vec<f64> {
    let count = members.len();
    let mut rows: Vec<Vec<f64>> =
        members.iter().map(|from| members.iter().map(|to| transition[*from][*to]).collect()).collect();
    for last in (1..count).rev() {
        let leaves: f64 = rows[last][..last].iter().sum();
        let (before, after) = rows.split_at_mut(last);
        for row in before {
            row[last] /= leaves;
            let share = row[last];
            for (into, more) in row[..last].iter_mut().zip(&after[0]) {
                *into += share * more;
            }
        }
    }
    let mut law = vec![1.0; count];
    for place in 1..count {
        law[place] = (0..place).map(|before| law[before] * rows[before][place]).sum();
    }
    let sum: f64 = law.iter().sum();
    law.iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(seen: &[f64], expected: &[f64]) {
        assert_eq!(seen.len(), expected.len());
        assert!(seen.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{seen:?} instead of {expected:?}");
    }

    #[test]
    fn calm_and_busy() {
        let limit = Limit::new(&[vec![0.99, 0.01], vec![0.03, 0.97]], &[1.0, 0.0]);
        assert_close(&limit.weights, &[0.75, 0.25]);
        assert_eq!((limit.classes, limit.mode_at(0.7499), limit.mode_at(0.7501), limit.mode_at(1.0)), (1, 0, 1, 1));
    }

    #[test]
    fn a_mode_that_is_left_for_good() {
        let rows = [vec![0.0, 0.25, 0.75], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
        let limit = Limit::new(&rows, &[1.0, 0.0, 0.0]);
        assert_close(&limit.weights, &[0.0, 0.25, 0.75]);
        assert_eq!((limit.classes, &limit.class[..]), (2, &[None, Some(0), Some(1)][..]));
        // From the second mode the third is never reached.
        assert_eq!(Limit::new(&rows, &[0.0, 1.0, 0.0]).classes, 1);
    }

    #[test]
    fn modes_in_turn() {
        let limit = Limit::new(&[vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0]], &[1.0, 0.0, 0.0]);
        assert_close(&limit.weights, &[1.0 / 3.0; 3]);
    }

    #[test]
    fn transient_modes_that_lead_to_each_other() {
        let rows =
            [vec![0.5, 0.5, 0.0, 0.0], vec![0.5, 0.0, 0.25, 0.25], vec![0.0, 0.0, 1.0, 0.0], vec![0.0, 0.0, 0.0, 1.0]];
        assert_close(&Limit::new(&rows, &[1.0, 0.0, 0.0, 0.0]).weights, &[0.0, 0.0, 0.5, 0.5]);
    }
}
