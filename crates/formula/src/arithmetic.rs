//! The operations on numbers, shared by the tree and by compiled programs so that both give the same bits.

/// Whether a value counts as true: neither zero nor "not a number".
pub(crate) fn truth(x: f64) -> bool {
    x.abs() > 0.0
}

/// 1 for true, 0 for false.
pub(crate) fn indicator(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

/// An operation on one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Negate,
    Not,
    Truth,
    Abs,
    Sqrt,
    Cbrt,
    Exp,
    Log,
    Log2,
    Log10,
    Ceil,
    Floor,
    Round,
    /// x^2, and so on: powers that multiplication and roots give within 2 units in the last place.
    Square,
    Cube,
    Fourth,
    Reciprocal,
    InverseSquare,
    RootPower,
    InverseRootPower,
    ThreeHalves,
}

impl UnaryOp {
    /// The operation that equals raising to a fixed exponent, where there is a fast one.
    pub(crate) fn for_exponent(exponent: f64) -> Option<Self> {
        const FAST: [(f64, UnaryOp); 8] = [
            (2.0, UnaryOp::Square),
            (3.0, UnaryOp::Cube),
            (4.0, UnaryOp::Fourth),
            (-1.0, UnaryOp::Reciprocal),
            (-2.0, UnaryOp::InverseSquare),
            (0.5, UnaryOp::RootPower),
            (-0.5, UnaryOp::InverseRootPower),
            (1.5, UnaryOp::ThreeHalves),
        ];
        FAST.iter().find(|(fast, _)| *fast == exponent).map(|&(_, op)| op)
    }

    #[inline(always)]
    pub(crate) fn apply(self, x: f64) -> f64 {
        match self {
            Self::Negate => -x,
            Self::Not => indicator(!truth(x)),
            Self::Truth => indicator(truth(x)),
            Self::Abs => x.abs(),
            Self::Sqrt => x.sqrt(),
            Self::Cbrt => x.cbrt(),
            Self::Exp => x.exp(),
            Self::Log => x.ln(),
            Self::Log2 => x.log2(),
            Self::Log10 => x.log10(),
            Self::Ceil => x.ceil(),
            Self::Floor => x.floor(),
            Self::Round => x.round(),
            Self::Square => x * x,
            Self::Cube => x * x * x,
            Self::Fourth => (x * x) * (x * x),
            Self::Reciprocal => 1.0 / x,
            Self::InverseSquare => (1.0 / x) * (1.0 / x),
            Self::RootPower => root_power(x),
            Self::InverseRootPower => 1.0 / root_power(x),
            Self::ThreeHalves => positive_zero(x).abs() * root_power(x),
        }
    }
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    /// A power whose exponent is known to have no operation of its own.
    PlainPower,
    Min,
    Max,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl BinaryOp {
    #[inline(always)]
    pub(crate) fn apply(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Add => x + y,
            Self::Subtract => x - y,
            Self::Multiply => x * y,
            Self::Divide => x / y,
            Self::Power => power(x, y),
            Self::PlainPower => x.powf(y),
            Self::Min => minimum(x, y),
            Self::Max => maximum(x, y),
            Self::Equal => indicator(x == y),
            Self::NotEqual => indicator(x != y),
            Self::Less => indicator(x < y),
            Self::LessEqual => indicator(x <= y),
            Self::Greater => indicator(x > y),
            Self::GreaterEqual => indicator(x >= y),
            Self::And => indicator(truth(x) & truth(y)),
            Self::Or => indicator(truth(x) | truth(y)),
        }
    }
}

/// x^y: the standard power, by multiplication where that is faster and as exact.
pub(crate) fn power(x: f64, y: f64) -> f64 {
    match UnaryOp::for_exponent(y) {
        Some(op) => op.apply(x),
        None => x.powf(y),
    }
}

/// x^0.5, which unlike the square root is +0 at -0 and infinite at minus infinity.
#[inline(always)]
fn root_power(x: f64) -> f64 {
    let root = positive_zero(x).sqrt();
    if x == f64::NEG_INFINITY { f64::INFINITY } else { root }
}

#[inline(always)]
fn positive_zero(x: f64) -> f64 {
    x + 0.0
}

#[inline(always)]
fn minimum(x: f64, y: f64) -> f64 {
    if x < y || x.is_nan() { x } else { y }
}

#[inline(always)]
fn maximum(x: f64, y: f64) -> f64 {
    if x > y || x.is_nan() { x } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPONENTS: [f64; 8] = [2.0, 3.0, 4.0, -1.0, -2.0, 0.5, -0.5, 1.5];

    #[test]
    fn fast_powers_agree_with_the_standard_power_at_the_edges() {
        let edges = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e200, -1e200, 1e-200];
        for exponent in EXPONENTS {
            for x in edges {
                let (fast, slow) = (power(x, exponent), x.powf(exponent));
                assert!(
                    fast == slow || (fast.is_nan() && slow.is_nan()) || close(fast, slow),
                    "{x}^{exponent}: {fast} {slow}"
                );
                assert!(fast.is_nan() || fast.is_sign_negative() == slow.is_sign_negative(), "{x}^{exponent}");
            }
        }
    }

    #[test]
    fn fast_powers_are_within_two_units_in_the_last_place() {
        for exponent in EXPONENTS {
            for step in 1..4000 {
                let x = f64::from(step) * 0.37;
                assert!(close(power(x, exponent), x.powf(exponent)), "{x}^{exponent}");
            }
        }
    }

    fn close(fast: f64, slow: f64) -> bool {
        (fast - slow).abs() <= 2.0 * f64::EPSILON * slow.abs()
    }

    #[test]
    fn what_is_not_a_number_is_not_true() {
        assert!(!truth(f64::NAN));
        assert!(truth(-0.1));
        assert!(!truth(-0.0));
    }
}
