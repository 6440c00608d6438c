//! A system with its computational models, a placement and noise, as engines see it.

mod answers;
mod class;
mod crowds;
mod io;
mod labels;
mod node;
mod path;
mod power;
mod scaling;

pub use class::Class;
pub(crate) use power::idle_of;
pub(crate) use scaling::DOUBT;
pub use scaling::Scaled;

use super::DeviceLaw;
use super::volunteer::{Crowd, Handling};
use crate::application::Application;
use crate::model::{CoefficientFile, Input, Model, On, Sharing};
use crate::noise::{Distribution, Noise, NoiseSpec, RunKey};
use crate::place::{Entry, Placement, Shares};
use crate::system::System;
use class::classes;
use labels::LabelUse;
use path::Tree;
use runcast_core::{Problem, Warning};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

/// Inputs of the models.
#[derive(Debug, Clone, Default)]
pub struct ModelOptions {
    /// Laid over the coefficients of the system's models, the later over the earlier.
    pub coefficients: Vec<CoefficientFile>,
    pub noise: Option<NoiseSpec>,
    /// Seed, configuration and repetition.
    pub key: RunKey,
    /// Networks in use: pairs of the id of an aggregator and of a network of its.
    pub networks: Vec<(String, String)>,
    /// What the experiment says about volunteers.
    pub volunteers: Handling,
    /// Machines of each application.
    pub shares: Shares,
}

/// A system as engines see it.
#[derive(Debug)]
pub struct SystemWorld {
    system: System,
    models: Vec<Model>,
    placement: Placement,
    /// Kinds of places.
    classes: Vec<Class>,
    /// For each zone of the placement: the class of each device of its machines.
    zone_classes: Vec<Vec<u32>>,
    /// Labels make classes of their own: some rule asks for them.
    by_label: bool,
    labels: Vec<LabelUse>,
    /// Label of each group of the application.
    groups: Vec<u32>,
    /// Values of formulas' names: by class and network, then by rule of the class's model.
    bound: Vec<Vec<Option<Bound>>>,
    nodes: node::Nodes,
    /// Random factors of rules.
    rule_laws: Vec<Distribution>,
    /// Number of that of a rule, by model and rule; from 1.
    rule_spreads: HashMap<(usize, usize), u16>,
    /// Volunteers with processes on them.
    crowds: Vec<Crowd>,
    noise: Option<Noise>,
    key: RunKey,
    tree: Tree,
    options: ModelOptions,
    warnings: Vec<Warning>,
    assumed: Vec<String>,
    /// Coefficients that exchanged hardware changed.
    scaled: Vec<Scaled>,
    /// The most watts of machines that could not keep their caps, by component.
    exceeded: Mutex<BTreeMap<usize, f64>>,
}

/// The values of a formula's names, or the error of an unknown one.
type Bound = Result<Vec<Input>, Problem>;

impl SystemWorld {
    /// The world of an application on a system.
    ///
    /// # Errors
    /// All that is wrong with the places; coefficients of models that are not there; components whose model is not there.
    pub fn new(
        system: &System,
        application: &Application,
        entries: &[Entry],
        options: &ModelOptions,
    ) -> Result<SystemWorld, Vec<Problem>> {
        let mut models = system.models.clone();
        if models.is_empty() {
            models.push(Model::default_model());
        }
        for file in &options.coefficients {
            file.lay_over(&mut models).map_err(|problem| vec![problem])?;
        }
        let placement = Placement::new(system, application, entries, &options.shares)?;
        let tree = Tree::new(system, &options.networks).map_err(|problem| vec![problem])?;
        let labels = labels::uses(application);
        let filters =
            |rule: &crate::model::Rule| rule.filters.iter().any(|(filter, _)| *filter == crate::model::Filter::Label);
        let by_label = models.iter().any(|model| model.rules.iter().any(filters));
        let mut world = SystemWorld {
            models,
            classes: Vec::new(),
            zone_classes: Vec::new(),
            by_label,
            labels,
            groups: application.groups.iter().map(|group| group.label).collect(),
            bound: Vec::new(),
            nodes: node::Nodes::default(),
            rule_laws: Vec::new(),
            rule_spreads: HashMap::new(),
            crowds: Vec::new(),
            noise: options.noise.clone().map(|spec| Noise::new(spec, options.key)),
            key: options.key,
            tree,
            placement,
            options: options.clone(),
            warnings: Vec::new(),
            assumed: Vec::new(),
            scaled: Vec::new(),
            exceeded: Mutex::default(),
            system: system.clone(),
        };
        world.number_spreads();
        classes(&mut world)?;
        world.bind(application);
        world.find_powers().map_err(|problem| vec![problem])?;
        world.find_nodes(application);
        world.note_caches(application);
        world.warn_of_memory(application);
        world.warn_of_threads();
        world.note_scaled(application).map_err(|problem| vec![problem])?;
        Ok(world)
    }

    pub fn system(&self) -> &System {
        &self.system
    }

    /// Models with what is laid over them.
    pub(crate) fn models(&self) -> &[Model] {
        &self.models
    }

    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Kinds of places.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The noise, if there is any.
    pub fn noise(&self) -> Option<&Noise> {
        self.noise.as_ref()
    }

    /// What users should know: processes that need more memory than there is.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Assumed values that are not given.
    pub fn assumed(&self) -> &[String] {
        &self.assumed
    }

    /// The crowd of volunteers that the machines of a zone are, if its processes, or those of its likes, are placed on them.
    pub(crate) fn crowd_at(&self, zone: usize) -> Option<u32> {
        self.class_at(zone, 0).and_then(Class::crowd)
    }

    /// Whether some rule has a random factor.
    pub fn has_spreads(&self) -> bool {
        !self.rule_laws.is_empty()
    }

    /// What some label uses.
    pub(crate) fn label_uses(&self) -> &[LabelUse] {
        &self.labels
    }

    /// The class of a device (by its number among those of the machine) in a zone.
    pub(crate) fn class_at(&self, zone: usize, device: u32) -> Option<&Class> {
        let index = self.zone_classes.get(zone)?.get(device as usize)?;
        self.classes.get(*index as usize)
    }

    /// Number of that class.
    pub(crate) fn zone_class(&self, zone: usize, device: u32) -> Option<u32> {
        self.zone_classes.get(zone)?.get(device as usize).copied()
    }

    /// Whether the model of a class has a rule on the power of machines.
    pub(crate) fn has_power_rule(&self, class: u32) -> bool {
        crate::energy::has_power_rule(&self.models[self.classes[self.base_class(class)].model])
    }

    /// The components that a machine is in, each with its number among all of them.
    pub(crate) fn path(&self, machine: u32) -> Vec<(usize, u64)> {
        self.tree.path(machine)
    }

    /// Number of the class of a place, without the label.
    fn base_class(&self, class: u32) -> usize {
        class as usize % self.classes.len().max(1)
    }

    /// Label of a class, where labels make classes.
    fn label_of_class(&self, class: u32) -> &str {
        if !self.by_label || self.classes.is_empty() {
            return "";
        }
        self.labels.get(class as usize / self.classes.len()).map_or("", |label| label.name.as_str())
    }

    /// Watts of a machine of a class with this many busy threads, where a rule says so.
    ///
    /// # Errors
    /// Those of the formula.
    pub(crate) fn machine_power(&self, class: u32, busy: f64) -> Result<Option<f64>, Problem> {
        let variables = self.place_variables(class).with(crate::model::Variable::Busy, busy);
        self.ask(On::Power, class, None, &self.device_case(class), &variables)
    }

    /// Failures per second of one component, where a rule says so.
    ///
    /// # Errors
    /// Those of the formula.
    pub(crate) fn failure_rule(&self, component: usize) -> Result<Option<f64>, Problem> {
        class::failure_rule(self, component)
    }

    /// How processes share the cores of a class.
    fn sharing(&self, class: &Class) -> Sharing {
        match self.system.components[class.component].attributes.word("sharing") {
            Some("placed") => Sharing::Placed,
            _ => self.models[class.model].sharing,
        }
    }

    fn law(&self, class: u32) -> &DeviceLaw {
        &self.classes[self.base_class(class)].law
    }

    /// Numbers the random factors of rules on computing.
    fn number_spreads(&mut self) {
        for (at, model) in self.models.iter().enumerate() {
            for (index, rule) in model.rules.iter().enumerate() {
                if let (On::Compute, Some(law)) = (rule.on, &rule.spread) {
                    self.rule_spreads.insert((at, index), number(&mut self.rule_laws, law));
                }
            }
        }
    }
}

/// The number of a law among those known, from 1. Nobody writes more than 65,534 of them: those beyond share the last.
fn number<T: Clone + PartialEq>(known: &mut Vec<T>, law: &T) -> u16 {
    let at = known.iter().position(|one| one == law).unwrap_or_else(|| {
        known.push(law.clone());
        known.len() - 1
    });
    u16::try_from(at + 1).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
