//! Where memory ends: a message and an exit code in place of an abort.
//!
//! What is large is estimated before it is made, and refused with what it would need. This is the net below: whatever
//! else asks for memory that is not there ends the program in good order, and the files written so far stay whole.
#![expect(
    unsafe_code,
    reason = "an allocator is unsafe by its trait; every call is handed on to the system's as it came"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator, which ends the program with a message when there is no more.
pub struct Reporting;

// SAFETY: every method hands its arguments on to the allocator of the system and returns what that returned.
unsafe impl GlobalAlloc for Reporting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by the caller.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by the caller.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as promised by the caller.
        given(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[inline]
fn given(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        refused(bytes);
    }
    pointer
}

/// Says how much was asked for, and ends the program. Nothing here takes memory.
#[cold]
fn refused(bytes: usize) {
    static IS_SAID: AtomicBool = AtomicBool::new(false);
    if IS_SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut text = [0; 160];
    let mut rest = &mut text[..];
    let room = rest.len();
    let _ = writeln!(
        rest,
        "error: the memory is used up: {} MB more were needed\nhint: take fewer rows, groups or targets, or a machine with more memory",
        bytes.div_ceil(1_000_000)
    );
    let length = room - rest.len();
    let _ = io::stderr().write_all(&text[..length]);
    std::process::exit(1);
}
