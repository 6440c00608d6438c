//! Signals to a serving or working process.

use crate::serve::undone;
use runcast_commands::Failure;

/// Resolves at Ctrl-C, at a hang-up, or when the system asks for the end; from now on these end nothing by themselves.
///
/// # Errors
/// Signals cannot be heard.
#[cfg(unix)]
pub fn told_to_stop() -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let watch = |kind| signal(kind).map_err(|error| undone("signals", error.to_string()));
    let (mut interrupt, mut terminate) = (watch(SignalKind::interrupt())?, watch(SignalKind::terminate())?);
    let mut hang_up = watch(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

/// Resolves at Ctrl-C.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn told_to_stop() -> Result<impl Future<Output = ()>, Failure> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
