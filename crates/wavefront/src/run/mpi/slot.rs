//! Memory that MPI reads from or writes to while the process continues with its updates.

use mpi::point_to_point::{Destination, Source};
use mpi::request::{Request, StaticScope};

/// A message on its way, and its memory.
///
/// While the request is there, MPI owns the memory, and no reference to it is given out.
pub(super) struct Slot {
    memory: *mut [f64],
    request: Option<Request<'static, [f64], StaticScope>>,
}

impl Slot {
    pub(super) fn new(length: usize) -> Self {
        Slot { memory: Box::into_raw(vec![0.0; length].into_boxed_slice()), request: None }
    }

    /// Whether MPI still works on it.
    pub(super) fn is_active(&self) -> bool {
        self.request.is_some()
    }

    /// What is in it; none while MPI works on it.
    pub(super) fn numbers(&self) -> Option<&[f64]> {
        if self.is_active() { None } else { Some(self.shared()) }
    }

    /// The same, to be written.
    pub(super) fn numbers_mut(&mut self) -> Option<&mut [f64]> {
        if self.is_active() { None } else { Some(self.exclusive()) }
    }

    /// Starts to send it.
    ///
    /// # Standard section(s)
    /// 3.7.2
    pub(super) fn send(&mut self, to: &impl Destination, tag: i32) {
        if !self.is_active() {
            self.request = Some(to.immediate_send_with_tag(StaticScope, self.shared(), tag));
        }
    }

    /// Starts to receive into it.
    ///
    /// # Standard section(s)
    /// 3.7.2
    pub(super) fn receive(&mut self, from: &impl Source, tag: i32) {
        if !self.is_active() {
            self.request = Some(from.immediate_receive_into_with_tag(StaticScope, self.exclusive(), tag));
        }
    }

    /// Whether it is complete, now or before.
    ///
    /// # Standard section(s)
    /// 3.7.3
    pub(super) fn is_complete(&mut self) -> bool {
        self.request = self.request.take().and_then(|request| request.test().err());
        !self.is_active()
    }

    /// Gives up to receive what no rank sends any more.
    ///
    /// # Standard section(s)
    /// 3.8.4
    pub(super) fn cancel(&mut self) {
        if let Some(request) = self.request.take() {
            request.cancel();
            request.wait_without_status();
        }
    }

    #[expect(unsafe_code, reason = "a request of MPI outlives every borrow of its memory")]
    fn shared(&self) -> &'static [f64] {
        // SAFETY: the memory lives until `drop`, which frees it only without a request. `numbers` binds the reference to
        // a borrow of the slot, during which no request that writes can start; MPI only reads what is sent.
        unsafe { &*self.memory }
    }

    #[expect(unsafe_code, reason = "a request of MPI outlives every borrow of its memory")]
    fn exclusive(&mut self) -> &'static mut [f64] {
        // SAFETY: as above; it is not asked for while there is a request, and `numbers_mut` binds it to an exclusive
        // borrow of the slot.
        unsafe { &mut *self.memory }
    }
}

impl Drop for Slot {
    #[expect(unsafe_code, reason = "the memory was taken from a box, and goes back to one")]
    fn drop(&mut self) {
        match self.request.take() {
            // MPI may write into it at any later time: it is never used again. To drop a request would panic.
            Some(request) => std::mem::forget(request),
            // SAFETY: it came from `Box::into_raw`, and no reference is left.
            None => drop(unsafe { Box::from_raw(self.memory) }),
        }
    }
}
