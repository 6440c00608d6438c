//! Coefficients on other hardware than they were measured on.
//!
//! ```text
//! c(X) = value * (f(on)/f(X))^e        e = 1 for times, -1 for rates
//! ```
//!
//! `on` is where the coefficient was measured: the entry of the system file, unless it names another; X is the entry now; f
//! is the figure that it depends on, of one thread. An attribute that the file sets beside an entry counts as a factor on the
//! catalogue's (see [`crate::system::Parts`]).

use super::SystemWorld;
use super::class::{Class, in_state};
use crate::application::{Application, Block, Rate, Rates};
use crate::model::{Coefficient, Filter, Input, On, Rule, Scale, Scaling, exponent};
use crate::system::Other;
use runcast_core::{Problem, Warning};
use runcast_formula::is_name;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A coefficient as it is used where its hardware was exchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaled {
    pub model: String,
    pub coefficient: String,
    /// Entry that it was measured on.
    pub on: String,
    /// Entry now.
    pub to: String,
    /// What it depends on.
    pub figure: Cow<'static, str>,
    /// Value now over the value in the file.
    pub ratio: f64,
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub file: String,
    pub line: u64,
}

/// Uncertainty of the exponent with which a coefficient follows a figure: half-width.
pub(crate) const DOUBT: f64 = 0.25;

impl SystemWorld {
    /// The coefficient as an input of a rule, at a class and a network.
    pub(super) fn coefficient_input(
        &self,
        coefficient: &Coefficient,
        rule: &Rule,
        class: &Class,
        network: Option<usize>,
    ) -> Result<Input, Problem> {
        let constant = Ok(Input::Constant(coefficient.value));
        let power = exponent(coefficient.unit);
        let is_tuned = rule.filters.iter().any(|(filter, _)| *filter == Filter::Hardware);
        let is_exchanged = self.system.components[class.component].parts.is_exchanged()
            || self.system.components[class.machine].parts.is_exchanged()
            || self.system.networks.iter().any(|network| network.parts.is_exchanged());
        let in_other_state = class.factor != 1.0;
        if power == 0 || is_tuned || !(is_exchanged || in_other_state || coefficient.on.is_some()) {
            return constant;
        }
        let scale = coefficient.scales.unwrap_or_else(|| Scale::usual(rule.on, coefficient.unit));
        let of_network = matches!(scale, Scale::Latency | Scale::Bandwidth);
        let parts = match network.filter(|_| of_network) {
            Some(network) => &self.system.networks[network].parts,
            None if of_network => return constant,
            None => &self.system.components[class.component].parts,
        };
        let on = match &coefficient.on {
            Some((_, id)) => {
                let entry = self.system.catalogue.get(id).ok_or_else(|| {
                    let message = format!("on: \"{id}\" is not in the catalogue");
                    let problem = Problem::new("unknown_hardware", message).value(id.as_str());
                    let hint = "runcast sim hardware list shows all, --catalogue FILE adds more";
                    coefficient.location.locate(problem.hint(hint))
                })?;
                Other { id: Some(id), attributes: &entry.attributes, is_now: false }
            }
            None => parts.in_file(),
        };
        let is_set = parts.sets_figures() || self.system.components[class.machine].parts.sets_figures();
        let is_same_device = on.id == parts.now().id && !is_set;
        if (is_same_device && (!in_other_state || of_network)) || scale == Scale::None {
            return constant;
        }
        let value = |key: &str, entry: Other<'_>| match network.filter(|_| of_network) {
            Some(_) => parts.over.get(key).filter(|_| entry.is_now).or_else(|| entry.attributes.get(key)),
            None => {
                let known = self.system.number_with(class.component, class.machine, key, entry);
                known.map(|known| if entry.is_now { in_state(key, known, class.factor) } else { known })
            }
        };
        if is_same_device {
            let in_state = Ok(Input::Constant(coefficient.value * class.factor.powi(-power)));
            let knows = |key: &str| value(key, on).is_some();
            match scale {
                Scale::Clock | Scale::Scalar | Scale::Flops | Scale::FlopsOf(_) => return in_state,
                Scale::Roofline => {
                    let flops = Rates::of(|key| value(key, on)).0.iter().any(Option::is_some);
                    if !(flops && ["mem_bandwidth_core", "clock", "ipc"].into_iter().all(knows)) {
                        // The factor of the state is all that is known.
                        return in_state;
                    }
                }
                _ => return constant,
            }
        }
        let missing = |key: &str, entry: Other<'_>| {
            let id = entry.id.unwrap_or("the hardware of the file");
            let message = format!("a coefficient depends on {key}, which {id} does not give");
            let problem = Problem::new("missing_figure", message).value(key);
            problem.hint("say what it depends on: scales = \"clock\", \"none\" or another")
        };
        let get = |key: &str, entry: Other<'_>| value(key, entry).ok_or_else(|| missing(key, entry));
        let both = |of: &dyn Fn(Other<'_>) -> Result<f64, Problem>| -> Result<f64, Problem> {
            Ok((of(on)? / of(parts.now())?).powi(power))
        };
        let rates = |entry: Other<'_>| {
            let cores = value("cores", entry).unwrap_or(1.0);
            let of_a_core = |rate: Rate| Rate { flops: rate.flops / cores, ..rate };
            Rates(Rates::of(|key| value(key, entry)).0.map(|rate| rate.map(of_a_core)))
        };
        let factor = match scale {
            Scale::Roofline => {
                let of = |entry: Other<'_>| crate::model::OneThread {
                    rates: rates(entry),
                    memory: value("mem_bandwidth_core", entry),
                    scalar: value("clock", entry).zip(value("ipc", entry)).map(|(clock, ipc)| clock * ipc),
                };
                let scaling =
                    Scaling { value: coefficient.value, on: of(on), now: of(parts.now()), power, by_ops: false };
                return Ok(Input::Scaled(Box::new(scaling)));
            }
            Scale::Flops | Scale::FlopsOf(_) => {
                // One operation a core: what a block without bytes takes by the roofline.
                let only = match scale {
                    Scale::FlopsOf(precision) => Some(precision),
                    _ => None,
                };
                let of = |entry: Other<'_>| crate::model::OneThread {
                    rates: only.map_or(rates(entry), |precision| Rates([rates(entry).get(precision); 9])),
                    ..crate::model::OneThread::default()
                };
                let scaling =
                    Scaling { value: coefficient.value, on: of(on), now: of(parts.now()), power, by_ops: true };
                return Ok(Input::Scaled(Box::new(scaling)));
            }
            Scale::Scalar => both(&|entry| Ok(get("clock", entry)? * get("ipc", entry)?))?,
            Scale::Latency => 1.0 / both(&|entry| get("latency", entry))?,
            Scale::Clock | Scale::MemBandwidthCore | Scale::MemBandwidth | Scale::Bandwidth => {
                both(&|entry| get(scale.word(), entry))?
            }
            Scale::None => 1.0,
        };
        if !(factor.is_finite() && factor > 0.0) {
            let message = format!("the ratio of {} is {factor}", scale.word());
            return Err(Problem::new("bad_value", message).allowed("a finite number above 0"));
        }
        Ok(Input::Constant(coefficient.value * factor))
    }

    /// What exchanged hardware did to the coefficients of the blocks that are known in advance.
    pub(super) fn note_scaled(&mut self, application: &Application) -> Result<(), Problem> {
        let mut all: Vec<Scaled> = Vec::new();
        let mut across: Vec<String> = Vec::new();
        for label in self.labels.iter().filter(|label| label.count > 0) {
            for block in label.blocks.iter().filter_map(|block| application.blocks.get(*block as usize)) {
                self.scaled_of_block(block, label.first, &mut all, &mut across)?;
            }
        }
        for one in &all {
            // One that is written out in a formula has no name.
            let name = if is_name(&one.coefficient) { "c." } else { "" };
            let scale = Scale::ALL.into_iter().find(|(_, word)| *word == one.figure);
            self.assumed.push(format!(
                "{name}{} of the model {} follows {}: {:.4} times as much on {} as on {}, within a wider range",
                one.coefficient,
                one.model,
                scale.map_or("the hardware", |(scale, _)| scale.phrase()),
                one.ratio,
                one.to,
                one.on
            ));
        }
        across.dedup();
        self.warnings.extend(across.into_iter().map(|text| Warning::new("scaled_across_kinds", text)));
        self.scaled = all;
        Ok(())
    }

    fn scaled_of_block(
        &self,
        block: &Block,
        process: u64,
        all: &mut Vec<Scaled>,
        across: &mut Vec<String>,
    ) -> Result<(), Problem> {
        use crate::world::World;
        let Ok(class) = self.class_of_block(block, self.place(process).class) else { return Ok(()) };
        let found = &self.classes[self.base_class(class)];
        let model = &self.models[found.model];
        let Some(rule) = model.rule_for(On::Compute, &self.block_case(block, class)) else { return Ok(()) };
        let rule = &model.rules[rule];
        let Some(formula) = &rule.value else { return Ok(()) };
        let variables = super::node::variables(self, block, class, None)?;
        for used in &formula.names {
            let crate::model::Operand::Coefficient(name) = &used.operand else { continue };
            let Some(coefficient) = model.coefficients.get(name) else { continue };
            let input = self.coefficient_input(coefficient, rule, found, None);
            let input = input.map_err(|problem| used.location.locate(problem))?;
            let value = match &input {
                Input::Constant(value) => *value,
                Input::Scaled(scaling) => {
                    scaling.evaluate(&variables).map_err(|problem| used.location.locate(problem))?
                }
                Input::Variable(_) => continue,
            };
            let parts = &self.system.components[found.component].parts;
            let is_of_state = coefficient.on.is_none() && !parts.is_exchanged();
            if value == coefficient.value || is_of_state {
                continue;
            }
            let component = &self.system.components[found.component];
            let (ratio, power) = (value / coefficient.value, 1.0 - DOUBT);
            let spread = |bound: Option<f64>, is_low: bool| {
                let ends = [ratio.powf(power), ratio.powf(2.0 - power)];
                bound.map(|bound| bound * if is_low { ends[0].min(ends[1]) } else { ends[0].max(ends[1]) })
            };
            let on = coefficient.on.as_ref().map(|(_, id)| id.clone()).or_else(|| component.parts.reference.clone());
            let (on, to) = (on.unwrap_or_default(), component.parts.entry.clone().unwrap_or_default());
            let kind = |id: &str| self.system.catalogue.get(id).map(|entry| entry.kind.clone());
            if let (Some(one), Some(other)) = (kind(&on), kind(&to))
                && one != other
            {
                across.push(format!("c.{name} was measured on {on}, a {one}, and is used on {to}, a {other}"));
            }
            let scaled = Scaled {
                model: model.name.clone(),
                coefficient: name.clone(),
                on,
                to,
                figure: coefficient.scales.unwrap_or_else(|| Scale::usual(rule.on, coefficient.unit)).word().into(),
                ratio,
                value,
                low: spread(coefficient.low.or(Some(coefficient.value)), true),
                high: spread(coefficient.high.or(Some(coefficient.value)), false),
                file: coefficient.location.file.clone(),
                line: coefficient.location.line,
            };
            if !all.contains(&scaled) {
                all.push(scaled);
            }
        }
        Ok(())
    }

    /// Coefficients that exchanged hardware changed.
    pub fn scaled(&self) -> &[Scaled] {
        &self.scaled
    }
}
