//! The error of a linear iteration whose processes update at different times.

use crate::model::operator::Operator;

/// Norms below and above are brought back to 1.
const SMALL: f64 = 1e-100;
const LARGE: f64 = 1e100;

/// The error: pieces as they were last broadcast, and the newest ones; scaled, with the scale kept apart.
#[derive(Debug, Clone)]
pub struct Error {
    pieces: Vec<Piece>,
    broadcast: Vec<f64>,
    /// What is broadcast in the phase that is played.
    next: Vec<f64>,
    /// log10 of the factor that takes what is kept to the error, where the norm was 1 at the start.
    scale: f64,
    norm: f64,
}

/// A process with its rows, side by side in the vectors.
#[derive(Debug, Clone)]
struct Piece {
    first: usize,
    alpha_updates: u32,
    /// Entries of each row in columns of its own (counted from its first row), and in those of others.
    own: Vec<Vec<(usize, f64)>>,
    others: Vec<Vec<(usize, f64)>>,
    newest: Vec<f64>,
    scratch: Vec<f64>,
}

impl Error {
    /// A random start: the same for the broadcast and the newest pieces.
    pub fn new(operator: &Operator, alpha_updates: Vec<u32>, mut draw: impl FnMut() -> f64) -> Error {
        let start: Vec<f64> = operator.rows.iter().map(|_| draw()).collect();
        let of = |process: usize| (0..operator.dimension()).filter(move |row| operator.owner[*row] == process);
        let order: Vec<usize> = (0..alpha_updates.len()).flat_map(of).collect();
        let mut place = vec![0; operator.dimension()];
        for (index, row) in order.iter().enumerate() {
            place[*row] = index;
        }
        let mut first = 0;
        let piece = |(process, alpha_updates): (usize, u32)| {
            let rows: Vec<usize> = of(process).collect();
            let (from, to) = (first, first + rows.len());
            first = to;
            let entries = |is_own: bool| {
                let row = |row: &usize| {
                    let entries = operator.rows[*row].iter().map(|(column, value)| (place[*column], *value));
                    let entries = entries.filter(|(column, _)| (from..to).contains(column) == is_own);
                    entries.map(|(column, value)| (if is_own { column - from } else { column }, value)).collect()
                };
                rows.iter().map(row).collect()
            };
            Piece {
                first: from,
                alpha_updates,
                own: entries(true),
                others: entries(false),
                newest: rows.iter().map(|row| start[*row]).collect(),
                scratch: vec![0.0; rows.len()],
            }
        };
        let pieces: Vec<Piece> = alpha_updates.into_iter().enumerate().map(piece).collect();
        let broadcast: Vec<f64> = order.iter().map(|row| start[*row]).collect();
        let norm = norm(&pieces);
        Error { pieces, next: broadcast.clone(), broadcast, scale: -norm.log10(), norm }
    }

    /// A phase in which each process makes this many updates.
    pub fn phase(&mut self, updates: &[u32]) {
        for (piece, count) in self.pieces.iter_mut().zip(updates) {
            piece.phase(*count, &self.broadcast, &mut self.next);
        }
        std::mem::swap(&mut self.broadcast, &mut self.next);
        self.norm = norm(&self.pieces);
    }

    /// Keeps numbers in the range of floats; false where there is no error left.
    pub fn rescale(&mut self) -> bool {
        if !(self.norm > 0.0 && self.norm.is_finite()) {
            return false;
        }
        if !(SMALL..LARGE).contains(&self.norm) {
            let factor = 1.0 / self.norm;
            let newest = self.pieces.iter_mut().flat_map(|piece| &mut piece.newest);
            for value in newest.chain(&mut self.broadcast) {
                *value *= factor;
            }
            self.scale += self.norm.log10();
            self.norm = 1.0;
        }
        true
    }

    /// log10 of the norm of the newest pieces, which is 0 at the start.
    pub fn log10(&self) -> f64 {
        self.scale + self.norm.log10()
    }
}

impl Piece {
    fn phase(&mut self, updates: u32, broadcast: &[f64], next: &mut [f64]) {
        let product = |row: &[(usize, f64)], vector: &[f64]| -> f64 {
            row.iter().map(|(column, value)| value * vector[*column]).sum()
        };
        let given: Vec<f64> = self.others.iter().map(|row| product(row, broadcast)).collect();
        for count in 1..=updates {
            for ((into, row), given) in self.scratch.iter_mut().zip(&self.own).zip(&given) {
                *into = given + product(row, &self.newest);
            }
            std::mem::swap(&mut self.newest, &mut self.scratch);
            if count == self.alpha_updates {
                next[self.first..][..self.newest.len()].copy_from_slice(&self.newest);
            }
        }
    }
}

/// The Euclidean norm of the newest pieces; entries are scaled so that squares neither vanish nor overflow.
fn norm(pieces: &[Piece]) -> f64 {
    let values = || pieces.iter().flat_map(|piece| &piece.newest);
    let largest = values().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return largest;
    }
    largest * values().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt()
}
