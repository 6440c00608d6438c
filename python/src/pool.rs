//! The threads that commands run on.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a thread's stack: twice what the main thread of the program has.
const STACK_BYTES: usize = 16 << 20;

/// Threads of one process.
struct Pool {
    process: u32,
    threads: usize,
    pool: Arc<rayon::ThreadPool>,
}

/// The pool of the last call. It is locked only by a thread that holds the interpreter, as one does that forks from
/// Python: so no child inherits it locked.
static LAST: Mutex<Option<Pool>> = Mutex::new(None);

/// The pool of this process, with so many threads; 0 stands for all cores.
///
/// # Errors
/// The threads cannot be started.
pub fn pool(_attached: Python<'_>, threads: usize) -> PyResult<Arc<rayon::ThreadPool>> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some(known) = last.as_ref().filter(|known| known.process == process && known.threads == threads) {
        return Ok(Arc::clone(&known.pool));
    }
    let built = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .thread_name(|number| format!("{}{number}", super::panics::THREADS))
        .build();
    let pool = Arc::new(built.map_err(|error| PyRuntimeError::new_err(format!("no threads: {error}")))?);
    let known = last.replace(Pool { process, threads, pool: Arc::clone(&pool) });
    if let Some(known) = known.filter(|known| known.process != process) {
        // After a fork its threads are not there, and nobody can wait for them.
        std::mem::forget(known);
    }
    Ok(pool)
}

/// The next call gets threads of its own: a command that does not stop keeps those that it has.
pub fn abandon(_attached: Python<'_>) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
