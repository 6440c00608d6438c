//! Progress on the standard error: a bar on a terminal, a line at the beginning elsewhere.

use crate::render::Voice;
use indicatif::{ProgressBar, ProgressStyle};
use runcast_commands::Progress;
use std::io::IsTerminal;
use std::time::Duration;

/// Shows how far long work has come.
pub struct Bar {
    voice: Voice,
    is_terminal: bool,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Nothing is shown before work begins.
    pub fn new(voice: Voice) -> Self {
        Bar { voice, is_terminal: std::io::stderr().is_terminal(), bar: None }
    }
}

impl Progress for Bar {
    fn begin(&mut self, what: &str, steps: u64) {
        self.end();
        if !self.is_terminal {
            self.voice.line(what);
            return;
        }
        let bar = ProgressBar::new(steps);
        // Of some work the number of steps is not known: it says itself how far it is.
        let style = ProgressStyle::with_template(match steps {
            0 => "{prefix}: {wide_msg}",
            _ => "{prefix} [{bar:30}] {pos}/{len}, {eta} left  {wide_msg}",
        });
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        bar.set_prefix(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(250));
        self.bar = Some(bar);
    }

    fn step(&mut self, done: u64, now: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(now.to_owned());
        }
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn line(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.voice.line(text)),
            None => self.voice.line(text),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.end();
    }
}
