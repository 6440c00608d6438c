//! The mixture of forms along one parameter.

use super::calibration::Class;
use super::expert::{Base, Expert, Kind, Setting};
use super::points::{Fold, Points, folds};
use crate::models::search::Folds;
use crate::text::number;
use runcast_core::statistics::population_sd;

const AMDAHL: Kind = Kind::Sum(&[Base::Inverse, Base::One], 2.0);
const AMDAHL_LOG: Kind = Kind::Sum(&[Base::Inverse, Base::One, Base::Log2], 4.0);
const LOG: Kind = Kind::Sum(&[Base::One, Base::Log2], 2.0);
const NORMAL: Kind = Kind::Normal(Folds::ForwardLeaps);

/// The forms of a series that falls. The first answers for those that cannot.
fn falling(r: f64) -> [Kind; 6] {
    [Kind::Power(r), AMDAHL, AMDAHL_LOG, Kind::Quadratic, NORMAL, Kind::Flat]
}

/// The forms of any other series. The first answers for those that cannot.
fn rising(r: f64) -> [Kind; 7] {
    [Kind::Power(r), Kind::Power(2.0), NORMAL, Kind::LastTwo, LOG, Kind::Quadratic, Kind::Normal(Folds::LeaveOneOut)]
}

/// The forms of which one may be the law itself.
fn laws(r: f64) -> [Kind; 9] {
    let sum = |bases| Kind::Sum(bases, 2.0);
    [
        Kind::Power(r),
        NORMAL,
        AMDAHL,
        AMDAHL_LOG,
        LOG,
        sum(&[Base::One, Base::CubeRoot]),
        sum(&[Base::One, Base::Root]),
        sum(&[Base::One, Base::Identity]),
        sum(&[Base::Inverse, Base::Identity]),
    ]
}

/// Logarithms of ratios to the last value are clipped here.
const CLIP: f64 = 6.0;

/// A form whose error on the folds is larger by this weighs e times less.
const TEMPERATURE: f64 = 0.1;

/// A misfit of twice this is no exact law any more.
const EXACT: f64 = 5e-4;

/// From this many runs on, a rising series is dense enough for the power law alone.
const DENSE: usize = 8;

/// Forms fitted to one line, and how they are combined.
///
/// With `z_k(q) = ln(form_k(q)/y_n)`, clipped to +-6, and z of the first form where form k has no positive value (it
/// goes there without a jump):
/// ```text
/// two runs:   z = z_power
/// y_n < y_1:  z = sum_k (1/(2K) + w_k/2) z_k,   w_k ~ exp(-e_k/0.1), e_k the mean error over forward folds
/// n >= 8:     z = z_power-2
/// else:       z = median(m, z_power-2, z_log),  m = b + (a-b)/2 clip(2 - |a-b|/ln 2, 0, 1),  a = z_power, b = z_pmnf-pt
/// ```
/// and `(1-G) z + G sum_k g_k z_k / sum_k g_k` where forms hit every run and fold to `d_k`:
/// `g_k = clip(2 - d_k/0.0005, 0, 1)`, `G = max g_k`.
#[derive(Debug, Clone)]
pub struct Law {
    pub class: Class,
    /// The last y, to which `z` relates.
    last: f64,
    /// The panel: the first answers for those that have no value.
    pub panel: Vec<Expert>,
    /// Weight of each in a falling series.
    weights: Vec<f64>,
    /// The form of the panel that answers alone: the power law of two runs, or of many.
    alone: Option<usize>,
    /// Exact forms, with their g.
    exact: Vec<(Expert, f64)>,
    /// What was held out.
    pub folds: Vec<Fold>,
}

impl Law {
    /// Fits and weighs the forms; `None` where not even a power law can be fitted.
    pub fn fit(points: &Points, setting: &Setting, r: f64) -> Option<Law> {
        let folds = folds(points);
        let class = if points.falls() { Class::Falling } else { Class::Rising };
        let kinds: Vec<Kind> = match class {
            Class::Falling => falling(r).to_vec(),
            Class::Rising => rising(r).to_vec(),
        };
        let first = Expert::fit(kinds[0], points, setting)?;
        let panel: Vec<Expert> =
            kinds.iter().map(|kind| Expert::fit(*kind, points, setting).unwrap_or_else(|| first.clone())).collect();
        let parts: Vec<Points> = folds.iter().map(|fold| points.first(fold.train)).collect();
        let weights = match class {
            Class::Falling => weights(&kinds, &folds, &parts, points, setting),
            Class::Rising => Vec::new(),
        };
        let exact = if points.len() >= 4 { exact(&panel, points, &folds, &parts, setting, r) } else { Vec::new() };
        let alone = match points.len() {
            2 => Some(0),
            count => (class == Class::Rising && count >= DENSE).then_some(1),
        };
        Some(Law { class, last: points.last().1, panel, weights, alone, exact, folds })
    }

    /// `ln(value(x)/y_n)`
    pub fn z(&self, x: f64) -> f64 {
        let panel = self.panel_z(x);
        let mixture = match (self.alone, self.class) {
            (Some(alone), _) => panel[alone],
            (None, Class::Falling) => panel.iter().zip(&self.weights).map(|(z, w)| w * z).sum(),
            (None, Class::Rising) => median_of_three(between(panel[0], panel[2]), panel[1], panel[4]),
        };
        let most = self.exact.iter().map(|(_, g)| *g).fold(0.0, f64::max);
        if most == 0.0 {
            return mixture;
        }
        let sum: f64 = self.exact.iter().map(|(_, g)| g).sum();
        let law: f64 = self.exact.iter().map(|(form, g)| g * self.unclipped(form, x).unwrap_or(panel[0])).sum();
        (1.0 - most) * mixture + most * law / sum
    }

    /// The value at x.
    pub fn at(&self, x: f64) -> f64 {
        self.last * self.z(x).exp()
    }

    /// `z` of every form of the panel.
    pub fn panel_z(&self, x: f64) -> Vec<f64> {
        let first = self.unclipped(&self.panel[0], x).unwrap_or(0.0);
        let z_of = |form: &Expert| match self.unclipped(form, x) {
            Some(z) if form.may_vanish() => first + (z - first).max(-KEPT_TO) * kept(z - first),
            other => other.unwrap_or(first),
        };
        self.panel.iter().map(|form| z_of(form).clamp(-CLIP, CLIP)).collect()
    }

    /// The forms by name, each once: the power law and the normal form first.
    pub fn members(&self) -> Vec<&Expert> {
        let mut members: Vec<&Expert> = Vec::new();
        for form in &self.panel {
            if members.iter().all(|member| member.kind.name() != form.kind.name()) {
                members.push(form);
            }
        }
        members.sort_by_key(|form| (form.kind != self.panel[0].kind, form.kind != NORMAL));
        members
    }

    /// Population standard deviation of `z` over the panel.
    pub fn spread(&self, x: f64) -> f64 {
        population_sd(&self.panel_z(x))
    }

    /// Whether the power law and the normal form are more than a factor of two apart.
    pub fn disagrees(&self, x: f64) -> bool {
        let z = self.panel_z(x);
        let normal = self.panel.iter().position(|form| form.kind == NORMAL).map_or(z[0], |k| z[k]);
        self.exact.is_empty() && (z[0] - normal).abs() > std::f64::consts::LN_2
    }

    fn unclipped(&self, form: &Expert, x: f64) -> Option<f64> {
        let z = (form.at(x) / self.last).ln();
        (!z.is_nan()).then_some(z)
    }

    /// The same in the formula language.
    pub fn formula(&self, x: &str) -> String {
        let [least, most] = [-CLIP, CLIP].map(|z| number(self.last * z.exp()));
        let clipped = |form: &Expert| format!("min(max({}, {least}), {most})", form.formula(x));
        let text = |form: &Expert| match form.kind {
            _ if form.may_vanish() => {
                let (value, first) = (form.formula(x), self.panel[0].formula(x));
                let ratio = format!("(({value})/({first}))");
                let kept = format!("{first}*{ratio}^min(max(({KEPT_TO} + log{ratio})/2, 0), 1)");
                format!("min(max(if({value} > 0, {kept}, {first}), {least}), {most})")
            }
            Kind::Flat => form.formula(x),
            _ => clipped(form),
        };
        let product = |factors: Vec<(String, f64)>| -> String {
            let factors: Vec<String> = factors
                .into_iter()
                .filter(|(_, power)| *power != 0.0)
                .map(|(factor, power)| if power == 1.0 { factor } else { format!("({factor})^{}", number(power)) })
                .collect();
            factors.join("*")
        };
        let most_exact = self.exact.iter().map(|(_, g)| *g).fold(0.0, f64::max);
        let sum: f64 = self.exact.iter().map(|(_, g)| g).sum();
        let exact = || self.exact.iter().map(|(form, g)| (form.formula(x), most_exact * g / sum)).collect::<Vec<_>>();
        if most_exact == 1.0 && self.exact.len() == 1 {
            return self.exact[0].0.formula(x);
        }
        let mixture = match (self.alone, self.class) {
            (Some(alone), _) => text(&self.panel[alone]),
            (None, Class::Falling) => {
                product(self.panel.iter().zip(&self.weights).map(|(form, w)| (text(form), *w)).collect())
            }
            (None, Class::Rising) => {
                let (a, b) = (text(&self.panel[0]), text(&self.panel[2]));
                let (second, third) = (text(&self.panel[1]), text(&self.panel[4]));
                let middle = between_formula(&a, &b);
                format!("max(min({middle}, {second}), min(max({middle}, {second}), {third}))")
            }
        };
        if self.exact.is_empty() {
            return mixture;
        }
        let mut factors = vec![(mixture, 1.0 - most_exact)];
        factors.extend(exact());
        product(factors)
    }

    /// The form that weighs most.
    pub fn leader(&self) -> &Expert {
        let best = self.exact.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((form, _)) = best {
            return form;
        }
        let heaviest = self.weights.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        match (self.alone, heaviest) {
            (Some(k), _) | (None, Some((k, _))) => &self.panel[k],
            (None, None) => &self.panel[2],
        }
    }
}

/// A form that may vanish no longer counts where it is this far below the first, in logarithms.
const KEPT_TO: f64 = 3.0;

/// How much of its distance to the first form such a form keeps: all down to two less.
fn kept(z: f64) -> f64 {
    ((KEPT_TO + z) / 2.0).clamp(0.0, 1.0)
}

/// Halfway between two logarithms while they are within a factor of two, and b where they are more than four apart.
pub fn between(a: f64, b: f64) -> f64 {
    b + (a - b) / 2.0 * (2.0 - (a - b).abs() / std::f64::consts::LN_2).clamp(0.0, 1.0)
}

/// The same of two formulas that are positive.
pub fn between_formula(a: &str, b: &str) -> String {
    format!("({b})*(({a})/({b}))^(min(max(2 - abs(log2(({a})/({b}))), 0), 1)/2)")
}

fn median_of_three(a: f64, b: f64, c: f64) -> f64 {
    a.min(b).max(a.max(b).min(c))
}

/// `1/(2K) + w_k/2`, `w_k ~ exp(-e_k/0.1)`, `e_k` the weighted mean of `min(|z_k - z|, 1)/sqrt(max(h, 1/2))` over the
/// folds; without any, all are equal.
fn weights(kinds: &[Kind], folds: &[Fold], parts: &[Points], points: &Points, setting: &Setting) -> Vec<f64> {
    let equal = 1.0 / kinds.len() as f64;
    if folds.is_empty() {
        return vec![equal; kinds.len()];
    }
    let mut errors = vec![0.0; kinds.len()];
    let total: f64 = folds.iter().map(|fold| fold.weight).sum();
    for (fold, part) in folds.iter().zip(parts) {
        let (_, last) = part.last();
        let x = points.x[fold.held];
        let z_of = |kind: Kind| {
            let z = (Expert::fit(kind, part, setting)?.at(x) / last).ln();
            (!z.is_nan()).then(|| z.clamp(-CLIP, CLIP))
        };
        let first = z_of(kinds[0]).unwrap_or(0.0);
        for (error, kind) in errors.iter_mut().zip(kinds) {
            let off = (z_of(*kind).unwrap_or(first) - fold.truth).abs().min(1.0);
            *error += fold.weight / total * off / fold.reach.max(0.5).sqrt();
        }
    }
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let raw: Vec<f64> = errors.iter().map(|error| (-(error - least) / TEMPERATURE).exp()).collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|w| equal / 2.0 + w / sum / 2.0).collect()
}

/// The forms that hit every run and every fold.
fn exact(
    panel: &[Expert],
    points: &Points,
    folds: &[Fold],
    parts: &[Points],
    setting: &Setting,
    r: f64,
) -> Vec<(Expert, f64)> {
    laws(r)
        .into_iter()
        .filter_map(|kind| {
            let fitted = panel.iter().find(|form| form.kind == kind).cloned();
            let form = fitted.or_else(|| Expert::fit(kind, points, setting))?;
            let mut off = form.misfit(points.x.iter().zip(&points.y));
            for (fold, part) in folds.iter().zip(parts) {
                if off >= 2.0 * EXACT {
                    return None;
                }
                let again = Expert::fit(kind, part, setting)?;
                off = off.max(again.misfit(std::iter::once((&points.x[fold.held], &points.y[fold.held]))));
            }
            let g = (2.0 - off / EXACT).clamp(0.0, 1.0);
            (g > 0.0).then_some((form, g))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::DEFAULT_TERMS;
    use runcast_core::numeric::linear::Robust;
    use runcast_formula::Formula;

    fn setting() -> Setting {
        Setting { times_x: true, terms: DEFAULT_TERMS.to_vec(), robust: Robust::None }
    }

    fn law(x: &[f64], f: impl Fn(f64) -> f64) -> Law {
        let points = Points { x: x.to_vec(), y: x.iter().map(|x| f(*x)).collect() };
        Law::fit(&points, &setting(), 4.0).expect("fits")
    }

    const DOUBLINGS: [f64; 5] = [2.0, 4.0, 8.0, 16.0, 32.0];

    #[test]
    fn exact_laws_come_back_far_beyond_the_runs() {
        type Form = (&'static str, fn(f64) -> f64);
        let laws: [Form; 9] = [
            ("200 + 5p", |p| 200.0 + 5.0 * p),
            ("Amdahl", |p| 1.0 + 99.0 / p),
            ("Amdahl with a tree", |p| 2.0 + 90.0 / p + 0.5 * p.log2()),
            ("a tree", |p| 3.0 + 0.2 * p.log2()),
            ("a power", |p| 7.0 * p.powf(0.37)),
            ("a cube root", |p| 40.0 + 3.0 * p.cbrt()),
            ("a root", |p| 4.0 + 3.0 * p.sqrt()),
            ("shares and a line", |p| 100.0 / p + 0.01 * p),
            ("a falling power", |p| 60.0 * p.powf(-0.8)),
        ];
        for (name, f) in laws {
            for far in [64.0, 256.0, 1024.0] {
                let value = law(&DOUBLINGS, f).at(far);
                assert!((value / f(far) - 1.0).abs() < 1e-3, "{name} at {far}: {value}, not {}", f(far));
            }
        }
    }

    #[test]
    fn the_formula_is_the_law() {
        let noisy = |x: f64| 1.0 + 0.03 * (7.0 * x).sin();
        let falling = law(&DOUBLINGS, |p| (1.0 + 50.0 / p) * noisy(p));
        let rising = law(&DOUBLINGS, |p| (5.0 + p.sqrt()) * noisy(p));
        let short = law(&DOUBLINGS[..2], |p| 9.0 / p);
        let exact = law(&DOUBLINGS, |p| 200.0 + 5.0 * p);
        let dense = law(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], |p| (5.0 + p) * noisy(p));
        for law in [falling, rising, short, exact, dense] {
            let formula = Formula::parse(&law.formula("p")).expect("a formula");
            for p in [3.0, 64.0, 1000.0, 1e6] {
                let told = formula.evaluate_at(&[("p", p)]).expect("evaluates");
                assert!((law.at(p) / told - 1.0).abs() < 1e-9, "{} and {told} at {p}", law.at(p));
            }
        }
    }

    #[test]
    fn weights_are_shares() {
        let law = law(&DOUBLINGS, |p| 3.0 + 50.0 / p + 0.1 * p.sqrt());
        assert!((law.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(law.weights.iter().all(|w| *w >= 1.0 / 12.0));
    }

    #[test]
    fn what_lies_between_two_forms_does_not_jump() {
        let value = |off: f64| between(off, 0.0);
        assert_eq!((value(0.5), value(std::f64::consts::LN_2 * 2.0)), (0.25, 0.0));
        for step in 0..400 {
            let off = f64::from(step) * 0.005;
            assert!((value(off + 0.005) - value(off)).abs() < 0.005);
        }
    }
}
