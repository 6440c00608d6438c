//! Models of the regions of a learned program, fitted as `llac` does it.

use super::recorded::Recording;
use crate::context::Context;
use crate::failure::Failure;
use crate::llac::{self, LlacArgs};
use runcast_call::bsp::learn::Learnt;
use runcast_core::Warning;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The model of each region: a file, or a constant time where none could be fitted \[s\].
#[derive(Debug, Default)]
pub struct Fitted(BTreeMap<String, Result<PathBuf, f64>>);

impl Fitted {
    /// The file of a region's model, relative to the program, or its constant time.
    pub fn file(&self, region: &str) -> Result<String, f64> {
        match self.0.get(region) {
            Some(Ok(path)) => Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned()),
            Some(Err(time_s)) => Err(*time_s),
            None => Err(0.0),
        }
    }

    /// The files.
    pub fn files(&self) -> Vec<String> {
        self.0.values().flatten().map(|path| path.display().to_string()).collect()
    }
}

/// Fits the regions of a program to the runs that are not held out. The fastest visit of each configuration counts: what
/// ranks lose that share a core is not the program's.
pub fn fit(
    learnt: &Learnt,
    recordings: &[Recording],
    folder: &Path,
    context: &mut Context,
    warnings: &mut Vec<Warning>,
) -> Result<Fitted, Failure> {
    let mut fitted = Fitted::default();
    let traces = recordings.iter().filter(|recording| !recording.held_out).flat_map(|recording| &recording.traces);
    let traces: Vec<String> = traces.map(|path| quoted(path)).collect();
    for model in &learnt.models {
        if fitted.0.contains_key(&model.region) {
            continue;
        }
        let path = folder.join(format!("{}.json", model.region));
        let region = &model.region;
        let script = format!(
            "load {} as t; fit {region} in t signs nonneg aggregate min as m; save m to {}",
            traces.join(" "),
            quoted(&path)
        );
        // One of an earlier call is no answer.
        let _ = std::fs::remove_file(&path);
        std::fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
        let output = llac::run(&LlacArgs { execute: vec![script], ..LlacArgs::default() }, context)?;
        let made = output.exit == 0 && path.is_file();
        if !made {
            let message =
                format!("no model could be fitted to the region {region}: the median time of its visits is taken");
            warnings.push(Warning::new("no_model", message));
        }
        fitted.0.insert(region.clone(), if made { Ok(path) } else { Err(model.median_s) });
    }
    Ok(fitted)
}

fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display())
}
