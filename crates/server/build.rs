//! Builds the pages (`web/`) into OUT_DIR, from where `src/ui.rs` embeds them.
//!
//! `RUNCAST_UI=none` leaves them out, `RUNCAST_UI=require` makes a build without them fail; else a build that cannot
//! make them says why and goes on. Nothing is written outside of OUT_DIR.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the pages are made from, below `web/`.
const INPUTS: [&str; 8] = [
    "index.html",
    "package.json",
    "package-lock.json",
    "svelte.config.js",
    "tsconfig.json",
    "vite.config.ts",
    "public",
    "src",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUNCAST_UI");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let web = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../web");
    let wish = env::var("RUNCAST_UI").unwrap_or_default();
    let made = if wish == "none" {
        Err("this program was built with RUNCAST_UI=none".to_owned())
    } else {
        for input in INPUTS {
            println!("cargo:rerun-if-changed={}", web.join(input).display());
        }
        pages(&web, &out.join("web"))
    };
    if let Err(reason) = &made {
        assert!(wish != "require", "RUNCAST_UI=require, but {reason}");
        if wish != "none" {
            println!("cargo:warning=the pages were not built, the API works without them: {reason}");
            println!(
                "cargo:warning=for the pages: install Node.js 20 and npm, touch crates/server/build.rs, build again"
            );
        }
    }
    let list = match &made {
        Ok(dist) => listing(dist),
        Err(reason) => Ok(format!("Built {{ assets: &[], index: Err({reason:?}) }}")),
    };
    let list = list.unwrap_or_else(|error| format!("Built {{ assets: &[], index: Err({:?}) }}", error.to_string()));
    fs::write(out.join("ui_built.rs"), list).expect("OUT_DIR can be written");
}

/// Makes the pages in `work` and answers where they are. Does nothing when they are already made from the same inputs.
fn pages(web: &Path, work: &Path) -> Result<PathBuf, String> {
    if !web.join("package.json").is_file() {
        return Err("the folder web/ is not there".to_owned());
    }
    let dist = work.join("dist");
    let stamp = digest(web, &INPUTS).map_err(|error| format!("web/ cannot be read: {error}"))?;
    if fs::read_to_string(work.join("stamp")).is_ok_and(|kept| kept == stamp) && dist.join("index.html").is_file() {
        return Ok(dist);
    }
    let copied = fs::create_dir_all(work).and_then(|()| INPUTS.iter().try_for_each(|input| copy(web, work, input)));
    copied.map_err(|error| format!("web/ cannot be copied: {error}"))?;
    install(web, work)?;
    let mut vite = Command::new("node");
    vite.args(["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", "--outDir", "dist", "--emptyOutDir"]);
    run(vite.current_dir(work), "vite build")?;
    fs::write(work.join("stamp"), stamp).map_err(|error| error.to_string())?;
    Ok(dist)
}

/// `npm ci`, only when the lock file is another one than last time. Tools of the tests are left out.
fn install(web: &Path, work: &Path) -> Result<(), String> {
    let lock = digest(web, &["package.json", "package-lock.json"]).map_err(|error| error.to_string())?;
    let kept = work.join("node_modules/.runcast-lock");
    if fs::read_to_string(&kept).is_ok_and(|last| last == lock) {
        return Ok(());
    }
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args([
        "ci",
        "--omit=dev",
        "--prefer-offline",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]);
    run(npm.current_dir(work), "npm ci")?;
    fs::write(kept, lock).map_err(|error| error.to_string())
}

fn run(command: &mut Command, name: &str) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program} cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stderr, output.stdout].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(6).collect();
    Err(format!("{name} failed: {}", lines.join("; ")))
}

/// Over names and contents of files, in order.
fn digest(root: &Path, inputs: &[&str]) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    for input in inputs {
        for file in files(&root.join(input))? {
            hasher.write(file.strip_prefix(root).unwrap_or(&file).to_string_lossy().as_bytes());
            hasher.write_u8(0);
            let bytes = fs::read(&file)?;
            hasher.write_usize(bytes.len());
            hasher.write(&bytes);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The file itself, or all below a folder, sorted.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        // Tests are not part of the pages.
        if !entry.to_string_lossy().ends_with(".test.ts") {
            found.extend(files(&entry)?);
        }
    }
    Ok(found)
}

/// Copies an input anew, so that what was removed is gone.
fn copy(from: &Path, to: &Path, input: &str) -> io::Result<()> {
    if to.join(input).is_dir() {
        fs::remove_dir_all(to.join(input))?;
    }
    for file in files(&from.join(input))? {
        let target = to.join(file.strip_prefix(from).unwrap_or(&file));
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(&file, &target)?;
    }
    Ok(())
}

/// The pages as an expression of Rust: `ui.rs` includes it.
fn listing(dist: &Path) -> io::Result<String> {
    let mut text = String::from("Built { assets: &[\n");
    for file in files(dist)? {
        let name = file.strip_prefix(dist).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        if name == "index.html" || name.ends_with(".gz") {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(&fs::read(&file)?);
        let packed = PathBuf::from(format!("{}.gz", file.display()));
        let gzip = packed.is_file();
        let etag = format!("\"{:016x}\"", hasher.finish());
        writeln!(
            text,
            "Asset {{ path: {:?}, etag: {etag:?}, bytes: include_bytes!({:?}), gzip: {gzip} }},",
            format!("/{name}"),
            if gzip { &packed } else { &file }
        )
        .map_err(io::Error::other)?;
    }
    writeln!(text, "], index: Ok(include_str!({:?})) }}", dist.join("index.html")).map_err(io::Error::other)?;
    Ok(text)
}
