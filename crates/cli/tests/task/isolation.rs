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

/// A point of a sweep whose script keeps a text.
fn secret(text: &str) -> runcast_server::task::Spec {
    script(
        &format!(
            "local kept = string.rep('{text}', 50)\nlabel{{ 'w', count = 1, run = function() compute{{ time = #kept }} end }}"
        ),
        Limits::default(),
    )
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn tasks_are_forks_of_a_process_that_reads_nothing_of_them() {
    let launcher = Launcher::new(executable()).await;
    if launcher.sandbox() != Sandbox::Full {
        assert!(!launcher.forks());
        return;
    }
    let root = launcher.root().expect("a process that forks");
    for number in 0..20 {
        let (outcome, _) = run(&launcher, secret(&format!("marked-{number}-text"))).await;
        assert_eq!(outcome.code, None, "{outcome:?}");
    }
    assert_eq!(launcher.root(), Some(root), "all are forks of one");
    let status = std::fs::read_to_string(format!("/proc/{root}/status")).expect("it lives");
    assert!(status.contains("Threads:\t1\n"), "a fork of one with threads would lack them:\n{status}");
    let memory = writable_memory(root);
    let has = |text: &[u8]| memory.windows(text.len()).any(|bytes| bytes == text);
    assert!(!has(b"-text"), "nothing of a task is left in it");
    // The search does find what is there.
    assert!(has(b"task-root"));
}

/// All that a process may write to.
#[cfg(target_os = "linux")]
fn writable_memory(pid: u32) -> Vec<u8> {
    use std::os::unix::fs::FileExt as _;
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("its memory");
    let memory = std::fs::File::open(format!("/proc/{pid}/mem")).expect("a child of this process");
    let mut all = Vec::new();
    for line in maps.lines().filter(|line| line.split(' ').nth(1).is_some_and(|rights| rights.starts_with("rw"))) {
        let (from, to) = line.split(' ').next().and_then(|range| range.split_once('-')).expect("a range");
        let [from, to] = [from, to].map(|text| u64::from_str_radix(text, 16).expect("an address"));
        let mut part = vec![0; usize::try_from(to - from).expect("small")];
        memory.read_exact_at(&mut part, from).expect("readable");
        all.extend(part);
    }
    all
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn when_the_process_that_forks_dies_tasks_go_on_and_another_takes_its_place() {
    let launcher = Launcher::new(executable()).await;
    let Some(root) = launcher.root() else { return };
    let kill = || {
        let pid = i32::try_from(root).ok().and_then(rustix::process::Pid::from_raw).expect("a process");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it lives");
    };
    let endless = script("while true do end", Limits { cpu_s: 60, ..Limits::default() });
    let running = tokio::spawn({
        let launcher = launcher.clone();
        async move { Process::run_quietly(&launcher, endless).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    kill();
    let outcome = running.await.expect("it ends");
    assert_eq!(outcome.code, Some(Code::Crashed), "its child ends with it");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let until = Instant::now() + Duration::from_secs(20);
    while launcher.root() == Some(root) && Instant::now() < until {
        let (outcome, _) = run(&launcher, secret("x")).await;
        assert_eq!(outcome.code, None, "{outcome:?}");
    }
    assert!(launcher.root().is_some_and(|new| new != root), "{:?}", launcher.root());
    let (outcome, _) = run(&launcher, secret("x")).await;
    assert_eq!(outcome.code, None, "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn many_tasks_of_one_process_go_side_by_side() {
    let launcher = Launcher::new(executable()).await;
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let launcher = launcher.clone();
            tokio::spawn(async move { Process::run_quietly(&launcher, secret(&number.to_string())).await })
        })
        .collect();
    let mut documents = std::collections::HashSet::new();
    for task in tasks {
        let outcome = task.await.expect("it ends");
        assert_eq!(outcome.code, None, "{outcome:?}");
        documents.insert(outcome.document.expect("a result"));
    }
    // They name the script that was run by its digest: each task had its own work.
    assert_eq!(documents.len(), 40);
}
