//! What a result does not model. Never empty: every model leaves something out, and the reader should know what.

use super::prepare::Prepared;
use super::result::RunResult;
use super::stage::Stage;
use crate::job::{Collectives, Fidelity};
use crate::label::MOST_ON_VOLUNTEERS;

/// What this result does not model.
pub(super) fn not_modelled(
    prepared: &Prepared,
    stage: &Stage<'_>,
    of_system: Vec<String>,
    result: &RunResult,
) -> Vec<String> {
    let experiment = &prepared.inputs.experiment;
    let mut left_out: Vec<String> = Vec::new();
    let mut add = |text: &str| left_out.push(text.to_owned());
    match prepared.fidelity {
        Fidelity::Label => {
            add(
                "processes of a class are merged: the lowest rank represents all; differences and waits among them are not seen",
            );
            add("links are shared only by formula: bursts of messages are predicted too fast");
        }
        Fidelity::Loggops => {
            add("links are not shared: n-to-1 bursts are predicted too fast (up to 8 times reported)");
        }
        Fidelity::Flow => {
            add("messages are flows, not packets: losses, retransmission and adaptive routing are not seen");
        }
    }
    if prepared.system.is_none() {
        add("there is no system: no cores are shared, and energy, failures and cost are not known");
    }
    if !stage.is_random() {
        add("no noise: every run takes the same time (give noise in the experiment)");
    } else if prepared.fidelity == Fidelity::Label {
        add("noise is drawn for one process of a class: that the slowest of many makes all wait is not seen");
    }
    let shares = stage.system_world().is_some_and(crate::world::SystemWorld::shares_cores);
    if prepared.fidelity == Fidelity::Label && shares {
        add("shared cores are as busy as if all processes placed on them always computed");
    }
    let labels = &prepared.recorded.application.labels;
    if result.volunteers.is_some()
        && prepared.fidelity == Fidelity::Label
        && labels.iter().any(|label| label.count > MOST_ON_VOLUNTEERS)
    {
        add("processes on volunteers, of which there are many, wait for one another after each block");
    }
    if experiment.collectives == Collectives::Closed && prepared.fidelity != Fidelity::Label {
        add(
            "collectives follow their formula: no process leaves before the last has entered, and their bytes use no links",
        );
    }
    let of_devices = stage.system_world().is_some_and(crate::world::World::has_accelerators);
    let calls_any = || !prepared.recorded.application.collectives.is_empty();
    if experiment.collectives == Collectives::Usual && of_devices && calls_any() {
        add(match prepared.fidelity {
            Fidelity::Flow => {
                "collectives of accelerators are streams between neighbors, which begin when the last has entered"
            }
            _ => "collectives of accelerators follow their formula: no process leaves before the last has entered",
        });
    }
    if prepared.recorded.apps.len() > 1 && prepared.fidelity != Fidelity::Flow {
        add("applications share cores, not links");
    }
    for text in of_system {
        if !left_out.contains(&text) {
            left_out.push(text);
        }
    }
    if result.reliability.failure_rate_per_s.is_some() && result.faults.is_none() {
        left_out.push(
            "failures do not happen in the simulation: their chance and cost are computed from its time".to_owned(),
        );
    }
    left_out
}
