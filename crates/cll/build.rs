//! Compiles the run-time library, which is the one of C programs: a C compiler is needed, as for linking.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "trace")]
    library();
}

#[cfg(feature = "trace")]
fn library() {
    for source in ["shim/cll.c", "runtime/cll.h"] {
        println!("cargo::rerun-if-changed={source}");
    }
    println!("cargo::rustc-env=RUNCAST_CLL_COMPILER={}", compiler());
    // Always optimized: what a pair of calls costs is taken out of every time.
    cc::Build::new().file("shim/cll.c").std("c11").opt_level(2).debug(false).warnings(true).compile("runcast_cll");
}

/// What traces say of the compiler, such as `rustc 1.95.0`.
#[cfg(feature = "trace")]
fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = std::process::Command::new(rustc).arg("--version").output();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(2).collect();
    if words.len() == 2 { words.join(" ") } else { "rustc".to_owned() }
}
