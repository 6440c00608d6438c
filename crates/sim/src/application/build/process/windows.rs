//! Requests that are prepared, and the memory of other processes.

use super::Process;
use crate::application::{Access, Tag};
use crate::build::arguments::{FittingTag, From_, Partner};
use crate::build::persistent::{Persistent, Prepared};

/// A request that is prepared once, and started many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreparedRequest(Option<Persistent>);

/// A window: memory that other processes access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window(u32);

impl Process<'_> {
    /// Prepares a send.
    pub fn send_init<'p>(&mut self, to: impl Into<Partner<'p>>, size: u64, tag: Tag) -> PreparedRequest {
        let to = self.recorder.process(to.into());
        let result = to.and_then(|to| self.recorder.prepare(Prepared::Send { to, size, tag }));
        PreparedRequest(self.done("send_init", result))
    }

    /// Prepares a receive.
    pub fn recv_init<'p>(&mut self, from: impl Into<From_<'p>>, tag: impl Into<FittingTag>) -> PreparedRequest {
        let (from, tag) = (self.recorder.sender(from.into()), tag.into());
        let result = from.and_then(|from| self.recorder.prepare(Prepared::Recv { from, tag }));
        PreparedRequest(self.done("recv_init", result))
    }

    /// Starts one that was prepared, and waited for since it was started last.
    pub fn start(&mut self, request: PreparedRequest) {
        if let Some(request) = request.0 {
            let result = self.recorder.start(request);
            self.done("start", result);
        }
    }

    /// Waits for one that was started.
    pub fn wait_for_started(&mut self, request: PreparedRequest) {
        if let Some(request) = request.0 {
            let result = self.recorder.wait_for_started(request);
            self.done("wait", result);
        }
    }

    /// A window: the n-th of a process belongs to the n-th of the others.
    pub fn window(&mut self) -> Window {
        let result = self.recorder.window();
        Window(self.done("win", result).unwrap_or(u32::MAX))
    }

    fn access<'p>(&mut self, name: &str, access: Access, at: (Window, Partner<'p>), size: u64) {
        let to = self.recorder.process(at.1);
        let result = to.and_then(|to| self.recorder.access(access, at.0.0, to, size));
        self.done(name, result);
    }

    /// Moves bytes to the memory of a process.
    pub fn put<'p>(&mut self, window: Window, to: impl Into<Partner<'p>>, size: u64) {
        self.access("put", Access::Put, (window, to.into()), size);
    }

    /// Moves bytes from the memory of a process.
    pub fn get<'p>(&mut self, window: Window, from: impl Into<Partner<'p>>, size: u64) {
        self.access("get", Access::Get, (window, from.into()), size);
    }

    /// Adds bytes to the memory of a process.
    pub fn accumulate<'p>(&mut self, window: Window, to: impl Into<Partner<'p>>, size: u64) {
        self.access("accumulate", Access::Accumulate, (window, to.into()), size);
    }

    /// The accesses of the whole label are done.
    pub fn fence(&mut self, window: Window) {
        let result = self.recorder.fence(window.0);
        self.done("fence", result);
    }

    /// Waits until the own accesses are done, to one process or to all.
    pub fn flush(&mut self, window: Window, to: Option<Partner<'_>>) {
        let to = to.map(|to| self.recorder.process(to)).transpose();
        let result = to.and_then(|to| self.recorder.flush(window.0, to));
        self.done("flush", result);
    }

    /// Waits for the lock of a window at a process, first come.
    pub fn lock<'p>(&mut self, window: Window, to: impl Into<Partner<'p>>) {
        let result = self.recorder.process(to.into()).and_then(|to| self.recorder.lock(window.0, to));
        self.done("lock", result);
    }

    /// Flushes, and gives the lock back.
    pub fn unlock<'p>(&mut self, window: Window, to: impl Into<Partner<'p>>) {
        let result = self.recorder.process(to.into()).and_then(|to| self.recorder.unlock(window.0, to));
        self.done("unlock", result);
    }
}
