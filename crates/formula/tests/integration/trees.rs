//! Random trees, rows and texts.

use proptest::prelude::*;
use runcast_formula::{Comparison, Expr, Factor, Function, Span, Term};

/// The names that random trees use.
pub const NAMES: [&str; 4] = ["p", "N", "cpu.cores", "größe"];

/// Any tree over [`NAMES`], odd ones included: empty sums, negative numbers anywhere, products that begin with a divisor.
pub fn tree() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(6, 60, 4, |inner| {
        let list = |sizes| prop::collection::vec((any::<bool>(), inner.clone()), sizes);
        let plain = |sizes| prop::collection::vec(inner.clone(), sizes);
        let span = Span::default();
        prop_oneof![
            3 => list(0..5).prop_map(move |terms| Expr::Sum {
                terms: terms.into_iter().map(|(negative, value)| Term { negative, value }).collect(),
                span,
            }),
            3 => list(0..5).prop_map(move |factors| Expr::Product {
                factors: factors.into_iter().map(|(inverse, value)| Factor { inverse, value }).collect(),
                span,
            }),
            1 => inner.clone().prop_map(move |operand| Expr::Negation { operand: Box::new(operand), span }),
            1 => inner.clone().prop_map(move |operand| Expr::Not { operand: Box::new(operand), span }),
            2 => (inner.clone(), inner.clone()).prop_map(|(base, exponent)| base.power(exponent)),
            1 => (inner.clone(), prop::sample::select(vec![2.0, 3.0, -2.0, 0.5, 1.5, 1.0, 0.0, -0.5]))
                .prop_map(|(base, exponent)| base.power(exponent)),
            2 => (inner.clone(), comparison(), inner.clone()).prop_map(|(left, comparison, right)| left.compare(comparison, right)),
            1 => plain(0..4).prop_map(move |operands| Expr::And { operands, span }),
            1 => plain(0..4).prop_map(move |operands| Expr::Or { operands, span }),
            3 => (prop::sample::select(Function::ALL.to_vec()), prop::collection::vec(inner.clone(), 4..6)).prop_map(
                |(function, mut arguments)| {
                    arguments.truncate((*function.arity().end()).min(arguments.len()));
                    Expr::call(function, arguments)
                }
            ),
        ]
    })
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        2 => prop::sample::select(NAMES.to_vec()).prop_map(Expr::name),
        2 => (-4i32..10).prop_map(|value| Expr::number(f64::from(value))),
        1 => any::<f64>().prop_map(Expr::number),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::*;
    prop::sample::select(vec![Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual])
}

/// A number for each of [`NAMES`]: common ones, and now and then any at all.
pub fn row() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(prop_oneof![4 => -10.0..100.0, 2 => (-3i32..5).prop_map(f64::from), 1 => any::<f64>()])
}

/// A known term that is positive and of moderate size for moderate positive p and N.
pub fn known_term() -> impl Strategy<Value = String> {
    let term = prop::sample::select(vec!["1", "p", "N", "N^3", "log2(p + 1)", "sqrt(N)", "(p + N)", "3", "p^0.5"]);
    (term.clone(), prop::sample::select(vec!["*", "/"]), term)
        .prop_map(|(left, operator, right)| format!("{left}{operator}{right}"))
}

/// A formula linear in a, b and c, written in a roundabout way.
pub fn linear_formula() -> impl Strategy<Value = String> {
    let unknown = prop::sample::select(vec!["a", "b", "c"]);
    let base = prop_oneof![3 => unknown.prop_map(str::to_owned), 1 => known_term()];
    base.prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            2 => (inner.clone(), prop::sample::select(vec!["+", "-"]), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left} {operator} {right})")),
            1 => (inner.clone(), known_term()).prop_map(|(left, right)| format!("{left}*({right})")),
            1 => (inner.clone(), known_term()).prop_map(|(left, right)| format!("({right})*{left}/({right})")),
            1 => inner.clone().prop_map(|inner| format!("(-{inner})")),
            1 => (inner.clone(), inner).prop_map(|(left, right)| format!("if(p < N, {left}, {right})")),
        ]
    })
}
