//! The cost model fitted to measured times over worker counts.
//!
//! ```text
//! T(K) = fixed + work g(K) + per_worker k(K)          all >= 0
//! g(K) = 1/K  or  ceil(l/K)/l                         smooth or granular
//! k(K) = K  or  ceil(log2(K+1))                       flat or tree
//! ```
//!
//! [`fit`] finds the coefficients that make the relative errors least, by squares or by absolute values; both are
//! global optima, computed and not searched for. A [`Fit`] provides times, the scalability boundary, and the intervals
//! of both ([`Fit::at_level`]).
//!
//! [`fit_auto`] takes all forms at once and weighs them by what they predict on points kept from them.
//!
//! # Examples
//! ```
//! use runcast_bsf::cost::{Collective, Form};
//! use runcast_bsf::fit::{Loss, Measured, Shape, fit};
//!
//! // T(K) = 0.1 + 80/K + 0.05 K: with 40 workers it is at its best.
//! let runs: Vec<Measured> = [5, 10, 20, 30, 50, 60]
//!     .map(|workers| Measured { workers, time_s: 0.1 + 80.0 / workers as f64 + 0.05 * workers as f64 })
//!     .to_vec();
//! let shape = Shape::new(Form::Smooth, Collective::Flat, None)?;
//! let fitted = fit(&runs, shape, Loss::LeastSquares)?;
//! assert!((fitted.coefficients().work_s - 80.0).abs() < 1e-9);
//! assert!((fitted.k_max().unwrap_or(0.0) - 40.0).abs() < 1e-9);
//! # Ok::<(), runcast_bsf::fit::FitError>(())
//! ```

mod auto;
mod design;
mod elimination;
mod error;
pub mod file;
mod fitted;
mod intervals;
mod least_absolute;
mod least_squares;
mod losses;
mod points;
mod shape;
mod simplex;

pub use auto::{Auto, BOUNDARY_DRAWS, BoundaryRange, Member, Step, fit_auto};
pub use error::FitError;
pub use fitted::{Coefficients, Fit, Loss, fit};
pub use intervals::{Intervals, TimeInterval};
pub use losses::{Both, Disagreement, fit_both};
pub use points::Measured;
pub use shape::Shape;
