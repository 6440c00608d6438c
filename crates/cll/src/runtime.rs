//! The run-time library of translated C and C++ programs, as text: `runcast cll runtime` writes it out.

/// Names and texts of its files.
///
/// ```
/// let names: Vec<&str> = runcast_cll::runtime::FILES.iter().map(|(name, _)| *name).collect();
/// assert!(names == ["cll.h", "cll_mpi.h", "pub.h"]);
/// ```
pub const FILES: &[(&str, &str)] = &[
    ("cll.h", include_str!("../runtime/cll.h")),
    ("cll_mpi.h", include_str!("../runtime/cll_mpi.h")),
    ("pub.h", include_str!("../runtime/pub.h")),
];
