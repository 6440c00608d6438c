//! Where a formula has no value, and why.

use runcast_formula::template::Template;
use runcast_formula::{Expr, Formula, Function, Program};

/// The parts of a fit that must have values.
pub(super) struct Domain<'a> {
    trees: Vec<&'a Expr>,
    programs: Vec<Option<Program>>,
    names: &'a [String],
}

impl<'a> Domain<'a> {
    pub(super) fn new(template: &'a Template, segmentation: &'a [Formula], names: &'a [String]) -> Self {
        let trees: Vec<&Expr> = template.factors().iter().chain(segmentation.iter().map(Formula::tree)).collect();
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let programs = trees.iter().map(|tree| Program::new(tree, &known).ok()).collect();
        Domain { trees, programs, names }
    }

    /// Why there is no value at a configuration; none where there is one.
    pub(super) fn objection(&self, at: &[f64]) -> Option<&'static str> {
        let without = self.programs.iter().position(|program| !program.as_ref().is_some_and(|p| p.row(at).is_finite()));
        Some(self.reason(self.trees[without?], at))
    }

    /// The innermost part that has no value tells why.
    fn reason(&self, tree: &Expr, at: &[f64]) -> &'static str {
        let value = |expr: &Expr| {
            let lookup = |name: &str| Some(at[self.names.iter().position(|known| known == name)?]);
            expr.evaluate(lookup).unwrap_or(f64::NAN)
        };
        let mut part = tree;
        while let Some(inner) = part.children().find(|inner| !value(inner).is_finite()) {
            part = inner;
        }
        match part {
            Expr::Product { factors, .. } if factors.iter().any(|f| f.inverse && value(&f.value) == 0.0) => {
                "division by 0"
            }
            Expr::Call { function: Function::Log | Function::Log2 | Function::Log10, arguments, .. } => {
                match arguments.first().map(value) {
                    Some(0.0) => "log(0)",
                    _ => "log of a negative number",
                }
            }
            _ if value(part).is_nan() => "not a number",
            _ => "too large",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_part_without_a_value_tells_why() {
        let names = ["n".to_owned(), "P".to_owned()];
        let reason = |text: &str, n: f64, p: f64| {
            let template = Template::parse(text).expect(text);
            Domain::new(&template, &[], &names).objection(&[n, p])
        };
        assert_eq!(reason("F[0] + F[1]*n/P", 4.0, 2.0), None);
        assert_eq!(reason("F[0] + F[1]*n/P", 4.0, 0.0), Some("division by 0"));
        assert_eq!(reason("F[0]*2*(1 + n*log2(P))", 4.0, 0.0), Some("log(0)"));
        assert_eq!(reason("F[0]*log(n)", 1.0, 0.0), None);
        assert_eq!(reason("F[0]*log(n)", -1.0, 0.0), Some("log of a negative number"));
        assert_eq!(reason("F[0]*sqrt(n)", -1.0, 0.0), Some("not a number"));
        assert_eq!(reason("F[0]*10^n", 400.0, 0.0), Some("too large"));
        assert_eq!(reason("F[0]/(n - n)*n", 4.0, 0.0), Some("division by 0"));
    }
}
