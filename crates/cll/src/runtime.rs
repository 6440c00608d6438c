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

/// The first part of `cll.h`, which is all that a compiler needs where the rest has been compiled already.
pub fn declarations() -> &'static str {
    let whole = FILES[0].1;
    let rest = whole.find("the cold part */").and_then(|at| whole[..at].rfind("/*"));
    &whole[..rest.unwrap_or(whole.len())]
}

#[cfg(test)]
mod tests {
    #[test]
    fn declarations_are_a_small_part() {
        let part = super::declarations();
        assert!(part.trim_end().ends_with("#endif"));
        assert!(part.len() < super::FILES[0].1.len() / 10, "{}", part.len());
    }
}
