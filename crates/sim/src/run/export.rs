//! Recorded programs for other simulators.

use super::inputs::look;
use super::prepare::Prepared;
use crate::{goal, ti};
use runcast_core::{Problem, Problems, Warning};
use std::sync::atomic::AtomicBool;

/// What to write a program as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    Goal,
    /// SimGrid time-independent traces.
    Ti,
}

runcast_core::words!(ExportFormat::word: Goal = "goal", Ti = "ti");

/// Files with their names.
#[derive(Debug, Default)]
pub struct Exported {
    /// Name and content.
    pub files: Vec<(String, Vec<u8>)>,
    /// What could not be said in the format.
    pub warnings: Vec<Warning>,
}

impl Prepared {
    /// The recorded program as files.
    ///
    /// # Errors
    /// What cannot be said in the format; a deadlock, since the program is played for its steps.
    pub fn export(&self, format: ExportFormat, interrupt: &AtomicBool) -> Result<Exported, Problems> {
        look(interrupt)?;
        let stage = self.stage(0)?;
        stage.with_job(interrupt, |job, application| match format {
            ExportFormat::Goal => {
                let exported = goal::export(application, job)?;
                let mut text = String::new();
                goal::write(&exported.schedule, &mut text)
                    .map_err(|_| Problem::new("out_of_memory", "the schedule does not fit into memory"))?;
                let name = format!("{}.goal", self.name());
                Ok(Exported { files: vec![(name, text.into_bytes())], warnings: exported.warnings })
            }
            ExportFormat::Ti => {
                let exported = ti::export(application, job)?;
                let files = exported.files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
                Ok(Exported { files, warnings: exported.warnings })
            }
        })
    }

    /// The name of the application; of the first of several.
    fn name(&self) -> &str {
        self.recorded.apps.first().map_or("application", |app| app.name.as_str())
    }
}
