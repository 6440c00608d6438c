//! Times of the learnt model on its system.

use super::document::{ShownCheck, ShownForecast};
use super::files::Files;
use super::{LearnArgs, Read};
use crate::context::Context;
use crate::failure::Failure;
use crate::record::application::{Playing, application};
use crate::sim::run::inputs::failure;
use runcast_core::numeric::normal;
use runcast_core::{Problem, Problems};
use runcast_record::Recording;
use runcast_sim::budget::memory;
use runcast_sim::experiment;
use runcast_sim::experiment::Value;
use runcast_sim::run::{self, Inputs, RunControl, Settings, Variation};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Above this share of wall time that blocks were off their core, the time of a recording is that of its replay.
const SHARED: f64 = 0.05;

/// The model, read as its files would be.
pub(super) struct Simulator<'a> {
    inputs: Arc<Inputs>,
    interrupt: Arc<AtomicBool>,
    args: &'a LearnArgs,
    /// Doubt of the times of blocks, as a share at one standard deviation.
    doubt: f64,
}

impl<'a> Simulator<'a> {
    pub(super) fn new(files: &Files, args: &'a LearnArgs, context: &mut Context) -> Result<Self, Failure> {
        let text = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let found = files.texts().find(|(known, _)| *known == name).map(|(_, text)| text.clone());
            found.ok_or_else(|| Problem::new("missing", "the model names a file that it has not").in_file(name))
        };
        let experiment = experiment::read(&text(Path::new("experiment.toml"))?, "experiment.toml")?;
        let settings = Settings { max_memory: memory::limit_bytes(), ..Settings::default() };
        let inputs = Inputs::read(experiment, settings, &mut |path| text(path))?;
        let doubts = files.coefficients.iter().map(|one| one.share * (one.high_s / one.value_s).ln() / 1.645);
        let doubt = doubts.sum();
        Ok(Simulator { inputs: Arc::new(inputs), interrupt: Arc::clone(&context.interrupt), args, doubt })
    }

    fn variation(&self) -> Variation {
        Variation { fidelity: self.args.fidelity, ..Variation::default() }
    }

    /// The time at a configuration, with its range: the doubt of blocks, which grows with the distance from what was
    /// recorded.
    pub(super) fn forecast(&self, target: &[(String, f64)], reads: &[Read]) -> Result<ShownForecast, Failure> {
        let mut variation = self.variation();
        for (name, value) in target {
            variation
                .set(name, Value::Number(*value))
                .map_err(|problem| failure(Problems::from(problem.at("--at"))))?;
        }
        let prepared = run::prepare(&self.inputs, &variation).map_err(failure)?;
        let simulated = run::simulate(&prepared, &RunControl::new(&self.interrupt)).map_err(failure)?;
        let time_s = simulated.result.time_s;
        let p = target.iter().find(|(name, _)| name == "p").map_or(0.0, |(_, value)| *value);
        let sizes = || reads.iter().map(|read| f64::from(read.recording.p));
        let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(1.0, f64::max));
        let beyond = if p > most { (p / most).ln() / (most / least).ln().max(0.5) } else { 0.0 };
        let spread = self.quantile() * self.doubt * (1.0 + beyond);
        Ok(ShownForecast {
            p: p as u64,
            params: target.iter().filter(|(name, _)| name != "p").cloned().collect(),
            time_s,
            time_low_s: time_s * (-spread).exp(),
            time_high_s: time_s * spread.exp(),
            level: self.args.level.level,
            extrapolates: p > most || p < least,
        })
    }

    /// Takes in how far the model is from the recordings, in logarithms: its own error is a part of the doubt.
    pub(super) fn widen(&mut self, check: &mut [ShownCheck]) {
        self.doubt = self.doubt.hypot(super::error_of(check));
        let spread = self.quantile() * self.doubt;
        check.iter_mut().for_each(|one| one.within(spread));
    }

    fn quantile(&self) -> f64 {
        normal::quantile(f64::midpoint(1.0, self.args.level.level))
    }

    /// How long a recording took: as it was measured, or, where ranks shared cores, replayed on the same system.
    pub(super) fn recorded_s(&self, recording: &Rc<Recording>) -> Result<(f64, &'static str), Failure> {
        let is_shared = recording.off_core_share().is_some_and(|share| share > SHARED)
            || u64::from(recording.p) > recording.meta.cores * recording.meta.hosts.len().max(1) as u64;
        if let Some(time_s) = recording.meta.time_s().filter(|_| !is_shared) {
            return Ok((time_s, "measured"));
        }
        let (application, warnings) = application(recording, "recording", Playing::default())?;
        let prepared =
            run::prepare_recorded(&self.inputs, &self.variation(), application, warnings).map_err(failure)?;
        let simulated = run::simulate(&prepared, &RunControl::new(&self.interrupt)).map_err(failure)?;
        Ok((simulated.result.time_s, "replayed"))
    }
}
