//! The interface for C: the functions that `bsf.h` declares.
//!
//! Nothing unwinds into C: panics of the library end as [`Status::Failed`] with a message. Whatever a caller passes is
//! copied and checked ([`given`]) before a run begins; memory that it owns is read for the time of the call alone.
#![expect(unsafe_code, reason = "callers in C pass pointers")]

mod abi;
mod arguments;
mod given;
mod job;
mod lines;
mod outcome;
mod run;

pub use abi::{ABI, Algorithm, At, Job, Options, Outcome, Status};

use given::Given;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

std::thread_local! {
    /// What the last call of this thread had to say.
    static MESSAGE: RefCell<CString> = RefCell::default();
}

fn tell(message: &str) {
    let text: String = message.chars().filter(|&letter| letter != '\0').collect();
    MESSAGE.with_borrow_mut(|told| *told = CString::new(text).unwrap_or_default());
}

/// Sets all options to automatic.
///
/// # Safety
/// `options` is null or points to a `bsf_options` of the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bsf_options_init(options: *mut Options) {
    if !options.is_null() {
        // SAFETY: the caller's memory, as the contract says.
        unsafe { options.write(Options::automatic()) };
    }
}

/// Sets options from a command line, takes them out of it, and leaves the others.
///
/// # Safety
/// `options` points to an initialized `bsf_options`; `argv` has `*argc` texts, each of which ends with a zero and
/// outlives the options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bsf_options_from_args(
    options: *mut Options,
    argc: *mut c_int,
    argv: *mut *mut c_char,
) -> Status {
    tell("");
    // SAFETY: as the contract says.
    let read = catch_unwind(AssertUnwindSafe(|| unsafe { arguments::read(options, argc, argv) }));
    match read {
        Ok(Ok(())) => Status::Finished,
        Ok(Err(message)) => {
            tell(&message);
            Status::Usage
        }
        Err(_) => {
            tell("the arguments cannot be read");
            Status::Failed
        }
    }
}

/// Runs an algorithm; under MPI it is called in every rank.
///
/// # Safety
/// The structures are as their fields `size` say; functions and data are valid, and may be used by several threads as
/// `bsf.h` says; `x` has `x_bytes` bytes; `out` is null or points to a `bsf_outcome`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bsf_run(
    algorithm: *const Algorithm,
    options: *const Options,
    x: *mut c_void,
    out: *mut Outcome,
) -> Status {
    tell("");
    let run = || {
        // SAFETY: as the contract says.
        let given = unsafe { Given::read(algorithm, options, x) }?;
        run::run(&given)
    };
    let end = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(failure)) => Outcome::failed(failure.status, &failure.message),
        Err(_) => Outcome::failed(Status::Failed, "an internal error of the library"),
    };
    tell(&end.text());
    let status = end.status;
    if !out.is_null() {
        // SAFETY: the caller's memory, as the contract says.
        unsafe { out.write(end) };
    }
    status
}

/// What the last call of this thread had to say; empty when all was well. Valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn bsf_message() -> *const c_char {
    MESSAGE.with_borrow(|told| told.as_ptr())
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn bsf_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
