//! A hash of everything that a row depends on: the contents of files, not their paths.

use super::{Axis, Point};
use crate::experiment::{Order, PlaceEntry};
use crate::run::{Inputs, Prepared, Text};
use runcast_formula::Formula;
use std::fmt::Write;

/// Rows of another version of the simulator are simulated again.
const VERSION: &str = concat!("sim-sweep/2 ", env!("CARGO_PKG_VERSION"));

pub(super) fn key(base: &Prepared, axes: &[Axis], point: &Point) -> String {
    let mut hash = Hash::default();
    hash.add(VERSION);
    inputs(&base.inputs, &mut hash);
    let variation = &base.variation;
    hash.add(&format!("{:?} {:?} {:?}", variation.params, variation.hardware, variation.networks));
    if !variation.attributes.is_empty() {
        hash.add(&format!("{:?}", variation.attributes));
    }
    hash.add(&format!("{:?} {:?}", variation.coefficients, variation.fidelity));
    if !variation.noise.is_empty() {
        hash.add(&format!("{:?}", variation.noise));
    }
    for (app, share) in &variation.shares {
        hash.add(&format!("share.{app}={share}"));
    }
    for law in &variation.laws {
        hash.add(&format!("{law:?}"));
    }
    for entry in &variation.map {
        add_place(entry, &mut hash);
    }
    // By name, so that the order of axes does not matter.
    let mut values: Vec<_> = axes.iter().map(|axis| axis.name.as_str()).zip(&point.values).collect();
    values.sort_by_key(|(name, _)| *name);
    hash.add(&format!("{values:?} {}", point.repetition));
    hash.text()
}

/// The same of some repetitions of a configuration: of what is in files, options and variation.
pub fn simulation_key(prepared: &Prepared, metric: &str, repetitions: u64) -> String {
    let mut hash = Hash::default();
    let place = Point { values: Vec::new(), repetition: repetitions };
    hash.add(&key(prepared, &[], &place));
    hash.add(metric);
    hash.text()
}

fn inputs(inputs: &Inputs, hash: &mut Hash) {
    let Inputs { experiment, settings, system, catalogue, scripts, coefficients, trace, recorded, selector } = inputs;
    for Text { text, .. } in system.iter().chain(catalogue).chain(scripts).chain(coefficients) {
        hash.add(text);
    }
    hash.add(&format!("{trace:?}"));
    hash.add(&format!("{:?} {} {:?}", experiment.fidelity, experiment.seed, experiment.checkpoint));
    hash.add(&format!("{:?} {:?} {:?}", experiment.noise, experiment.collectives, experiment.algorithms));
    hash.add(&format!("{:?} {:?}", experiment.networks, experiment.hardware));
    if let Some(named) = &experiment.selector {
        hash.add(&format!("{} {selector:?}", named.name));
    }
    if experiment.faults.is_some() || settings.faults {
        hash.add(&format!("{:?} {}", experiment.faults, settings.faults));
    }
    if recorded.is_some() || experiment.quorum.is_some() || experiment.deadline_s.is_some() {
        hash.add(&format!("{:?} {:?} {recorded:?}", experiment.quorum, experiment.deadline_s));
    }
    for app in &experiment.apps {
        hash.add(&format!("{:?} {}", app.params, app.start_s));
        for entry in &app.place {
            add_place(entry, hash);
        }
    }
    hash.add(&format!("{:?} {:?} {}", settings.tick, settings.loggops, settings.max_classes));
    hash.add(&format!("{} {:?}", settings.include_unused, settings.energy_price));
}

fn add_place(PlaceEntry { label, on, per, order, count, spot: _ }: &PlaceEntry, hash: &mut Hash) {
    let [per, count] = [per, count].map(|number| number.as_ref().map(Formula::text));
    let order = match order {
        Order::Block | Order::Cyclic => format!("{order:?}"),
        Order::List(list) => format!("{:?}", list.iter().map(Formula::text).collect::<Vec<_>>()),
        Order::ByRank(formula) => formula.text().to_owned(),
    };
    hash.add(&format!("{label} {on:?} {per:?} {order} {count:?}"));
}

/// FNV-1a (G. Fowler, L. Noll, K.-P. Vo, 1991), twice with different starts, each text with its length.
struct Hash([u64; 2]);

impl Default for Hash {
    fn default() -> Self {
        Hash([0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142])
    }
}

impl Hash {
    fn add(&mut self, text: &str) {
        for half in &mut self.0 {
            for byte in (text.len() as u64).to_le_bytes().iter().chain(text.as_bytes()) {
                *half = (*half ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::with_capacity(32);
        for half in self.0 {
            let _ = write!(text, "{half:016x}");
        }
        text
    }
}
