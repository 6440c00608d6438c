//! Every regression, by name.

use crate::auto::Auto;
use crate::auto::baseline::Baseline;
use crate::fitted::Regression;
use crate::models::{
    amdahl::Amdahl, barnes::Barnes, formula::UserFormula, gaussian::Gaussian, gustafson::Gustafson, ka_chain::KaChain,
    ka_strong::KaStrong, ka_wide::KaWide, mean::Mean, mokrov::Mokrov, pmnf::Pmnf, pmnf_pt::PmnfPt, power::Power,
    segmented::Segmented, usl::Usl, weak::Weak,
};

/// The models, in the order in which they are listed.
pub static MODELS: [&dyn Regression; 18] = [
    &Auto,
    &Baseline,
    &Power,
    &PmnfPt,
    &Pmnf,
    &Segmented,
    &Weak,
    &Mokrov,
    &Barnes { quadratic: false },
    &Barnes { quadratic: true },
    &KaStrong,
    &KaWide,
    &KaChain,
    &Amdahl,
    &Gustafson,
    &Usl,
    &Gaussian,
    &Mean,
];

/// The model that needs more than a table; it is not part of `all`.
pub static USER_FORMULA: UserFormula = UserFormula;

/// The model of this name.
pub fn find(name: &str) -> Option<&'static dyn Regression> {
    if name == USER_FORMULA.name() {
        return Some(&USER_FORMULA);
    }
    MODELS.iter().copied().find(|model| model.name() == name)
}

/// All names, `formula` last.
pub fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|model| model.name()).chain([USER_FORMULA.name()])
}
