//! Options of the wrapper, which builds may set by the environment, and its log.

use super::CcArgs;
use super::translate::Translated;
use runcast_call::compiler::Line;
use serde_json::json;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// What the user wants.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Nothing is translated.
    pub off: bool,
    pub strict: bool,
    pub quiet: bool,
    /// Folders for translations, the first that can be written.
    pub shadows: Vec<PathBuf>,
    log: Option<PathBuf>,
    begun: Instant,
}

impl Settings {
    /// Options first, then the environment.
    pub fn of(args: &CcArgs) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        Settings {
            off: set("RUNCAST_CLL_OFF"),
            strict: args.strict || set("RUNCAST_CLL_STRICT"),
            quiet: args.quiet,
            shadows: shadows(args.shadow.clone()),
            log: args.log.clone().or_else(|| path("RUNCAST_CLL_LOG")),
            begun: Instant::now(),
        }
    }

    /// Appends a line on a call: what was done with it, and how it ended.
    pub fn log(&self, line: &Line, translated: Option<&Translated>, status: Option<u8>) {
        let Some(path) = &self.log else { return };
        let text = |words: &[OsString]| words.iter().map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>();
        let sources: Vec<String> =
            line.sources.iter().map(|source| source.name.to_string_lossy().into_owned()).collect();
        let entry = json!({
            "words": text(&line.words),
            "sources": sources,
            "passed": translated.is_none(),
            "experiments": translated.map_or(0, Translated::experiments),
            "refused": translated.map_or(0, Translated::refused),
            "status": status,
            "time_s": self.begun.elapsed().as_secs_f64(),
        });
        // One write a line: lines of calls at the same time do not mix.
        if let Ok(mut file) = std::fs::File::options().append(true).create(true).open(path) {
            let _ = file.write_all(format!("{entry}\n").as_bytes());
        }
    }
}

fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn shadows(given: Option<PathBuf>) -> Vec<PathBuf> {
    let home = path("HOME").map(|home| home.join(".cache/runcast/cll"));
    let user = path("USER").map_or_else(|| "user".to_owned(), |user| user.display().to_string());
    let temporary = std::env::temp_dir().join(format!("runcast-cll-{}", user.replace('/', "_")));
    let cache = path("XDG_CACHE_HOME").map(|cache| cache.join("runcast/cll"));
    [given, path("RUNCAST_CLL_SHADOW"), cache, home, Some(temporary)].into_iter().flatten().collect()
}
