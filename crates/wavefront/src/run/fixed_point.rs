//! The user's code: an operator by pieces.

use crate::model::operator::Operator;

/// An iteration x <- Op(x) whose vector falls apart into pieces, one a process.
///
/// # Examples
/// The mean of both neighbors on a line whose ends are held at 0 and 1; the fixed point is the straight line.
/// ```
/// use runcast_wavefront::model::Semantics;
/// use runcast_wavefront::run::{FixedPoint, Pace, Poll, Settings, Updated, threads};
///
/// struct Line;
///
/// impl FixedPoint for Line {
///     fn dimension(&self) -> usize {
///         6
///     }
///     fn pieces(&self) -> Vec<Vec<usize>> {
///         vec![(0..3).collect(), (3..6).collect()]
///     }
///     fn update(&self, piece: usize, vector: &[f64], new: &mut [f64], poll: &mut Poll<'_>) -> Updated {
///         for (place, index) in self.pieces()[piece].iter().enumerate() {
///             if poll.is_over() {
///                 return Updated::GivenUp;
///             }
///             let left = if *index == 0 { 0.0 } else { vector[index - 1] };
///             new[place] = (left + vector.get(index + 1).unwrap_or(&1.0)) / 2.0;
///         }
///         Updated::Done
///     }
///     fn polls(&self) -> bool {
///         true
///     }
///     fn fixed_point(&self) -> Option<Vec<f64>> {
///         Some((1..=6).map(|index| f64::from(index) / 7.0).collect())
///     }
/// }
///
/// let settings = Settings { updates: vec![(1, 2); 2], phases: 200, ..Settings::default() };
/// let recording = threads(&Line, &settings)?;
/// assert_eq!(recording.held, Semantics::Abort);
/// assert_eq!(recording.phases(), 200);
/// let errors = recording.errors();
/// assert!(errors[199].unwrap() < 1e-6 * errors[0].unwrap());
/// # Ok::<(), runcast_wavefront::run::RunError>(())
/// ```
pub trait FixedPoint: Sync {
    /// Length of the vector.
    fn dimension(&self) -> usize;

    /// The indices that each process owns, process by process; every index once.
    fn pieces(&self) -> Vec<Vec<usize>>;

    /// Where the iteration starts.
    fn start(&self) -> Vec<f64> {
        vec![0.0; self.dimension()]
    }

    /// One update of a piece: reads the whole vector (the process's own newest piece, those of the others as of the
    /// start of the phase) and writes the new piece, in the order of its indices.
    ///
    /// A long update calls `poll` from time to time, and stops early if that says so.
    fn update(&self, piece: usize, vector: &[f64], new: &mut [f64], poll: &mut Poll<'_>) -> Updated;

    /// Whether updates call `poll`. If they do not, a started update is finished: [`Semantics::Complete`].
    ///
    /// [`Semantics::Complete`]: crate::model::Semantics::Complete
    fn polls(&self) -> bool {
        false
    }

    /// The fixed point, if it is known: then errors are known.
    fn fixed_point(&self) -> Option<Vec<f64>> {
        None
    }

    /// A nonnegative matrix A with |Op(x) - Op(y)| <= A |x - y|, or the matrix of a linear operator with its signs; with
    /// the owners of its rows. Predictions of the rate need it.
    fn bound(&self) -> Option<Operator> {
        None
    }
}

/// The outcome of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Updated {
    /// The new piece is complete.
    Done,
    /// It was given up; what was written of the new piece is thrown away.
    GivenUp,
}

/// Lets an update check whether it is still wanted.
pub struct Poll<'a>(Option<&'a mut dyn FnMut() -> bool>);

impl<'a> Poll<'a> {
    /// Never over: the update is to be finished.
    pub fn never() -> Self {
        Poll(None)
    }

    /// Over when this says so.
    pub fn with(is_over: &'a mut dyn FnMut() -> bool) -> Self {
        Poll(Some(is_over))
    }

    /// Whether all messages have come for which this process waits, so that the update is to be given up.
    pub fn is_over(&mut self) -> bool {
        self.0.as_mut().is_some_and(|is_over| is_over())
    }
}

impl std::fmt::Debug for Poll<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Poll").field(&self.0.is_some()).finish()
    }
}
