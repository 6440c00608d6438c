//! The shapes that a constant may take along a variable.

/// Values along the variable at which a bend may lie.
const GRID: usize = 80;

/// Values of the grid without a bend, at each end.
const MARGIN: usize = 2;

/// Powers of the logistic shapes.
const POWERS: [u32; 6] = [1, 2, 4, 8, 16, 64];

/// Bends of a term: seven shapes, each at 76 places.
pub(super) const COUNT: usize = (1 + POWERS.len()) * (GRID - 2 * MARGIN);

/// How a term fades in along the variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) enum Curve {
    /// `max(0, 1 - C/z)`: of what exceeds a capacity.
    Cap,
    /// `1 / (1 + (C/z)^w)`: on the logarithm of z a logistic curve.
    Logistic(u32),
}

/// A term that fades in around a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Bend {
    /// The term whose factor it multiplies.
    pub(in super::super) term: usize,
    pub(in super::super) curve: Curve,
    /// `C`, in the unit of the variable.
    pub(in super::super) at: f64,
}

impl Bend {
    /// The share of the term that is there: 0 far below, 1 far beyond.
    pub(super) fn share(&self, z: f64) -> f64 {
        let ratio = self.at / z;
        match self.curve {
            Curve::Cap => (1.0 - ratio).max(0.0),
            // Where the power overflows, this is 0.
            Curve::Logistic(power) => 1.0 / (1.0 + ratio.powi(power.cast_signed())),
        }
    }

    /// The name of its shape.
    pub(in super::super) fn shape(&self) -> &'static str {
        match self.curve {
            Curve::Cap => "cap",
            Curve::Logistic(_) => "logistic",
        }
    }

    /// The power of a logistic shape.
    pub(in super::super) fn power(&self) -> Option<u32> {
        match self.curve {
            Curve::Cap => None,
            Curve::Logistic(power) => Some(power),
        }
    }
}

/// The bends of a term, shape by shape, each along the grid between the least and the greatest value.
pub(super) fn candidates(term: usize, least: f64, most: f64) -> Vec<Bend> {
    let (low, high) = (least.ln(), most.ln());
    let steps = (GRID - 1) as f64;
    let places: Vec<f64> =
        (MARGIN..GRID - MARGIN).map(|step| (low + step as f64 * (high - low) / steps).exp()).collect();
    let logistic = POWERS.iter().map(|power| Curve::Logistic(*power));
    let curves = std::iter::once(Curve::Cap).chain(logistic);
    curves.flat_map(|curve| places.iter().map(move |&at| Bend { term, curve, at })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_has_532_bends_in_order() {
        let all = candidates(1, 640.0, 1.6777216e8);
        assert_eq!((all.len(), COUNT), (532, 532));
        assert_eq!(all[0].curve, Curve::Cap);
        assert_eq!(all[76].curve, Curve::Logistic(1));
        assert_eq!(all[531].curve, Curve::Logistic(64));
        assert!(all[..76].windows(2).all(|pair| pair[0].at < pair[1].at));
    }

    #[test]
    fn a_power_that_overflows_leaves_nothing() {
        let bend = Bend { term: 0, curve: Curve::Logistic(64), at: 1e12 };
        assert_eq!(bend.share(1.0), 0.0);
        assert_eq!(Bend { at: 4.0, ..bend }.share(4.0), 0.5);
        assert_eq!(Bend { at: 4.0, curve: Curve::Cap, ..bend }.share(16.0), 0.75);
        assert_eq!(Bend { at: 4.0, curve: Curve::Cap, ..bend }.share(2.0), 0.0);
    }
}
