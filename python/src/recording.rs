//! The calls of a recording one by one, a batch at a time.
//!
//! Loops are folded in a recording, so that it may hold more calls than the memory could: a thread unfolds them, and waits
//! while two batches are still to be fetched. It ends when nobody fetches any more.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use runcast_commands::{Context, record};
use runcast_record::Recording;
use runcast_record::stat::LeafStat;
use runcast_record::tree::leaves;
use runcast_record::vocabulary::{Field, shown};
use runcast_record::walk::{Event, walk};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The fields of a call that are columns, and those of the call site, whose numbers stand behind them.
const FIELDS: [Field; 6] = [Field::Peer, Field::Peer2, Field::Size, Field::Tag, Field::Root, Field::Count];
/// What a field is that a call does not have.
const NONE: i64 = i64::MIN;
/// So many batches are ready at most.
const AHEAD: usize = 2;

/// Calls in columns of one length.
#[derive(Default)]
struct Batch {
    rank: Vec<i64>,
    thread: Vec<i64>,
    /// Numbers of texts.
    call: Vec<i64>,
    site: Vec<i64>,
    comm: Vec<i64>,
    fields: [Vec<i64>; FIELDS.len()],
    /// Means over the executions of the call on the rank, in s.
    block_s: Vec<f64>,
    call_s: Vec<f64>,
}

/// The names that stand behind numbers.
#[derive(Default)]
struct Names {
    calls: Vec<String>,
}

/// An iterator over batches of calls.
#[pyclass(frozen)]
pub struct Events {
    batches: Mutex<Receiver<(Batch, Vec<String>)>>,
    places: Vec<String>,
}

#[pymethods]
impl Events {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let next = py.detach(|| self.batches.lock().ok().and_then(|batches| batches.recv().ok()));
        let Some((batch, calls)) = next else { return Ok(None) };
        let found = PyDict::new(py);
        for (name, column) in [
            ("rank", &batch.rank),
            ("thread", &batch.thread),
            ("call", &batch.call),
            ("site", &batch.site),
            ("comm", &batch.comm),
        ] {
            found.set_item(name, whole(py, column))?;
        }
        for (field, column) in FIELDS.iter().zip(&batch.fields) {
            found.set_item(field.name(), whole(py, column))?;
        }
        found.set_item("block_s", times(py, &batch.block_s))?;
        found.set_item("call_s", times(py, &batch.call_s))?;
        found.set_item("calls", calls)?;
        found.set_item("sites", self.places.clone())?;
        Ok(Some(found))
    }
}

fn whole<'py>(py: Python<'py>, column: &[i64]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &column.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>())
}

fn times<'py>(py: Python<'py>, column: &[f64]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &column.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>())
}

/// The calls of a recording, rank by rank in the order in which each made them, `chunk` at a time; those of one rank, or of
/// all.
#[pyfunction]
#[pyo3(signature = (path, chunk, rank=None))]
pub fn events(py: Python<'_>, path: PathBuf, chunk: usize, rank: Option<u32>) -> PyResult<Events> {
    let opened = py.detach(|| record::open(&path, &mut Context::new()));
    let (recording, places) = opened.map_err(|failure| PyValueError::new_err(failure.to_string()))?;
    if rank.is_some_and(|rank| recording.ranks().binary_search(&rank).is_err()) {
        return Err(PyValueError::new_err("this rank has left nothing"));
    }
    let (sender, batches) = sync_channel(AHEAD);
    std::thread::Builder::new()
        .name("runcast-events".to_owned())
        .spawn(move || unfold(&recording, rank, chunk.max(1), &sender))
        .map_err(|error| PyValueError::new_err(format!("no thread can be started: {error}")))?;
    Ok(Events { batches: Mutex::new(batches), places })
}

/// Sends all calls; ends early where nobody takes them.
fn unfold(recording: &Recording, only: Option<u32>, chunk: usize, sender: &SyncSender<(Batch, Vec<String>)>) {
    let (mut batch, mut names) = (Batch::default(), Names::default());
    let ranks = only.map_or_else(|| recording.ranks(), |rank| vec![rank]);
    for rank in ranks {
        let own = |program: &&runcast_record::Program| program.ranks.binary_search(&rank).is_ok();
        for program in recording.programs.iter().filter(own) {
            let place = program.ranks.binary_search(&rank).unwrap_or(0);
            let tree = recording.tree_of(program, rank);
            let codes: Vec<i64> =
                leaves(&tree).iter().map(|(leaf, _)| names.code(shown(leaf.call, leaf.flags))).collect();
            let ended = walk(&tree, |event| {
                let stat = program.stats.get(event.index).and_then(|stat: &LeafStat| stat.ranks.get(place));
                batch.rank.push(i64::from(rank));
                batch.thread.push(i64::from(program.thread));
                batch.call.push(codes.get(event.index).copied().unwrap_or(0));
                batch.add(event);
                batch.block_s.push(stat.map_or(f64::NAN, |own| own.mean.s()));
                batch.call_s.push(stat.map_or(f64::NAN, |own| own.call.s()));
                if batch.rank.len() < chunk {
                    return ControlFlow::Continue(());
                }
                match sender.send((std::mem::take(&mut batch), names.calls.clone())) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            });
            if ended.is_break() {
                return;
            }
        }
    }
    if !batch.rank.is_empty() {
        // Nobody may be waiting any more.
        let _ = sender.send((batch, names.calls));
    }
}

impl Batch {
    fn add(&mut self, event: &Event<'_>) {
        self.site.push(i64::from(event.leaf.site));
        self.comm.push(i64::from(event.leaf.comm));
        for (field, column) in FIELDS.into_iter().zip(&mut self.fields) {
            column.push(event.get(field).unwrap_or(NONE));
        }
    }
}

impl Names {
    /// The number of a text.
    fn code(&mut self, text: String) -> i64 {
        let known = self.calls.iter().position(|one| *one == text);
        let at = known.unwrap_or_else(|| {
            self.calls.push(text);
            self.calls.len() - 1
        });
        i64::try_from(at).unwrap_or(0)
    }
}
