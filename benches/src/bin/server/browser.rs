//! Scripts in a real browser, on a server of their own.

use crate::served::{Served, folder, program};
use runcast_bench::Supervised;
use runcast_benches::page::root;
use serde_json::Value;
use std::time::Duration;

/// How long a script may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs `benches/browser/NAME.mjs` on a fresh server with 2 workers: the JSON of its last line.
pub fn measure(name: &str, options: &[(&str, String)]) -> Result<Value, String> {
    install()?;
    let folder = folder()?;
    let served = Served::start(folder.path(), &["--workers", "2"])?;
    let script = root().join("benches/browser").join(name).with_extension("mjs");
    let mut node = Supervised::new(["node".into(), script.into_os_string()]);
    node.env.push(("RUNCAST_URL".into(), served.url.clone().into()));
    node.env.push(("RUNCAST_BIN".into(), program()?.into_os_string()));
    node.env.extend(options.iter().map(|(name, value)| ((*name).into(), value.into())));
    node.time_limit = Some(PATIENCE);
    let finished = node.run_quietly();
    served.stop()?;
    if !finished.end.is_ok() {
        return Err(format!("{name}.mjs: {}: {}{}", finished.end.status(), finished.stdout_tail, finished.stderr_tail));
    }
    let line = finished.stdout_tail.lines().last().unwrap_or_default();
    serde_json::from_str(line).map_err(|error| format!("{name}.mjs: {error}: {line}"))
}

/// The tools of the browser tests in `web/`, once.
fn install() -> Result<(), String> {
    let web = root().join("web");
    if web.join("node_modules/playwright-core").is_dir() {
        return Ok(());
    }
    let argv = ["npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    let npm = Supervised { workdir: Some(web), time_limit: Some(PATIENCE), ..Supervised::new(argv) };
    let finished = npm.run_quietly();
    if finished.end.is_ok() { Ok(()) } else { Err(format!("npm ci: {}", finished.stderr_tail)) }
}

/// The numbers of a list.
pub fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
