//! Columns that follow from a time and the number of processes: speedups, efficiencies, costs.

use crate::series::groups::codes_of;
use crate::table::{Numbers, Table};

/// Printed with two digits, a ratio is off by so much.
const TOLERANCE: f64 = 1.02;
/// A relation shows where both sides vary by more than this.
const VARIES: f64 = 1.1;
/// So many rows show it; the rest of a longer table is not looked at.
const MOST_ROWS: usize = 1 << 14;

/// A relation: what the column times this power of the time and of the processes comes to is constant within a group.
struct Relation {
    shown: &'static str,
    time: i32,
    processes: i32,
}

const RECIPROCAL: Relation = Relation { shown: "t_1/t_p", time: 1, processes: 0 };

const RELATIONS: [Relation; 6] = [
    RECIPROCAL,
    Relation { shown: "t_1/(p t_p)", time: 1, processes: 1 },
    Relation { shown: "p t_1/t_p", time: 1, processes: -1 },
    Relation { shown: "t_p", time: -1, processes: 0 },
    Relation { shown: "p t_p", time: -1, processes: -1 },
    Relation { shown: "t_p/p", time: -1, processes: 1 },
];

/// The columns that a relation is looked for between.
pub(super) struct Columns<'t> {
    pub(super) table: &'t Table,
    /// Labels, and inputs other than the processes.
    pub(super) frame: Vec<usize>,
    pub(super) times: Vec<usize>,
    pub(super) rates: Vec<usize>,
    pub(super) processes: Option<usize>,
}

impl Columns<'_> {
    /// How the column follows from a time or a rate, within each group of the frame; none where it does not, or where
    /// nothing varies enough to tell. Whole numbers are taken for inputs.
    pub(super) fn relation_of(&self, index: usize) -> Option<String> {
        let values = self.table.columns[index].as_numbers()?;
        let rows: Vec<u32> = (0..self.table.rows().min(MOST_ROWS) as u32)
            .filter(|&row| values[row as usize].is_finite() && values[row as usize] > 0.0)
            .collect();
        if rows.len() < 3 || rows.iter().all(|&row| values[row as usize].fract() == 0.0) {
            return None;
        }
        let frame: Vec<usize> = self.frame.iter().copied().filter(|&other| other != index).collect();
        let (codes, groups) = codes_of(self.table, &frame, &rows);
        let holds = |relation: &Relation, other: usize| {
            let others = self.table.columns[other].as_numbers();
            other != index && others.is_some_and(|others| self.holds(relation, values, others, &rows, &codes, groups))
        };
        let of_times = || {
            let shown =
                |&time: &usize| RELATIONS.iter().find(|relation| holds(relation, time)).map(|r| r.shown.to_owned());
            self.times.iter().find_map(shown)
        };
        let of_rates = || {
            let rate = self.rates.iter().find(|&&rate| holds(&RECIPROCAL, rate))?;
            Some(format!("1/{}", self.table.columns[*rate].name))
        };
        of_times().or_else(of_rates)
    }

    fn holds(
        &self,
        relation: &Relation,
        values: &Numbers,
        times: &Numbers,
        rows: &[u32],
        codes: &[u32],
        groups: usize,
    ) -> bool {
        let processes = match self.processes {
            Some(column) => self.table.columns[column].as_numbers(),
            None if relation.processes != 0 => return false,
            None => None,
        };
        let mut spans = vec![[Span::default(); 3]; groups];
        for (&row, &code) in rows.iter().zip(codes) {
            let row = row as usize;
            let (value, time) = (values[row], times[row]);
            let p = processes.map_or(1.0, |processes| processes[row]);
            if !(time > 0.0 && p > 0.0) {
                continue;
            }
            let [product, of_values, of_times] = &mut spans[code as usize];
            product.add(value * time.powi(relation.time) * p.powi(relation.processes));
            of_values.add(value);
            of_times.add(time);
        }
        let tells = |[_, values, times]: &&[Span; 3]| values.count >= 3 && values.ratio().min(times.ratio()) > VARIES;
        spans.iter().any(|spans| tells(&spans))
            && spans.iter().filter(|[product, ..]| product.count > 1).all(|[product, ..]| product.ratio() <= TOLERANCE)
    }
}

/// Least and largest of some positive numbers.
#[derive(Debug, Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
    count: usize,
}

impl Default for Span {
    fn default() -> Self {
        Span { low: f64::INFINITY, high: 0.0, count: 0 }
    }
}

impl Span {
    fn add(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.count += 1;
    }

    fn ratio(&self) -> f64 {
        if self.count == 0 { 1.0 } else { self.high / self.low }
    }
}
