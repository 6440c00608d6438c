//! The structures that `bsf.h` declares, field by field.

use std::ffi::{c_char, c_int, c_void};

/// The version of the layout of the structures, `BSF_ABI`.
pub const ABI: u32 = 1;

/// Why a run ended, `bsf_status`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Converged,
    Finished,
    Diverged,
    IterationLimit,
    TimeLimit,
    Interrupted,
    /// A function returned an error, or the library failed.
    Failed,
    /// What was passed is wrong.
    Usage,
}

/// The state of a run, `bsf_at`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct At {
    pub iteration: u64,
    pub counter: u64,
    pub elapsed_s: f64,
    pub job: i32,
    pub worker: i32,
    pub workers: i32,
}

/// `set_up`.
pub type SetUp = unsafe extern "C" fn(*mut c_void, u64, u64, *mut *mut c_void) -> c_int;
/// `tear_down`; `identity`, with the partial result in the place of the block.
pub type OnMemory = unsafe extern "C" fn(*mut c_void, *mut c_void);
/// `map_fold`.
pub type MapFold = unsafe extern "C" fn(*mut c_void, *mut c_void, u64, u64, *const c_void, *mut c_void) -> i64;
/// `combine`.
pub type Combine = unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void);
/// `compute`.
pub type Compute =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, *const At, *mut f64, *mut i32) -> c_int;
/// `dispatch` and `output`.
pub type Look = unsafe extern "C" fn(*mut c_void, *const c_void, *const At) -> c_int;

/// `bsf_job`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Job {
    pub abi: u32,
    pub size: u32,
    pub list_length: u64,
    pub partial_bytes: usize,
    pub data: *mut c_void,
    pub set_up: Option<SetUp>,
    pub tear_down: Option<OnMemory>,
    pub identity: Option<OnMemory>,
    pub map_fold: Option<MapFold>,
    pub combine: Option<Combine>,
    pub compute: Option<Compute>,
}

/// `bsf_algorithm`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    pub abi: u32,
    pub size: u32,
    pub name: *const c_char,
    pub parameters: *const c_char,
    pub jobs: *const Job,
    pub job_count: i32,
    pub x_bytes: usize,
    pub dispatch: Option<Look>,
    pub output: Option<Look>,
    pub data: *mut c_void,
}

/// `bsf_options`; 0 and null stand for automatic.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub abi: u32,
    pub size: u32,
    pub backend: i32,
    pub workers: i32,
    pub threads: i32,
    pub collective: i32,
    pub wait: i32,
    pub reproducible: i32,
    pub iterations: u64,
    pub max_iterations: u64,
    pub output_every: u64,
    pub checkpoint_every: u64,
    pub time_limit_s: f64,
    pub divergence_factor: f64,
    pub checkpoint_every_s: f64,
    pub checkpoint: *const c_char,
    pub resume: *const c_char,
    pub timings: *const c_char,
    pub trace: *const c_char,
    pub mpi_comm: i32,
}

impl Options {
    /// All of them automatic.
    pub fn automatic() -> Self {
        let none = std::ptr::null();
        Options {
            abi: ABI,
            size: size_of::<Options>() as u32,
            backend: 0,
            workers: 0,
            threads: 0,
            collective: 0,
            wait: 0,
            reproducible: 0,
            iterations: 0,
            max_iterations: 0,
            output_every: 0,
            checkpoint_every: 0,
            time_limit_s: 0.0,
            divergence_factor: 0.0,
            checkpoint_every_s: 0.0,
            checkpoint: none,
            resume: none,
            timings: none,
            trace: none,
            mpi_comm: 0,
        }
    }
}

/// `bsf_outcome`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    pub status: Status,
    pub is_master: i32,
    pub iterations: u64,
    pub counter: u64,
    pub time_s: f64,
    pub step_norm: f64,
    pub growth_rate: f64,
    pub digest: [c_char; 65],
    pub message: [c_char; 512],
}
