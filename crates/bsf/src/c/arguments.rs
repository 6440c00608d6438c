//! Options from the command line of the caller's program.

use super::abi::Options;
use runcast_core::table::number;
use std::ffi::{CStr, c_char, c_int};

/// Sets an option from its value.
enum Set {
    Count(fn(&mut Options) -> &mut i32),
    Long(fn(&mut Options) -> &mut u64),
    Real(fn(&mut Options) -> &mut f64),
    Text(fn(&mut Options) -> &mut *const c_char),
    Word(fn(&mut Options) -> &mut i32, &'static [&'static str]),
    Flag(fn(&mut Options) -> &mut i32),
    /// A number of iterations (`100`), or seconds (`30s`).
    Every,
}

/// The options, as `runcast bsf run` calls them; words count from 1.
const OPTIONS: &[(&str, Set)] = &[
    ("--backend", Set::Word(|options| &mut options.backend, &["serial", "threads", "mpi"])),
    ("--workers", Set::Count(|options| &mut options.workers)),
    ("--threads", Set::Count(|options| &mut options.threads)),
    ("--collective", Set::Word(|options| &mut options.collective, &["flat", "tree", "auto"])),
    ("--wait", Set::Word(|options| &mut options.wait, &["spin", "sleep"])),
    ("--reproducible", Set::Flag(|options| &mut options.reproducible)),
    ("--iterations", Set::Long(|options| &mut options.iterations)),
    ("--max-iterations", Set::Long(|options| &mut options.max_iterations)),
    ("--print-every", Set::Long(|options| &mut options.output_every)),
    ("--time-limit", Set::Real(|options| &mut options.time_limit_s)),
    ("--divergence-factor", Set::Real(|options| &mut options.divergence_factor)),
    ("--checkpoint", Set::Text(|options| &mut options.checkpoint)),
    ("--checkpoint-every", Set::Every),
    ("--resume", Set::Text(|options| &mut options.resume)),
    ("--timings", Set::Text(|options| &mut options.timings)),
    ("--trace", Set::Text(|options| &mut options.trace)),
];

/// Reads the options, and leaves the other arguments in their order.
///
/// # Safety
/// As of `bsf_options_from_args`.
pub(super) unsafe fn read(options: *mut Options, argc: *mut c_int, argv: *mut *mut c_char) -> Result<(), String> {
    if options.is_null() || argc.is_null() || argv.is_null() {
        return Err("options, argc or argv is NULL".to_owned());
    }
    // SAFETY: as promised.
    let (options, argc) = unsafe { (&mut *options, &mut *argc) };
    let count = usize::try_from(*argc).map_err(|_| format!("argc is {argc}"))?;
    // SAFETY: as promised.
    let argv = unsafe { std::slice::from_raw_parts_mut(argv, count) };
    let (mut left, mut place) = (0, 0);
    let mut seen_end = false;
    while place < count {
        let taken = if place == 0 || seen_end { 0 } else { take(options, &argv[place..])? };
        if taken == 0 {
            // SAFETY: as promised.
            seen_end |= unsafe { text_of(argv[place]) } == Some("--");
            argv[left] = argv[place];
            left += 1;
        }
        place += taken.max(1);
    }
    if let Some(end) = argv.get_mut(left) {
        *end = std::ptr::null_mut();
    }
    *argc = left as c_int;
    Ok(())
}

/// How many arguments are an option of ours, which is set.
fn take(options: &mut Options, arguments: &[*mut c_char]) -> Result<usize, String> {
    // SAFETY: as of `read`.
    let Some(text) = (unsafe { text_of(arguments[0]) }) else { return Ok(0) };
    let (name, joined) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let Some((_, set)) = OPTIONS.iter().find(|option| option.0 == name) else { return Ok(0) };
    if let Set::Flag(field) = set {
        *field(options) = 1;
        return if joined.is_some() { Err(format!("{name} takes no value")) } else { Ok(1) };
    }
    let (value, taken) = match joined {
        // The text of the caller from behind the sign on: it outlives the options.
        // SAFETY: within the argument.
        Some(_) => (unsafe { arguments[0].add(name.len() + 1) }, 1),
        None => (*arguments.get(1).ok_or_else(|| format!("{name} needs a value"))?, 2),
    };
    // SAFETY: as of `read`.
    let text = unsafe { text_of(value) }.ok_or_else(|| format!("{name} needs a value in UTF-8"))?;
    assign(options, set, text, value).map_err(|allowed| format!("{name} is {text}; allowed are {allowed}"))?;
    Ok(taken)
}

/// Sets an option; what is allowed if that is not possible.
fn assign(options: &mut Options, set: &Set, text: &str, value: *const c_char) -> Result<(), String> {
    match set {
        Set::Count(field) => {
            let count = text.parse().ok().filter(|count| *count > 0);
            *field(options) = count.ok_or("numbers from 1 on")?;
        }
        Set::Long(field) => {
            let count = text.parse().ok().filter(|count| *count > 0);
            *field(options) = count.ok_or("numbers from 1 on")?;
        }
        Set::Real(field) => {
            *field(options) = positive(text).ok_or("numbers above 0, in seconds where they are times")?
        }
        Set::Text(field) => *field(options) = value,
        Set::Word(field, words) => {
            let place = words.iter().position(|word| *word == text).ok_or_else(|| words.join(", "))?;
            *field(options) = place as i32 + 1;
        }
        Set::Every => match (text.parse(), text.strip_suffix('s').and_then(positive)) {
            (Ok(iterations), _) if iterations > 0 => options.checkpoint_every = iterations,
            (_, Some(seconds)) => options.checkpoint_every_s = seconds,
            _ => return Err("a number of iterations, such as 100, or a time, such as 30s".to_owned()),
        },
        Set::Flag(field) => *field(options) = 1,
    }
    Ok(())
}

/// A number above 0, `s` for seconds behind it or not.
fn positive(text: &str) -> Option<f64> {
    number::parse(text.strip_suffix('s').unwrap_or(text)).filter(|value| *value > 0.0 && value.is_finite())
}

/// # Safety
/// Null, or ended by a zero.
unsafe fn text_of<'a>(at: *const c_char) -> Option<&'a str> {
    // SAFETY: as promised.
    if at.is_null() { None } else { unsafe { CStr::from_ptr(at) }.to_str().ok() }
}
