//! The fitted curve: its terms over workers.

use super::design::TERMS;
use super::error::FitError;
use crate::cost::{Collective, Form, MOST_ELEMENTS, tree_depth};

/// The fitted curve: its form, its collective, and the length of its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    form: Form,
    collective: Collective,
    list_length: Option<u64>,
}

impl Shape {
    /// A curve; smooth ones need no length of the list, and know the most workers when they have it.
    ///
    /// # Errors
    /// [`FitError::NoListLength`] for a granular curve without a list, or a list of 0 elements;
    /// [`FitError::ExactIsSmooth`] for the exact form.
    pub fn new(form: Form, collective: Collective, list_length: Option<u64>) -> Result<Self, FitError> {
        match (form, list_length) {
            (Form::Exact, _) => Err(FitError::ExactIsSmooth),
            (_, Some(0)) | (Form::Granular, None) => Err(FitError::NoListLength),
            _ => Ok(Shape { form, collective, list_length }),
        }
    }

    pub fn form(self) -> Form {
        self.form
    }

    pub fn collective(self) -> Collective {
        self.collective
    }

    /// Length of the list, if known.
    pub fn list_length(self) -> Option<u64> {
        self.list_length
    }

    /// Checks that this many workers can have an element each.
    ///
    /// # Errors
    /// [`FitError::Workers`]: there are none, or more than there are elements.
    pub fn check_workers(self, workers: u64) -> Result<(), FitError> {
        let most = self.list_length.unwrap_or(MOST_ELEMENTS);
        if (1..=most).contains(&workers) { Ok(()) } else { Err(FitError::Workers { workers, most }) }
    }

    /// The terms of the coefficients: `(1, g(K), k(K))`.
    pub(super) fn terms(self, workers: u64) -> [f64; TERMS] {
        let share = match (self.form, self.list_length) {
            // Written so that it has exactly the bits of 1/K where the workers divide the list.
            (Form::Granular, Some(length)) => 1.0 / (length as f64 / length.div_ceil(workers) as f64),
            _ => 1.0 / workers as f64,
        };
        let messages = match self.collective {
            Collective::Flat => workers as f64,
            Collective::Tree => f64::from(tree_depth(workers)),
        };
        [1.0, share, messages]
    }

    /// The boundary of these coefficients, not rounded: `None` if nothing bounds the speedup.
    pub(super) fn boundary(self, work_s: f64, per_worker_s: f64) -> Option<f64> {
        let ratio = work_s / per_worker_s;
        let boundary = match self.collective {
            Collective::Flat => ratio.sqrt(),
            Collective::Tree => std::f64::consts::LN_2 * ratio,
        };
        Some(boundary).filter(|boundary| per_worker_s > 0.0 && boundary.is_finite())
    }
}
