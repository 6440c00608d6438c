//! Recording a process, call by call.

mod windows;

pub use windows::{PreparedRequest, Window};

use super::arguments::{CollectiveCall, Compute, CopyCall, FarmCall, FittingTag, From_, Partner, Request};
use super::recorder::Recorder;
use crate::application::{CollectiveKind, Tag};
use runcast_core::Problem;

/// A process while it is recorded.
pub struct Process<'a> {
    recorder: &'a mut Recorder,
    asked: bool,
    problem: Option<Problem>,
}

/// Records a process: its program, and whether it asked for its rank.
pub(super) fn record(
    recorder: &mut Recorder,
    label: u32,
    rank: u64,
    ranked: bool,
    run: &dyn Fn(&mut Process<'_>),
) -> Result<(u32, bool), Problem> {
    recorder.begin(label, rank, ranked);
    // Whether it asks for its rank is known only after it has run; errors of a process that represents all may be due to that.
    let before = recorder.mark();
    let mut process = Process { recorder, asked: false, problem: None };
    run(&mut process);
    let Process { asked, problem, .. } = process;
    if asked && !ranked {
        recorder.back_to(&before);
        return Ok((0, true));
    }
    match problem {
        None => Ok((recorder.end()?, asked)),
        Some(mut problem) => {
            let place = recorder.app.name_of(recorder.own.first + rank);
            problem.message = format!("{} (in {place})", problem.message);
            Err(problem)
        }
    }
}

impl Process<'_> {
    fn done<T>(&mut self, call: &str, result: Result<T, Problem>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(mut problem) => {
                problem.message = format!("{call}: {}", problem.message);
                self.problem.get_or_insert(problem);
                None
            }
        }
    }

    /// Its rank in its label; if a process asks for it, each rank is recorded separately.
    pub fn rank(&mut self) -> u64 {
        self.asked = true;
        self.recorder.own.rank
    }

    /// The multiplicity of its label.
    pub fn size(&self) -> u64 {
        self.recorder.own.count
    }

    pub fn compute(&mut self, compute: Compute<'_>) {
        let result = self.recorder.compute(&compute);
        self.done("compute", result);
    }

    /// Blocking send of `size` bytes.
    pub fn send<'p>(&mut self, to: impl Into<Partner<'p>>, size: u64, tag: Tag) {
        let result = self.recorder.process(to.into()).and_then(|to| self.recorder.send(to, size, tag));
        self.done("send", result);
    }

    /// Blocking receive.
    pub fn recv<'p>(&mut self, from: impl Into<From_<'p>>, tag: impl Into<FittingTag>) {
        let result = self.recorder.sender(from.into()).and_then(|from| self.recorder.recv(from, tag.into()));
        self.done("recv", result);
    }

    /// Non-blocking send.
    pub fn isend<'p>(&mut self, to: impl Into<Partner<'p>>, size: u64, tag: Tag) -> Request {
        let result = self.recorder.process(to.into()).and_then(|to| self.recorder.isend(to, size, tag));
        self.done("isend", result).unwrap_or(Request { number: u32::MAX, serial: 0 })
    }

    /// Non-blocking receive.
    pub fn irecv<'p>(&mut self, from: impl Into<From_<'p>>, tag: impl Into<FittingTag>) -> Request {
        let result = self.recorder.sender(from.into()).and_then(|from| self.recorder.irecv(from, tag.into()));
        self.done("irecv", result).unwrap_or(Request { number: u32::MAX, serial: 0 })
    }

    pub fn wait(&mut self, request: Request) {
        let result = self.recorder.wait(request);
        self.done("wait", result);
    }

    /// Waits for several.
    pub fn waitall(&mut self, requests: impl IntoIterator<Item = Request>) {
        for request in requests {
            let result = self.recorder.wait(request);
            self.done("waitall", result);
        }
    }

    /// Sends and receives at once.
    pub fn sendrecv<'p, 'q>(&mut self, to: impl Into<Partner<'p>>, from: impl Into<From_<'q>>, size: u64, tag: Tag) {
        let result = self.recorder.process(to.into()).and_then(|to| {
            let from = self.recorder.sender(from.into())?;
            self.recorder.sendrecv(to, from, size, tag)
        });
        self.done("sendrecv", result);
    }

    /// A message to each process of a label.
    pub fn p2p_send(&mut self, to: &str, size: u64) {
        let result = self.recorder.p2p_send(to, size);
        self.done("p2p_send", result);
    }

    /// A message from each process of a label.
    pub fn p2p_recv(&mut self, from: &str) {
        let result = self.recorder.p2p_recv(from);
        self.done("p2p_recv", result);
    }

    /// `count` messages, from the whole label, spread evenly over another.
    pub fn one2one_send(&mut self, to: &str, size: u64, count: u64) {
        let result = self.recorder.one2one_send(to, size, count);
        self.done("one2one_send", result);
    }

    /// The receiving side.
    pub fn one2one_recv(&mut self, from: &str) {
        let result = self.recorder.one2one_recv(from);
        self.done("one2one_recv", result);
    }

    /// `size` bytes to each process of each label.
    pub fn scatter_send(&mut self, to: &[&str], size: u64) {
        let result = self.recorder.scatter_send(to, size);
        self.done("scatter_send", result);
    }

    /// The receiving side.
    pub fn scatter_recv(&mut self, from: &str) {
        let result = self.recorder.scatter_recv(&[from]);
        self.done("scatter_recv", result);
    }

    /// `size` bytes to each process of each label.
    pub fn gather_send(&mut self, to: &[&str], size: u64) {
        let result = self.recorder.gather_send(to, size);
        self.done("gather_send", result);
    }

    /// The receiving side.
    pub fn gather_recv(&mut self, from: &str) {
        let result = self.recorder.gather_recv(&[from]);
        self.done("gather_recv", result);
    }

    fn collective(&mut self, name: &str, kind: CollectiveKind, call: CollectiveCall<'_>) {
        let result = self.recorder.collective(kind, &call);
        self.done(name, result);
    }

    /// From the root to all.
    pub fn bcast(&mut self, call: CollectiveCall<'_>) {
        self.collective("bcast", CollectiveKind::Bcast, call);
    }

    /// A block from the root to each.
    pub fn scatter(&mut self, call: CollectiveCall<'_>) {
        self.collective("scatter", CollectiveKind::Scatter, call);
    }

    /// A block from each to the root.
    pub fn gather(&mut self, call: CollectiveCall<'_>) {
        self.collective("gather", CollectiveKind::Gather, call);
    }

    /// A sum to the root.
    pub fn reduce(&mut self, call: CollectiveCall<'_>) {
        self.collective("reduce", CollectiveKind::Reduce, call);
    }

    /// A sum to all.
    pub fn allreduce(&mut self, call: CollectiveCall<'_>) {
        self.collective("allreduce", CollectiveKind::Allreduce, call);
    }

    /// A block from each to all.
    pub fn allgather(&mut self, call: CollectiveCall<'_>) {
        self.collective("allgather", CollectiveKind::Allgather, call);
    }

    /// A part of a sum to each.
    pub fn reduce_scatter(&mut self, call: CollectiveCall<'_>) {
        self.collective("reduce_scatter", CollectiveKind::ReduceScatter, call);
    }

    /// A block from each to each.
    pub fn alltoall(&mut self, call: CollectiveCall<'_>) {
        self.collective("alltoall", CollectiveKind::Alltoall, call);
    }

    /// To each the sum of all up to it.
    pub fn scan(&mut self, call: CollectiveCall<'_>) {
        self.collective("scan", CollectiveKind::Scan, call);
    }

    /// To each the sum of all before it.
    pub fn exscan(&mut self, call: CollectiveCall<'_>) {
        self.collective("exscan", CollectiveKind::Exscan, call);
    }

    /// No process continues before all have entered.
    pub fn barrier(&mut self, call: CollectiveCall<'_>) {
        self.collective("barrier", CollectiveKind::Barrier, call);
    }

    /// A non-blocking collective.
    pub fn icollective(&mut self, kind: CollectiveKind, call: CollectiveCall<'_>) -> Request {
        let result = self.recorder.icollective(kind, &call);
        self.done("icollective", result).unwrap_or(Request { number: u32::MAX, serial: 0 })
    }

    /// Hands out tasks.
    pub fn farm(&mut self, call: FarmCall<'_>) {
        let result = self.recorder.farm(&call);
        self.done("farm", result);
    }

    /// Takes tasks of the farm of a master until there are none left.
    pub fn farm_worker<'p>(&mut self, from: impl Into<Partner<'p>>) {
        let result = self.recorder.process(from.into()).and_then(|master| self.recorder.farm_worker(master));
        self.done("farm_worker", result);
    }

    /// A block that a device computes, behind those before it in its stream, while the process goes on.
    pub fn launch(&mut self, compute: Compute<'_>) -> Request {
        let result = self.recorder.launch(&compute);
        self.done("compute", result).unwrap_or(Request { number: u32::MAX, serial: 0 })
    }

    /// To or from a device.
    pub fn copy(&mut self, call: CopyCall<'_>) {
        let result = self.recorder.copy(&call);
        self.done("copy", result);
    }

    /// The same, behind what was begun before it in its stream, while the process goes on.
    pub fn launch_copy(&mut self, call: CopyCall<'_>) -> Request {
        let result = self.recorder.launch_copy(&call);
        self.done("copy", result).unwrap_or(Request { number: u32::MAX, serial: 0 })
    }

    /// From a storage; none: the nearest.
    pub fn read(&mut self, storage: Option<&str>, size: u64) {
        let result = self.recorder.read(storage, size);
        self.done("read", result);
    }

    /// To a storage; none: the nearest.
    pub fn write(&mut self, storage: Option<&str>, size: u64) {
        let result = self.recorder.write(storage, size);
        self.done("write", result);
    }

    /// Sleeps for this many seconds.
    pub fn sleep(&mut self, seconds: f64) {
        let result = self.recorder.sleep(seconds);
        self.done("sleep", result);
    }

    /// Repeats `body` this many times; it is recorded once.
    pub fn r#loop(&mut self, count: u64, body: impl FnOnce(&mut Self)) {
        let result = self.recorder.enter(count);
        self.done("loop", result);
        body(self);
        let result = self.recorder.leave();
        self.done("loop", result);
    }

    /// Begins a phase.
    pub fn phase(&mut self, name: &str) {
        let result = self.recorder.phase(name);
        self.done("phase", result);
    }

    /// A random number in [0, 1) that depends on seed and process.
    pub fn random(&mut self) -> f64 {
        self.asked = true;
        self.recorder.draw()
    }

    /// Process number of a partner in its label.
    pub fn rank_of(&mut self, partner: Partner<'_>) -> u64 {
        let result = self.recorder.process(partner);
        let process = self.done("rank_of", result).unwrap_or(0);
        process - self.recorder.app.labels[self.recorder.app.label_of(process)].first
    }

    /// Multiplicity of a label.
    pub fn count(&mut self, label: &str) -> u64 {
        let result = self.recorder.count(label);
        self.done("count", result).unwrap_or(0)
    }

    /// A message to the user of the simulation.
    pub fn log(&mut self, text: &str) {
        let result = self.recorder.log(text.to_owned());
        self.done("log", result);
    }
}
