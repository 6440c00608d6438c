//! Calls into the run-time library in C: the one file of this crate with unsafe code.
#![expect(unsafe_code, reason = "the run-time library is one for C and Rust, and written in C")]

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_double, c_int, c_uint, c_ulonglong};
use std::marker::{PhantomData, PhantomPinned};
use std::pin::Pin;
use std::ptr;
use std::sync::Once;

use crate::private::Texts;

/// Room for the library's `cll_experiment` and `cll_guard`; the shim checks that it is enough.
#[repr(C, align(8))]
struct Room<const WORDS: usize>([usize; WORDS]);

type ExperimentRoom = Room<32>;
type GuardRoom = Room<4>;

unsafe extern "C" {
    fn cll_rust_experiment(
        experiment: *mut ExperimentRoom,
        name: *const c_char,
        formula: *const c_char,
        file: *const c_char,
        line: c_int,
        names: *const c_char,
        count: c_int,
        seg: *const c_char,
        metric: *const c_char,
        flags: c_uint,
        every: c_uint,
        hash: *const c_char,
        compiler: *const c_char,
    );
    fn cll_rust_enter(guard: *mut GuardRoom, experiment: *mut ExperimentRoom, count: c_int, values: *const c_double);
    fn cll_rust_done(guard: *mut GuardRoom);
    fn cll_rust_exit(guard: *mut GuardRoom);
    fn cll_rust_now() -> c_ulonglong;
    fn cll_rust_done_at(guard: *mut GuardRoom, now: c_ulonglong, count: c_int, values: *const c_double);
    fn cll_rust_rank(rank: c_int, size: c_int);

    fn cll_on();
    fn cll_off();
    fn cll_report(names: *const c_char, file: *const c_char);
    fn cll_parallel(kind: c_int, processes: c_double);
}

/// An experiment at one place of a program: a static.
///
/// The library knows it from its first visit on.
pub struct Site {
    texts: Texts,
    line: u32,
    /// How many values are recorded.
    count: usize,
    flags: u32,
    every: u32,
    once: Once,
    experiment: UnsafeCell<ExperimentRoom>,
}

// SAFETY: the room is written once, under `once`; from then on it is the library's, which takes an experiment from any
// thread.
unsafe impl Sync for Site {}

impl Site {
    /// What the macros know of a place.
    pub const fn new(texts: Texts, line: u32, count: usize, flags: u32, every: u32) -> Self {
        let experiment = UnsafeCell::new(Room([0; 32]));
        Site { texts, line, count, flags, every, once: Once::new(), experiment }
    }

    /// The library's description of the experiment.
    #[inline(always)]
    fn experiment(&'static self) -> *mut ExperimentRoom {
        if !self.once.is_completed() {
            self.describe();
        }
        self.experiment.get()
    }

    #[cold]
    fn describe(&'static self) {
        self.once.call_once(|| {
            let Texts { name, formula, file, names, segments, metrics, source_hash } = &self.texts;
            let compiler = concat!(env!("RUNCAST_CLL_COMPILER"), "\0");
            let [name, formula, file, names, segments, metrics, hash, compiler] =
                [name, formula, file, names, segments, metrics, source_hash, compiler]
                    .map(|text| terminated(text).as_ptr());
            // SAFETY: the room is large enough, it is not shared before `once` is completed, and the texts are static.
            unsafe {
                cll_rust_experiment(
                    self.experiment.get(),
                    name,
                    formula,
                    file,
                    int(self.line as usize),
                    names,
                    int(self.count),
                    segments,
                    metrics,
                    self.flags,
                    self.every,
                    hash,
                    compiler,
                );
            }
        });
    }
}

/// The macros end every text with a zero.
fn terminated(text: &'static str) -> &'static CStr {
    CStr::from_bytes_until_nul(text.as_bytes()).unwrap_or_default()
}

fn int(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

/// An open sample. It is pinned, so that it is closed before its memory is used for something else, and stays in its
/// thread.
pub struct Region {
    site: &'static Site,
    guard: UnsafeCell<GuardRoom>,
    stopped: u64,
    _stays: PhantomData<(*mut (), PhantomPinned)>,
}

impl Region {
    /// A sample that has not begun.
    #[inline(always)]
    pub fn new(site: &'static Site) -> Self {
        Region { site, guard: UnsafeCell::new(Room([0; 4])), stopped: 0, _stays: PhantomData }
    }

    /// Begins the sample, with the values of its variables.
    #[inline(always)]
    pub fn enter<const COUNT: usize>(self: Pin<&mut Self>, values: [f64; COUNT]) {
        let count = COUNT.min(self.site.count);
        // SAFETY: the guard is empty or plain data of a sample that continues, the experiment is described, and there are
        // as many values as are told.
        unsafe { cll_rust_enter(self.guard.get(), self.site.experiment(), int(count), values.as_ptr()) }
    }

    /// Ends the sample.
    #[inline(always)]
    pub fn done(self: Pin<&mut Self>) {
        // SAFETY: the guard is plain data of this thread, empty or of an open sample.
        unsafe { cll_rust_done(self.guard.get()) }
    }

    /// Stops the clock of a sample that takes its values at the end.
    #[inline(always)]
    pub fn stop(mut self: Pin<&mut Self>) {
        // SAFETY: it reads a clock; the region is not moved.
        unsafe { self.as_mut().get_unchecked_mut().stopped = cll_rust_now() }
    }

    /// Ends the sample at the time when the clock was stopped.
    #[inline(always)]
    pub fn record<const COUNT: usize>(self: Pin<&mut Self>, values: [f64; COUNT]) {
        let count = COUNT.min(self.site.count);
        // SAFETY: as for `enter` and `done`.
        unsafe { cll_rust_done_at(self.guard.get(), self.stopped, int(count), values.as_ptr()) }
    }
}

impl Drop for Region {
    /// After the end nothing is left to be done; else the region was left early.
    #[inline(always)]
    fn drop(&mut self) {
        let guard = self.guard.get_mut();
        // The first word is the library's mark of an open sample.
        if guard.0[0] != 0 {
            // SAFETY: as for `done`.
            unsafe { cll_rust_exit(guard) }
        }
    }
}

pub fn on() {
    // SAFETY: it takes nothing.
    unsafe { cll_on() }
}

pub fn off() {
    // SAFETY: it takes nothing.
    unsafe { cll_off() }
}

/// A report of these experiments, or of all; `None` for a file: that of the program.
pub fn report(names: Option<&CStr>, file: Option<&CStr>) {
    // SAFETY: texts that end with a zero, or null.
    unsafe { cll_report(names.map_or(ptr::null(), CStr::as_ptr), file.map_or(ptr::null(), CStr::as_ptr)) }
}

/// The number of processes that `P` stands for.
pub fn processes(count: f64) {
    // SAFETY: it takes numbers.
    unsafe { cll_parallel(0, count) }
}

/// Where in a parallel program this process is.
pub fn rank(rank: usize, processes: usize) {
    // SAFETY: it takes numbers.
    unsafe { cll_rust_rank(int(rank), int(processes)) }
}
