//! Ctrl-C and the wish of a batch system to end.

use crate::render::Voice;
use runcast_commands::{Context, Failure};
use runcast_core::Problem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Raises the flag of the context. A command that does not look at it, and a second Ctrl-C, end the program at once.
///
/// # Errors
/// The system does not take the handler.
pub fn watch(context: &Context, stops_by_itself: bool, voice: &Voice) -> Result<(), Failure> {
    let flag = Arc::clone(&context.interrupt);
    let voice = voice.clone();
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) || !stops_by_itself {
            voice.failure(&Failure::interrupted());
            std::process::exit(1);
        }
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::undone(Problem::new("signals", format!("signals cannot be watched: {error}"))))
}
