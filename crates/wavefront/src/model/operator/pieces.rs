//! An operator cut into the pieces of the processes, and what a phase does to them.
//!
//! In a phase with n_i = A_i + N_i updates process i repeats n_i times
//!
//! ```text
//! z_i <- M_ii z_i + sum over j != i of M_ij y_j        y_i' = z_i after A_i of them
//! ```
//!
//! with y the pieces as they were last broadcast and z the newest own pieces. No power of M_ii is ever formed.

use crate::model::operator::Operator;

/// The rows of the operator, process by process.
#[derive(Debug, Clone)]
pub(crate) struct Pieces {
    pieces: Vec<Piece>,
    /// The rows in the order of their places.
    order: Vec<usize>,
    work: usize,
}

/// The rows of one process; columns are places of the vector in which the rows of a process are next to each other.
#[derive(Debug, Clone)]
struct Piece {
    first: usize,
    /// Entries in columns of the process's own, counted from its first row.
    own: Vec<Vec<(u32, f64)>>,
    other: Vec<Vec<(u32, f64)>>,
}

impl Pieces {
    /// Of M, or of |M|.
    pub fn new(operator: &Operator, processes: usize, absolute: bool) -> Pieces {
        let dimension = operator.dimension();
        let mut order: Vec<usize> = (0..dimension).collect();
        order.sort_by_key(|row| operator.owner[*row]);
        let mut place = vec![0; dimension];
        order.iter().enumerate().for_each(|(at, row)| place[*row] = at);
        let mut pieces: Vec<Piece> =
            (0..processes).map(|_| Piece { first: 0, own: Vec::new(), other: Vec::new() }).collect();
        for row in &order {
            let piece = &mut pieces[operator.owner[*row]];
            if piece.own.is_empty() {
                piece.first = place[*row];
            }
            let (mut own, mut other) = (Vec::new(), Vec::new());
            for (column, value) in &operator.rows[*row] {
                let value = if absolute { value.abs() } else { *value };
                if operator.owner[*column] == operator.owner[*row] {
                    own.push(((place[*column] - piece.first) as u32, value));
                } else {
                    other.push((place[*column] as u32, value));
                }
            }
            piece.own.push(own);
            piece.other.push(other);
        }
        let work = operator.rows.iter().map(Vec::len).sum::<usize>() + dimension;
        Pieces { pieces, order, work }
    }

    /// Values by row, in the order of their places.
    pub fn arranged(&self, by_row: &[f64]) -> Vec<f64> {
        self.order.iter().map(|row| by_row[*row]).collect()
    }

    /// Rows of all pieces.
    pub fn dimension(&self) -> usize {
        self.order.len()
    }

    /// Multiplications of one update by every process.
    pub fn work(&self) -> usize {
        self.work
    }

    /// Multiplications of this many updates of each process.
    pub fn work_of(&self, updates: impl IntoIterator<Item = f64>) -> f64 {
        let own = |piece: &Piece| piece.own.iter().map(|row| row.len() + 1).sum::<usize>() as f64;
        self.work as f64 + self.pieces.iter().zip(updates).map(|(piece, updates)| updates * own(piece)).sum::<f64>()
    }

    /// Where the rows of a process are.
    pub fn range(&self, process: usize) -> std::ops::Range<usize> {
        let piece = &self.pieces[process];
        piece.first..piece.first + piece.own.len()
    }

    /// What comes from the others: sum over j != i of M_ij y_j.
    pub fn others_part(&self, process: usize, broadcast: &[f64], sum: &mut [f64]) {
        for (sum, row) in sum.iter_mut().zip(&self.pieces[process].other) {
            *sum = row.iter().map(|(column, value)| value * broadcast[*column as usize]).sum();
        }
    }

    /// One update: `next` = M_ii `newest` + `others`.
    pub fn update(&self, process: usize, newest: &[f64], others: &[f64], next: &mut [f64]) {
        for ((next, row), other) in next.iter_mut().zip(&self.pieces[process].own).zip(others) {
            *next = other + row.iter().map(|(column, value)| value * newest[*column as usize]).sum::<f64>();
        }
    }
}

/// The error of the pieces along a run: as broadcast, and newest.
#[derive(Debug, Clone)]
pub(crate) struct Errors {
    pub broadcast: Vec<f64>,
    pub newest: Vec<f64>,
    next: Vec<f64>,
    others: Vec<f64>,
    spare: Vec<f64>,
}

impl Errors {
    /// The same error as broadcast and newest.
    pub fn new(error: Vec<f64>) -> Errors {
        let zeros = vec![0.0; error.len()];
        Errors { newest: error.clone(), broadcast: error, next: zeros.clone(), others: zeros.clone(), spare: zeros }
    }

    /// A phase in which process i makes `alpha[i]` updates before it broadcasts and `updates[i]` in total.
    pub fn phase(&mut self, pieces: &Pieces, alpha: &[u32], updates: &[u32]) {
        for (process, (alpha, updates)) in alpha.iter().zip(updates).enumerate() {
            let rows = pieces.range(process);
            let others = &mut self.others[rows.clone()];
            pieces.others_part(process, &self.broadcast, others);
            for update in 1..=*updates {
                let next = &mut self.spare[rows.clone()];
                pieces.update(process, &self.newest[rows.clone()], others, next);
                self.newest[rows.clone()].copy_from_slice(next);
                if update == *alpha {
                    self.next[rows.clone()].copy_from_slice(next);
                }
            }
        }
        std::mem::swap(&mut self.broadcast, &mut self.next);
    }

    /// The Euclidean norm of the newest pieces.
    pub fn norm(&self) -> f64 {
        runcast_core::numeric::norm(&self.newest)
    }

    pub fn largest(&self) -> f64 {
        self.broadcast.iter().chain(&self.newest).fold(0.0, |most, value| most.max(value.abs()))
    }

    /// Everything times `factor`.
    pub fn scale(&mut self, factor: f64) {
        self.broadcast.iter_mut().chain(&mut self.newest).for_each(|value| *value *= factor);
    }
}
