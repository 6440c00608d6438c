//! The setting of a repetition: the platform and the world, with noise applied to the system, and the engine.

use super::ideal::Ideal;
use super::prepare::Prepared;
use crate::application::Application;
use crate::budget::Budget;
use crate::collective::Decisions;
use crate::job::{Collectives, Fidelity, Job};
use crate::model::{Coefficient, CoefficientFile};
use crate::noise::{NoiseSpec, RunKey};
use crate::outcome::{Observer, Outcome};
use crate::place;
use crate::platform::Platform;
use crate::volunteer::Handling;
use crate::world::{PlainWorld, SystemWorld, World};
use runcast_core::{Problem, Problems, Warning};
use runcast_formula::is_name;
use std::sync::atomic::AtomicBool;

/// Where a repetition plays.
pub(crate) struct Stage<'p> {
    prepared: &'p Prepared,
    /// Machines and links, as slow as noise makes them.
    pub platform: Platform,
    world: StageWorld,
    random: bool,
}

/// Repetitions, unless the experiment says otherwise, where volunteers come and go.
const WITH_VOLUNTEERS: u64 = 20;

enum StageWorld {
    System(Box<SystemWorld>),
    Plain(PlainWorld),
}

/// Why the processes of a configuration do not fit into the places that they are given; none: they do.
pub fn unplaced(prepared: &Prepared) -> Option<Problem> {
    let read = prepared.system.as_ref()?;
    let entries = match prepared.entries() {
        Ok(entries) => entries,
        Err(problem) => return Some(problem),
    };
    let placement = place::Placement::new(&read.system, &prepared.recorded.application, &entries, &prepared.shares());
    placement.err().and_then(|problems| problems.into_iter().next())
}

impl Prepared {
    /// Where a repetition plays.
    pub(crate) fn stage(&self, repetition: u64) -> Result<Stage<'_>, Problems> {
        let Some(read) = &self.system else { return self.plain_stage() };
        let application = &self.recorded.application;
        let networks = self.networks();
        let noise = self.noise()?;
        let key = RunKey { seed: self.inputs.experiment.seed, configuration: self.configuration, repetition };
        let options = crate::world::ModelOptions {
            coefficients: self.coefficients()?,
            noise,
            key,
            networks: networks.clone(),
            volunteers: self.volunteers(),
            shares: self.shares(),
        };
        let entries = self.entries()?;
        let world = SystemWorld::new(&read.system, application, &entries, &options).map_err(Problems)?;
        let mut platform = match self.fidelity {
            Fidelity::Flow => read.system.platform(&networks)?,
            Fidelity::Label | Fidelity::Loggops => read.system.platform_unshared(&networks)?,
        };
        if let Some(noise) = world.noise() {
            noise.apply_to(&mut platform);
        }
        let random = world.noise().is_some() || world.has_spreads() || !world.crowds().is_empty();
        Ok(Stage { prepared: self, platform, world: StageWorld::System(Box::new(world)), random })
    }

    /// One process a machine, the same LogGOPS parameters everywhere.
    fn plain_stage(&self) -> Result<Stage<'_>, Problems> {
        let parameters = self.inputs.settings.loggops.unwrap_or_default();
        let Ok(processes) = u32::try_from(self.processes()) else {
            let problem = Problem::new("too_many_processes", "more than 2^32 processes");
            return Err(problem.value(self.processes().to_string()).into());
        };
        let platform = Platform::uniform(processes, parameters);
        Ok(Stage { prepared: self, platform, world: StageWorld::Plain(PlainWorld { processes }), random: false })
    }

    /// What one simulation may take.
    pub(super) fn budget<'b>(&'b self, interrupt: &'b AtomicBool) -> Budget<'b> {
        let settings = &self.inputs.settings;
        let show = settings.monitor.show.as_deref();
        let operations = show.and_then(|_| self.recorded.application.operations());
        Budget::new(interrupt).limited(settings.max_events, settings.max_memory).shown(show, operations)
    }

    /// What the experiment says of volunteers.
    fn volunteers(&self) -> Handling {
        let experiment = &self.inputs.experiment;
        Handling {
            quorum: experiment.quorum.and_then(|quorum| u32::try_from(quorum).ok()),
            deadline_s: experiment.deadline_s,
            recorded: self.inputs.recorded.clone(),
        }
    }

    fn networks(&self) -> Vec<(String, String)> {
        let own =
            self.inputs.experiment.networks.iter().filter(|(group, _)| !self.variation.networks.contains_key(group));
        let varied = self.variation.networks.iter().map(|(group, network)| (group.clone(), network.clone()));
        own.cloned().chain(varied).collect()
    }

    /// The noise of the experiment, with the sizes that files of coefficients and the variation give.
    fn noise(&self) -> Result<Option<NoiseSpec>, Problem> {
        let of_files = self.coefficients.iter().flat_map(|file| &file.noise).map(|(name, size)| (name, size.value));
        let sizes: Vec<(&String, f64)> =
            of_files.chain(self.variation.noise.iter().map(|(name, size)| (name, *size))).collect();
        let experiment = &self.inputs.experiment;
        if experiment.noise.is_none() && sizes.is_empty() {
            return Ok(None);
        }
        let mut spec = NoiseSpec { trace: self.inputs.trace.clone(), ..experiment.noise.clone().unwrap_or_default() };
        for (name, size) in sizes {
            spec.set(name, size).map_err(|problem| problem.at(format!("noise.{name}")))?;
        }
        Ok(Some(spec))
    }

    /// Files of coefficients, laws, and the coefficients of the variation, in every model that has them.
    fn coefficients(&self) -> Result<Vec<CoefficientFile>, Problems> {
        let mut files = self.coefficients.clone();
        files.extend(self.variation.laws.iter().map(|law| CoefficientFile::clone(law)));
        if self.variation.coefficients.is_empty() {
            return Ok(files);
        }
        let models = self.models()?;
        let mut over = CoefficientFile::default();
        for (name, value) in &self.variation.coefficients {
            let having = models.iter().filter(|model| model.coefficients.contains_key(name));
            let mut found = false;
            for model in having {
                let own = over.models.entry(model.name.clone()).or_default();
                own.insert(name.clone(), Coefficient::from(*value));
                found = true;
            }
            if !found {
                let keys = models.iter().flat_map(|model| model.coefficients.keys()).filter(|key| is_name(key));
                let known: Vec<String> = keys.map(|key| format!("c.{key}")).collect();
                let name = format!("c.{name}");
                let problem = Problem::new("unknown_coefficient", format!("no model has a coefficient {name}"));
                return Err(problem.value(&name).one_of(&name, known.iter().map(String::as_str)).into());
            }
        }
        files.push(over);
        Ok(files)
    }
}

impl Stage<'_> {
    /// Places and costs.
    pub(super) fn world(&self) -> &dyn World {
        match &self.world {
            StageWorld::System(world) => world.as_ref(),
            StageWorld::Plain(world) => world,
        }
    }

    /// The system as engines see it; none with LogGOPS parameters in its place.
    pub(crate) fn system_world(&self) -> Option<&SystemWorld> {
        match &self.world {
            StageWorld::System(world) => Some(world),
            StageWorld::Plain(_) => None,
        }
    }

    pub(super) fn prepared(&self) -> &Prepared {
        self.prepared
    }

    /// Whether another repetition may take another time.
    pub(super) fn is_random(&self) -> bool {
        self.random
    }

    /// Repetitions, where each may differ.
    pub(super) fn repetitions(&self) -> u64 {
        let usual = if self.world().crowds().is_empty() { 1 } else { WITH_VOLUNTEERS };
        self.prepared.inputs.experiment.repetitions.unwrap_or(usual)
    }

    pub(super) fn system_name(&self) -> String {
        self.prepared.system.as_ref().map_or_else(|| "loggops".to_owned(), |read| read.system.name.clone())
    }

    /// Warnings for the user.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        match &self.world {
            StageWorld::System(world) => world.warnings().iter().cloned().chain(world.exceeded()).collect(),
            StageWorld::Plain(_) => Vec::new(),
        }
    }

    /// Plays.
    pub(super) fn run(
        &self,
        budget: &Budget<'_>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, Problems> {
        self.play(&self.platform, self.world(), budget, threads, observer)
    }

    /// Plays in another world, on another platform.
    pub(super) fn run_in(
        &self,
        platform: &Platform,
        world: &Ideal<'_>,
        budget: &Budget<'_>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, Problems> {
        self.play(platform, world, budget, threads, observer)
    }

    /// Does something with the application where it plays.
    pub(super) fn with_job<T>(
        &self,
        interrupt: &AtomicBool,
        act: impl FnOnce(&Job<'_>, &mut Application) -> Result<T, Problem>,
    ) -> Result<T, Problems> {
        let prepared = self.prepared;
        let mut application = prepared.recorded.application.clone();
        let live = prepared.recorded.live.as_deref();
        let another = live.map(crate::job::Live::another).transpose()?.flatten();
        let decisions = Decisions::new();
        let job = Job {
            platform: &self.platform,
            world: self.world(),
            live: another.as_deref().or(live),
            tick: prepared.inputs.settings.tick,
            choice: &prepared.choice,
            collectives: Collectives::Usual,
            decisions: Some(&decisions),
            budget: &prepared.budget(interrupt),
            threads: 1,
        };
        Ok(act(&job, &mut application)?)
    }

    fn play(
        &self,
        platform: &Platform,
        world: &dyn World,
        budget: &Budget<'_>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, Problems> {
        let prepared = self.prepared;
        super::engines::fits(prepared.fidelity, prepared.processes(), budget)?;
        let mut application = prepared.recorded.application.clone();
        let live = prepared.recorded.live.as_deref();
        let another = live.map(crate::job::Live::another).transpose()?.flatten();
        let decisions = Decisions::new();
        let job = Job {
            platform,
            world,
            live: another.as_deref().or(live),
            tick: prepared.inputs.settings.tick,
            choice: &prepared.choice,
            collectives: prepared.inputs.experiment.collectives,
            decisions: Some(&decisions),
            budget,
            threads,
        };
        let max_classes = prepared.inputs.settings.max_classes;
        Ok(super::engines::play(prepared.fidelity, max_classes, &job, &mut application, observer)?)
    }
}
