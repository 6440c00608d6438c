//! What may be wrong with what was measured.

use super::SampleArgs;
use crate::human;
use runcast_core::Warning;
use runcast_wavefront::sample::Summary;
use runcast_wavefront::sample::measured::Measured;
use runcast_wavefront::sample::modes::Modes;
use runcast_wavefront::sample::series::{Subject, series_of};

/// Clocks should be known to this share of a message's time.
const CLOCK_SHARE: f64 = 0.1;

/// Of a measurement.
pub(super) fn of_measuring(args: &SampleArgs, measured: &Measured) -> Vec<Warning> {
    let all = [interrupted(measured), crowded(measured), clocks(measured), without_messages(args, measured)];
    all.into_iter().flatten().collect()
}

fn interrupted(measured: &Measured) -> Option<Warning> {
    measured.is_interrupted.then(|| {
        let message = format!("interrupted; {} samples were taken and kept", measured.samples.rows.len());
        Warning::new("interrupted", message)
    })
}

/// Processes that share cores take them from each other: their times depend on each other.
fn crowded(measured: &Measured) -> Option<Warning> {
    let on = |host: &String| measured.hosts.iter().filter(|other| *other == host).count();
    let mut hosts = measured.hosts.iter().zip(&measured.cores);
    let (host, cores) = hosts.find(|(host, cores)| on(host) > **cores)?;
    let message = format!(
        "{} processes on the {} of {host} wait for each other's cores: their times are not independent",
        on(host),
        human::count(*cores, "core", "cores")
    );
    Some(Warning::new("more_processes_than_cores", message))
}

/// What the clocks leave open, against what was measured with them.
fn clocks(measured: &Measured) -> Option<Warning> {
    let widest = measured.clocks.iter().map(|clock| clock.half_width_s()).fold(0.0, f64::max);
    let series = series_of(&measured.samples);
    let links = series.iter().filter(|series| matches!(series.subject, Subject::Link { .. }));
    let fastest = links.map(|series| Summary::of(series).mean_s).fold(f64::INFINITY, f64::min);
    (fastest.is_finite() && widest > CLOCK_SHARE * fastest).then(|| {
        let message = format!(
            "clocks are known to {}, messages take {}: how a time is shared between there and back is uncertain",
            human::quantity(widest, "s"),
            human::quantity(fastest, "s")
        );
        Warning::new("clock_uncertain", message)
    })
}

fn without_messages(args: &SampleArgs, measured: &Measured) -> Option<Warning> {
    (args.messages() == 0 && measured.hosts.len() > 1 && args.write_model.is_some())
        .then(|| Warning::new("no_messages", "no messages were measured: the model has messages that take no time"))
}

/// Of modes that were found.
pub(super) fn of_modes(modes: &Modes) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if modes.bic_gain <= 0.0 {
        let message = format!(
            "{} modes describe the samples no better than one law (Bayesian information criterion {} higher)",
            modes.names.len(),
            human::significant(-modes.bic_gain, 3)
        );
        warnings.push(Warning::new("no_gain", message));
    }
    if !modes.has_generator {
        let message = "modes change about as fast as windows follow each other: their chain is a guess; use a smaller --window or more updates";
        warnings.push(Warning::new("modes_too_fast", message));
    }
    warnings
}
