//! The joint law of a grid, for targets that lie in no slice: the weak-scaling regression and the normal form in
//! several parameters.

use crate::fitted::{Fitted, NoFit, Predictor, Regression};
use crate::models::weak::Weak;
use crate::options::FitOptions;
use crate::sample::Sample;
use runcast_core::model::{Member, Term};
use runcast_core::prediction::MemberValue;
use runcast_core::statistics::median;

/// A misfit so many times that of the other member is far.
const FAR: f64 = 3.0;
/// A median misfit below this, in ln, is never far.
const ROUGH: f64 = 0.5;

/// Both members, as fitted.
pub struct Joint {
    weak: Fitted,
    multi: Option<Fitted>,
}

impl Joint {
    /// Fits both; the normal form may have nothing to say.
    pub fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Joint, NoFit> {
        let weak = Weak.fit(sample, options)?;
        Ok(Joint { weak, multi: crate::models::pmnf_multi::fit_pt(sample, options).ok() })
    }

    /// Fits both, and leaves the normal form out where it misses the runs themselves by far more than the regression
    /// does: its least squares are absolute, so over many orders of magnitude the largest runs alone decide.
    pub fn fit_near(sample: &Sample<'_>, options: &FitOptions) -> Result<Joint, NoFit> {
        let mut joint = Joint::fit(sample, options)?;
        let misfit = |fitted: &Fitted| {
            let misses = sample.at.iter().zip(&sample.y).map(|(at, y)| (fitted.predictor.value(at) / y).ln().abs());
            let misses: Vec<f64> = misses.map(|miss| if miss.is_nan() { f64::INFINITY } else { miss }).collect();
            median(&misses)
        };
        let of_weak = misfit(&joint.weak);
        joint.multi = joint.multi.filter(|multi| misfit(multi) <= (FAR * of_weak).max(ROUGH));
        Ok(joint)
    }

    /// The values of both: the weak-scaling regression's and, if there is one, the normal form's.
    pub fn values(&self, at: &[f64]) -> (f64, Option<f64>) {
        (self.weak.predictor.value(at), self.multi.as_ref().map(|multi| multi.predictor.value(at)))
    }

    /// The same, as members of a prediction.
    pub fn member_values(&self, at: &[f64]) -> Vec<MemberValue> {
        let (a, b) = self.values(at);
        let finite = |value: f64| value.is_finite().then_some(value);
        let mut members = vec![MemberValue { model: "weak".to_owned(), value: finite(a) }];
        members.extend(b.map(|b| MemberValue { model: "pmnf-pt".to_owned(), value: finite(b) }));
        members
    }

    /// A description: the rule that joins the formulas of both, the members, and what was found on the way.
    pub fn described(
        self,
        model: &'static str,
        rule: impl Fn(&str, &str) -> String,
        predictor: impl FnOnce(Joint) -> Box<dyn Predictor>,
    ) -> Fitted {
        let of = |fitted: &Fitted| Member {
            model: fitted.model.to_owned(),
            formula: fitted.formula.clone(),
            class: fitted.class.clone(),
        };
        let members: Vec<Member> = [Some(&self.weak), self.multi.as_ref()].into_iter().flatten().map(of).collect();
        let (formula, class) = match &self.multi {
            Some(multi) => (rule(&self.weak.formula, &multi.formula), multi.class.clone()),
            None => (self.weak.formula.clone(), self.weak.class.clone()),
        };
        let terms: Vec<Term> = self.multi.as_ref().map(|multi| multi.terms.clone()).unwrap_or_default();
        let warnings = self.weak.warnings.clone();
        let mut fitted = Fitted::new(model, formula, class, predictor(self));
        fitted.members = members;
        fitted.terms = terms;
        fitted.warnings = warnings;
        fitted
    }
}
