//! Nobody gets out, and nothing stays behind.

use crate::{command, executable, run, script, words};
use runcast_server::task::{Code, Launcher, Limits, Process, Sandbox};
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn the_sandbox_is_in_full_force_and_every_attempt_is_denied() {
    let launcher = Launcher::new(executable()).await;
    let probed = launcher.probed();
    assert_eq!(probed.allowed, Vec::<String>::new());
    assert_eq!(probed.denied.len(), 10, "{probed:?}");
    assert!(probed.seccomp, "{probed:?}");
    // An older kernel may lack Landlock; system calls are filtered all the same.
    if probed.landlock || std::env::var_os("RUNCAST_REQUIRE_ALL").is_some() {
        assert_eq!(launcher.sandbox(), Sandbox::Full);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executable_that_is_none_gives_no_sandbox_and_a_crash() {
    let launcher = Launcher::new(std::path::Path::new("/nowhere/runcast")).await;
    assert_eq!(launcher.sandbox(), Sandbox::Limits);
    let (outcome, _) = run(&launcher, script("", Limits::default())).await;
    assert_eq!(outcome.code, Some(Code::Crashed));
    let (outcome, _) =
        run(&Launcher::new(std::path::Path::new("/bin/true")).await, script("", Limits::default())).await;
    assert_eq!(outcome.code, Some(Code::Crashed));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_stopped_from_outside_and_when_nobody_waits_for_it() {
    let launcher = Launcher::new(executable()).await;
    let endless = || script("while true do end", Limits { cpu_s: 60, ..Limits::default() });
    let spec = endless();
    let stop = spec.stop.clone();
    let begun = Instant::now();
    let waiting = tokio::spawn({
        let launcher = launcher.clone();
        async move { Process::run_quietly(&launcher, spec).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    stop.stop();
    let outcome = waiting.await.expect("it ends");
    assert_eq!(outcome.code, Some(Code::Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());

    let spec = endless();
    let stop = spec.stop.clone();
    let given_up = tokio::time::timeout(Duration::from_millis(200), Process::run_quietly(&launcher, spec)).await;
    assert!(given_up.is_err() && stop.is_stopped());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_file_of_the_machine_is_seen() {
    let launcher = Launcher::new(executable()).await;
    let (outcome, _) =
        run(&launcher, command(words("fit ../../etc/passwd"), None, Vec::new(), Limits::default())).await;
    assert_eq!((outcome.exit, outcome.code), (2, Some(Code::Input)), "{outcome:?}");
    let (outcome, _) = run(&launcher, command(words("fit /etc/passwd"), None, Vec::new(), Limits::default())).await;
    assert_eq!(outcome.code, Some(Code::Input), "{outcome:?}");
    let llac = ["llac", "-e", "load \"/etc/passwd\" as t"].map(str::to_owned).to_vec();
    let (outcome, _) = run(&launcher, command(llac, None, Vec::new(), Limits::default())).await;
    assert_eq!(outcome.code, Some(Code::Input), "{outcome:?}");
}
