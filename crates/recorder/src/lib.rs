//! The recorder: a C library over the profiling interface of MPI (MPI 4.0, chapter 15), which goes into other people's
//! programs by `LD_PRELOAD`. This crate holds it as text; `runcast record` has the user's own `mpicc` compile it.
//!
//! | file | holds |
//! |---|---|
//! | `base` | settings, memory, hashing |
//! | `stream`, `fold` | integers in order as few terms; repeated calls as loops, while they run |
//! | `stat`, `clock`, `count` | times of blocks and calls; hardware counters |
//! | `site` | call sites |
//! | `handles`, `event` | communicators, datatypes and requests; a thread's calls on their way into its tree |
//! | `file`, `meta`, `life` | the file of a rank; from `MPI_Init` to `MPI_Finalize`, signals |
//! | `codes`, `p2p`, `wait`, `collective`, `groups`, `window`, `io` | the calls themselves |
//! | `names` | the names by which Fortran calls them |
//!
//! The parts are one translation unit, in the order of [`SOURCE`].

macro_rules! joined {
    ($($name:literal),+ $(,)?) => {
        /// The source, one file for a C99 compiler with the extensions of GNU.
        pub const SOURCE: &str = concat!($(include_str!(concat!("../c/", $name, ".c")), "\n"),+);
    };
}

joined!(
    "base",
    "codes",
    "stream",
    "stat",
    "fold",
    "clock",
    "count",
    "site",
    "handles",
    "event",
    "file",
    "meta",
    "life",
    "p2p",
    "wait",
    "collective",
    "groups",
    "window",
    "io",
    "names",
);

/// What compiles and links it, after `mpicc`, the source and `-o LIBRARY`.
///
/// Nothing of MPI is linked: the library finds it in the program that it is loaded into, and does nothing where there is
/// none, as in a shell that is preloaded, too.
pub const FLAGS: &[&str] = &["-O2", "-fPIC", "-shared", "-w", "-Wl,--as-needed", "-ldl", "-lpthread", "-lm"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_in_the_source() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/c");
        for entry in std::fs::read_dir(folder).expect("the parts") {
            let part = std::fs::read_to_string(entry.expect("an entry").path()).expect("text");
            assert!(SOURCE.contains(&part), "{}", part.lines().next().unwrap_or_default());
        }
    }
}
