//! What a caller has passed, copied and checked.

use super::abi::{ABI, Algorithm, Job, Options, Status};
use super::lines::Lines;
use std::ffi::{CStr, c_char, c_void};
use std::path::PathBuf;

/// Structures of the caller, complete and of this version.
pub(super) struct Given {
    pub algorithm: Algorithm,
    pub name: String,
    pub parameters: String,
    pub jobs: Vec<Job>,
    pub options: Options,
    pub files: Files,
    /// The caller's approximation; written at the end alone.
    pub x: *mut c_void,
    pub first: Lines,
}

/// The files that the options name.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub checkpoint: Option<PathBuf>,
    pub resume: Option<PathBuf>,
    pub timings: Option<PathBuf>,
    pub trace: Option<PathBuf>,
}

/// Why there is no outcome.
#[derive(Debug)]
pub(super) struct Failure {
    pub status: Status,
    pub message: String,
}

/// Something wrong with a field.
pub(super) fn usage(message: impl Into<String>) -> Failure {
    Failure { status: Status::Usage, message: message.into() }
}

/// The most jobs of an algorithm: more are not meant.
const JOBS_MOST: i32 = 1 << 16;
/// The most bytes of an approximation or a partial result: a size above is a negative number.
const BYTES_MOST: usize = isize::MAX as usize / 2;

impl Given {
    /// Copies and checks everything.
    ///
    /// # Safety
    /// As of `bsf_run`.
    pub unsafe fn read(algorithm: *const Algorithm, options: *const Options, x: *mut c_void) -> Result<Given, Failure> {
        // SAFETY: whatever is not null is as the caller has promised.
        unsafe {
            let algorithm = structure(algorithm, EMPTY_ALGORITHM, "algorithm")?;
            let options = if options.is_null() {
                Options::automatic()
            } else {
                structure(options, Options::automatic(), "options")?
            };
            if x.is_null() {
                return Err(usage("x is NULL"));
            }
            if algorithm.x_bytes == 0 || algorithm.x_bytes > BYTES_MOST {
                return Err(usage(format!("algorithm.x_bytes is {}; allowed are 1 and more", algorithm.x_bytes)));
            }
            let jobs = jobs(&algorithm)?;
            let name = text(algorithm.name, "algorithm.name")?.unwrap_or_else(|| "c".to_owned());
            let parameters = text(algorithm.parameters, "algorithm.parameters")?.unwrap_or_default();
            let path = |at, field| text(at, field).map(|text| text.map(PathBuf::from));
            let files = Files {
                checkpoint: path(options.checkpoint, "options.checkpoint")?,
                resume: path(options.resume, "options.resume")?,
                timings: path(options.timings, "options.timings")?,
                trace: path(options.trace, "options.trace")?,
            };
            let first = Lines::copy_of(std::slice::from_raw_parts(x.cast::<u8>(), algorithm.x_bytes));
            Ok(Given { algorithm, name, parameters, jobs, options, files, x, first })
        }
    }
}

const EMPTY_ALGORITHM: Algorithm = Algorithm {
    abi: ABI,
    size: 0,
    name: std::ptr::null(),
    parameters: std::ptr::null(),
    jobs: std::ptr::null(),
    job_count: 0,
    x_bytes: 0,
    dispatch: None,
    output: None,
    data: std::ptr::null_mut(),
};

const EMPTY_JOB: Job = Job {
    abi: ABI,
    size: 0,
    list_length: 0,
    partial_bytes: 0,
    data: std::ptr::null_mut(),
    set_up: None,
    tear_down: None,
    identity: None,
    map_fold: None,
    combine: None,
    compute: None,
};

/// A structure that begins with `abi` and `size`; what an older header did not have stays as in `rest`.
///
/// # Safety
/// Null, or as many bytes as its field `size` says.
unsafe fn structure<T: Copy>(at: *const T, rest: T, name: &str) -> Result<T, Failure> {
    if at.is_null() {
        return Err(usage(format!("{name} is NULL")));
    }
    // SAFETY: every version begins with the two fields.
    let [abi, size] = unsafe { at.cast::<[u32; 2]>().read_unaligned() };
    if abi != ABI {
        return Err(usage(format!("{name}.abi is {abi}; this library has {ABI}")));
    }
    let (size, whole) = (size as usize, size_of::<T>());
    if !(8..=whole).contains(&size) {
        return Err(usage(format!("{name}.size is {size}; allowed are 8 to {whole}")));
    }
    let mut copy = rest;
    // SAFETY: so many bytes are there on both sides, and any bytes are plain numbers or pointers.
    unsafe { std::ptr::copy_nonoverlapping(at.cast::<u8>(), (&raw mut copy).cast::<u8>(), size) };
    Ok(copy)
}

/// The jobs, which follow each other at the distance that the first one tells.
///
/// # Safety
/// As of `bsf_run`.
unsafe fn jobs(algorithm: &Algorithm) -> Result<Vec<Job>, Failure> {
    let count = algorithm.job_count;
    if !(1..=JOBS_MOST).contains(&count) {
        return Err(usage(format!("algorithm.job_count is {count}; allowed are 1 to {JOBS_MOST}")));
    }
    if algorithm.jobs.is_null() {
        return Err(usage("algorithm.jobs is NULL"));
    }
    // SAFETY: there is one at least.
    let stride = unsafe { algorithm.jobs.cast::<[u32; 2]>().read_unaligned() }[1] as usize;
    let mut jobs = Vec::new();
    for place in 0..count as usize {
        // SAFETY: the caller has so many.
        let job = unsafe {
            let at = algorithm.jobs.cast::<u8>().add(place * stride).cast::<Job>();
            structure(at, EMPTY_JOB, &format!("jobs[{place}]"))?
        };
        check(&job).map_err(|wrong| usage(format!("jobs[{place}].{wrong}")))?;
        jobs.push(job);
    }
    Ok(jobs)
}

/// What is wrong with a job.
fn check(job: &Job) -> Result<(), String> {
    if job.list_length == 0 {
        return Err("list_length is 0; allowed are 1 and more".to_owned());
    }
    if job.map_fold.is_none() {
        return Err("map_fold is NULL".to_owned());
    }
    if job.compute.is_none() {
        return Err("compute is NULL".to_owned());
    }
    if job.partial_bytes > BYTES_MOST {
        return Err(format!("partial_bytes is {}, which is too large", job.partial_bytes));
    }
    if job.combine.is_none() && !job.partial_bytes.is_multiple_of(8) {
        return Err(format!(
            "partial_bytes is {}; without combine, which then adds doubles, it is a multiple of 8",
            job.partial_bytes
        ));
    }
    Ok(())
}

/// A text of the caller.
///
/// # Safety
/// Null, or ended by a zero.
unsafe fn text(at: *const c_char, field: &str) -> Result<Option<String>, Failure> {
    if at.is_null() {
        return Ok(None);
    }
    // SAFETY: as promised.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map(|text| Some(text.to_owned())).map_err(|_| usage(format!("{field} is not UTF-8")))
}
