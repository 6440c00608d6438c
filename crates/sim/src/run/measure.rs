//! Energy, rates of failure and prices of what a repetition uses.

use super::accounts::ends;
use super::prepare::RecordedApp;
use super::result::ComponentResult;
use super::stage::Stage;
use crate::applications::{self, Account, Accounts, Span};
use crate::cost;
use crate::energy::{self, EnergyOptions};
use crate::outcome::Outcome;
use crate::reliability;
use crate::system::System;
use runcast_core::Problems;

/// Results besides the accounts of the engine.
#[derive(Debug, Clone, Default)]
pub(super) struct Measured {
    pub energy_j: Option<f64>,
    pub components: Vec<ComponentResult>,
    pub failure_rate_per_s: Option<f64>,
    pub price_per_hour: Option<f64>,
    pub price: Option<f64>,
    /// What each application uses.
    pub accounts: Accounts,
    pub assumed: Vec<String>,
    pub not_modelled: Vec<String>,
}

impl Stage<'_> {
    /// Energy, rates and prices.
    ///
    /// # Errors
    /// Those of rules.
    pub(super) fn measure(&self, outcome: &Outcome) -> Result<Measured, Problems> {
        let Some(world) = self.system_world() else { return Ok(Measured::default()) };
        let settings = &self.prepared().inputs.settings;
        let tick = settings.tick;
        let end_s = tick.to_seconds(outcome.end);
        let options = EnergyOptions { include_unused: settings.include_unused };
        let energy = energy::energy(world, outcome, end_s, tick, options)?;
        let used: Vec<u64> = energy.components.iter().map(|component| component.used).collect();
        let rates = reliability::rates(world, &used)?;
        let prices = cost::prices(world.system(), &used);
        let application = &self.prepared().recorded.application;
        let app_of: Vec<u32> = application.labels.iter().map(|label| label.app).collect();
        let apps = &self.prepared().recorded.apps;
        let ends = ends(outcome, application, apps.len());
        let span =
            |(app, end): (&RecordedApp, crate::tick::Tick)| Span { start_s: app.start_s, end_s: tick.to_seconds(end) };
        let spans: Vec<Span> = apps.iter().zip(ends).map(span).collect();
        let accounts = applications::accounts(world, outcome, &energy, (&app_of, &spans), end_s)?;
        let mut not_modelled = Vec::new();
        if let Some(reason) = &energy.reason {
            not_modelled.push(format!("energy: {reason}"));
        }
        if !rates.unknown.is_empty() {
            let shown: Vec<&str> = rates.unknown.iter().map(String::as_str).take(8).collect();
            not_modelled.push(format!("failures of {}: neither mtbf nor failure_rate is given", shown.join(", ")));
        }
        let mut assumed = world.system().assumed.clone();
        for text in world.assumed().iter().chain(&energy.assumed).cloned().chain(guesses(world.system(), &used)) {
            if !assumed.contains(&text) {
                assumed.push(text);
            }
        }
        let components = world.system().components.iter().enumerate().map(|(index, component)| {
            let energy = energy.components.get(index).copied().unwrap_or_default();
            ComponentResult {
                id: component.id.clone(),
                kind: component.kind.word().to_owned(),
                count: component.total,
                used: energy.used,
                busy_s: energy.busy_s,
                utilization: energy.utilization,
                energy_idle_j: energy.idle_j,
                energy_load_j: energy.load_j,
                failure_rate_per_s: rates.components.get(index).copied().flatten(),
            }
        });
        Ok(Measured {
            energy_j: energy.total_j,
            components: components.collect(),
            failure_rate_per_s: rates.total_per_s,
            price_per_hour: prices.hour,
            price: prices.whole,
            accounts,
            assumed,
            not_modelled,
        })
    }
}

/// Attributes of what is used that the catalogue or the system marks as assumed.
fn guesses(system: &System, used: &[u64]) -> Vec<String> {
    let components = system.components.iter().zip(used).filter(|(_, used)| **used > 0);
    components
        .flat_map(|(component, _)| {
            let guessed =
                component.attributes.iter().filter(|(_, known)| known.quality == crate::attributes::Quality::Assumed);
            guessed.map(|(key, known)| format!("{}: {key} ({})", component.id, known.source))
        })
        .collect()
}

impl Measured {
    /// Means over repetitions; what is not known in one of them is not known.
    pub(super) fn mean<'m>(all: impl Iterator<Item = &'m Measured>) -> Measured {
        let all: Vec<&Measured> = all.collect();
        let Some((first, _)) = all.split_first() else { return Measured::default() };
        let mut mean = (*first).clone();
        let average = |of: &dyn Fn(&Measured) -> Option<f64>| {
            let sum: Option<f64> = all.iter().map(|one| of(one)).sum();
            sum.map(|sum| sum / all.len() as f64)
        };
        if all.len() == 1 {
            return mean;
        }
        mean.energy_j = average(&|one| one.energy_j);
        for index in 0..mean.components.len() {
            let of =
                |part: fn(&ComponentResult) -> Option<f64>| average(&|one| one.components.get(index).and_then(part));
            let component = &mut mean.components[index];
            component.busy_s = of(|component| component.busy_s);
            component.utilization = of(|component| component.utilization);
            component.energy_idle_j = of(|component| component.energy_idle_j);
            component.energy_load_j = of(|component| component.energy_load_j);
        }
        let account = |of: &dyn Fn(&Accounts) -> Option<&Account>, first: &Account| {
            let part = |part: fn(&Account) -> Option<f64>| average(&|one| of(&one.accounts).and_then(part));
            Account {
                idle_j: part(|account| account.idle_j),
                load_j: part(|account| account.load_j),
                price: part(|account| account.price),
                core_s: part(|account| Some(account.core_s)).unwrap_or(0.0),
                ..*first
            }
        };
        for app in 0..mean.accounts.apps.len() {
            mean.accounts.apps[app] = account(&|one| one.apps.get(app), &mean.accounts.apps[app]);
        }
        mean.accounts.unallocated = account(&|one| Some(&one.unallocated), &mean.accounts.unallocated);
        mean
    }
}
