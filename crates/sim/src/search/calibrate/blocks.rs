//! What is known about the blocks of a type before they are simulated: their sizes, and the rules and hardware behind their costs.

use crate::model::{Filter, Model, On, Operand, Rule, Scale};
use crate::run::Prepared;
use crate::world::{SystemWorld, World};
use runcast_core::Problems;
use std::collections::BTreeSet;

/// The blocks of a type that one configuration executes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blocks {
    /// Different sizes, and how often a process executes a block of each, on the average over the processes of its label.
    pub sizes: Vec<(f64, f64)>,
    /// Operations or bytes, the most.
    pub work: f64,
    /// Blocks whose seconds the script gives.
    pub timed: usize,
    /// Whether processes run live: what they execute is not known.
    pub is_live: bool,
}

impl Blocks {
    /// Those of a configuration.
    pub fn of(prepared: &Prepared, kind: &str) -> Blocks {
        let application = &prepared.recorded.application;
        let mut found = Blocks::default();
        for (number, label) in application.labels.iter().enumerate() {
            found.is_live |= label.programs == crate::application::Programs::Live;
            for (block, times) in application.executions(number) {
                let Some(block) = application.blocks.get(block as usize).filter(|block| block.kind == kind) else {
                    continue;
                };
                if block.time_s.is_some() {
                    found.timed += 1;
                    continue;
                }
                let bytes = if block.stencil.is_some() { block.size } else { block.bytes };
                found.work = found.work.max(block.ops).max(bytes);
                found.sizes.push((block.size, times / label.count.max(1) as f64));
            }
        }
        found
    }

    /// The largest size; of blocks without sizes, the most work.
    pub fn largest(&self) -> f64 {
        let size = self.sizes.iter().fold(0.0, |most: f64, (size, _)| most.max(*size));
        if size > 0.0 { size } else { self.work }
    }

    /// Whether each has a size.
    pub fn have_sizes(&self) -> bool {
        !self.sizes.is_empty() && self.sizes.iter().all(|(size, _)| *size > 0.0)
    }

    /// The sum of a law over the blocks of a process.
    pub fn sum(&self, law: impl Fn(f64) -> f64) -> f64 {
        self.sizes.iter().map(|(size, times)| times * law(*size)).sum()
    }
}

/// Types of the blocks of an application, as far as they are known.
pub fn kinds(prepared: &Prepared) -> BTreeSet<String> {
    prepared
        .recorded
        .application
        .blocks
        .iter()
        .map(|block| block.kind.clone())
        .filter(|kind| !kind.is_empty())
        .collect()
}

/// The models and rules that give blocks of a type their cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ruled {
    /// Models, by name.
    pub models: BTreeSet<String>,
    /// Whether a rule gives the cost of one of them.
    pub has_rule: bool,
    /// Coefficients that these rules name.
    pub coefficients: BTreeSet<String>,
    /// Those of them that no other rule of the models names.
    pub own: BTreeSet<String>,
    /// What the models say that those depend on.
    pub scales: BTreeSet<&'static str>,
}

/// Finds the models and rules behind blocks of a type.
///
/// # Errors
/// What is wrong with the configuration.
pub fn ruled(prepared: &Prepared, kind: &str) -> Result<Ruled, Problems> {
    let mut found = Ruled::default();
    let models = prepared.models()?;
    each_site(prepared, |_, block, model, rule| {
        if block == kind {
            found.models.insert(model.name.clone());
            found.has_rule |= rule.is_some();
            found.coefficients.extend(rule.into_iter().flat_map(coefficients));
        }
    })?;
    let is_of_kind = |rule: &Rule| rule.on == On::Compute && rule.filter(Filter::Type) == Some(kind);
    let others: BTreeSet<String> = models
        .iter()
        .filter(|model| found.models.contains(&model.name))
        .flat_map(|model| model.rules.iter().filter(|rule| !is_of_kind(rule)))
        .flat_map(coefficients)
        .collect();
    found.own = found.coefficients.difference(&others).cloned().collect();
    let named = models.iter().filter(|model| found.models.contains(&model.name));
    let known = named.flat_map(|model| found.coefficients.iter().filter_map(|name| model.coefficients.get(name)));
    found.scales = known.filter_map(|known| known.scales).map(Scale::word).collect();
    Ok(found)
}

/// Coefficients that a rule names.
fn coefficients(rule: &Rule) -> Vec<String> {
    let name = |used: &crate::model::UsedName| match &used.operand {
        Operand::Coefficient(name) => Some(name.clone()),
        _ => None,
    };
    rule.value.iter().flat_map(|value| &value.names).filter_map(name).collect()
}

/// `KIND:ENTRY` of the one entry that a coefficient of a model was measured on; none: there is none, or there are several.
///
/// # Errors
/// What is wrong with the configuration.
pub fn measured_on(prepared: &Prepared, model: &str, coefficient: &str) -> Result<Option<String>, Problems> {
    let Some(read) = &prepared.system else { return Ok(None) };
    let system = &read.system;
    let models = prepared.models()?;
    let Some(known) = models.iter().find(|known| known.name == model) else { return Ok(None) };
    if let Some((kind, id)) = known.coefficients.get(coefficient).and_then(|known| known.on.as_ref()) {
        return Ok(Some(format!("{kind}:{id}")));
    }
    let names_it = |rule: &Rule| coefficients(rule).iter().any(|name| name == coefficient);
    let mut entries: BTreeSet<Option<String>> = BTreeSet::new();
    let mut of_network = false;
    for rule in known.rules.iter().filter(|rule| names_it(rule)) {
        let is_of_device = matches!(rule.on, On::Compute | On::Overhead | On::Throughput | On::Power | On::FailureRate);
        if !is_of_device {
            of_network = true;
            let wanted = rule.filter(Filter::Network);
            let networks = system.networks.iter().filter(|network| wanted.is_none_or(|wanted| wanted == network.id));
            entries.extend(networks.map(|network| network.parts.reference.clone()));
        }
    }
    let mut of_model: BTreeSet<Option<String>> = BTreeSet::new();
    each_site(prepared, |component, _, of, rule| {
        if of.name == model {
            let entry = system.components[component].parts.reference.clone();
            of_model.insert(entry.clone());
            if rule.is_some_and(names_it) {
                entries.insert(entry);
            }
        }
    })?;
    if entries.is_empty() && !of_network {
        entries = of_model;
    }
    let mut entries = entries.into_iter();
    let (Some(Some(id)), None) = (entries.next(), entries.next()) else { return Ok(None) };
    Ok(system.catalogue.get(&id).map(|entry| format!("{}:{id}", entry.kind)))
}

/// Calls with the component, type, model and rule of every block that is known, and of the places of processes whose are not.
fn each_site(prepared: &Prepared, mut call: impl FnMut(usize, &str, &Model, Option<&Rule>)) -> Result<(), Problems> {
    let stage = prepared.stage(0)?;
    let Some(world): Option<&SystemWorld> = stage.system_world() else { return Ok(()) };
    let application = &prepared.recorded.application;
    for label in world.label_uses().iter().filter(|label| label.count > 0) {
        let class = world.place(label.first).class;
        let known: Vec<u32> = match label.blocks.as_slice() {
            // What live processes execute is not known: any of the blocks.
            [] => (0..application.blocks.len() as u32).collect(),
            blocks => blocks.to_vec(),
        };
        for block in known.iter().filter_map(|block| application.blocks.get(*block as usize)) {
            if let Ok((component, model, rule)) = world.model_of(block, class) {
                call(component, &block.kind, model, rule);
            }
        }
    }
    Ok(())
}
