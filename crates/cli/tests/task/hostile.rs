//! Scripts that want to take the machine with them end within their limits.

use crate::{executable, run, script};
use runcast_server::task::{Code, Launcher, Limits, Outcome};
use std::time::{Duration, Instant};

const SMALL: Limits = Limits { memory_bytes: 256 << 20, cpu_s: 2, wall_ms: 60_000, output_bytes: 4 << 20, threads: 1 };

async fn ends(text: &str, limits: Limits) -> (Outcome, Duration) {
    let launcher = Launcher::new(executable()).await;
    let begun = Instant::now();
    let (outcome, _) = run(&launcher, script(text, limits)).await;
    (outcome, begun.elapsed())
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_scripts_end_within_their_limits() {
    use Code::{Failed, Input, LimitCpu, LimitMemory};
    let corpus: &[(&str, &str, &[Code])] = &[
        ("endless loop", "while true do end", &[Failed, LimitCpu]),
        ("loop in pcall", "while true do pcall(function() while true do end end) end", &[Failed, LimitCpu]),
        (
            "loop in coroutines",
            "while true do coroutine.wrap(function() while true do coroutine.yield() end end)() end",
            &[Input, Failed, LimitCpu, LimitMemory],
        ),
        ("string bomb", "local s = 'x' while true do s = s .. s end", &[LimitMemory, Failed]),
        (
            "repeated string",
            "local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1e7) .. i end",
            &[LimitMemory, Failed],
        ),
        ("table bomb", "local t = {} for i = 1, 1e9 do t[i] = {i, {i}} end", &[LimitMemory, Failed, LimitCpu]),
        (
            "bomb in pcall",
            "while true do pcall(function() local t = {} while true do t[#t+1] = string.rep('y', 1e6) .. #t end end) end",
            &[LimitMemory, Failed, LimitCpu],
        ),
        (
            "backtracking",
            "local s = string.rep('a', 30000) string.find(s, string.rep('.-', 60) .. 'b')",
            &[Failed, LimitCpu, Input],
        ),
        ("deep nesting", "local f = loadstring or load; local s = string.rep('(', 1e6) error(s)", &[Input, Failed]),
        ("deep recursion", "local function f(n) return 1 + f(n + 1) end f(1)", &[Input, Failed, LimitMemory]),
        (
            "a million coroutines",
            "local t = {} for i = 1, 1e6 do local c = coroutine.create(function() coroutine.yield() end) coroutine.resume(c) t[i] = c end",
            &[LimitMemory, Failed, LimitCpu, Input],
        ),
        (
            "a gigabyte of log",
            "local s = string.rep('x', 1e6) for i = 1, 1000 do log(s) end error('done')",
            &[Input, Failed, LimitMemory, LimitCpu],
        ),
        ("no such library", "os.execute('true')", &[Input]),
        ("no debug", "debug.sethook()", &[Input]),
        ("no require", "require('x')", &[Input]),
        ("no getfenv", "getfenv(0)", &[Input]),
        ("no io", "io.open('/etc/passwd')", &[Input]),
    ];
    for (name, text, codes) in corpus {
        let (outcome, took) = ends(text, SMALL).await;
        let code = outcome.code.unwrap_or_else(|| panic!("{name} ended well: {outcome:?}"));
        assert!(codes.contains(&code), "{name}: {code}: {:?}", outcome.problems);
        assert!(took < Duration::from_secs(65), "{name} took {took:?}");
        assert!(outcome.log.len() < (1 << 20) + 100, "{name}");
        assert!(!outcome.problems.is_empty(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_limit_has_its_code() {
    let (outcome, _) = ends("while true do end", Limits { cpu_s: 1, ..Limits::default() }).await;
    assert_eq!(outcome.code, Some(Code::LimitCpu), "{outcome:?}");
    assert!((0.9..2.5).contains(&outcome.cpu_s), "{}", outcome.cpu_s);
    let (outcome, took) = ends("while true do end", Limits { wall_ms: 1000, ..Limits::default() }).await;
    assert_eq!(outcome.code, Some(Code::LimitWall), "{outcome:?}");
    assert!(took < Duration::from_secs(5));
    let bomb = "local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1e6) .. i end";
    let (outcome, _) = ends(bomb, Limits { memory_bytes: 128 << 20, ..Limits::default() }).await;
    assert_eq!(outcome.code, Some(Code::LimitMemory), "{outcome:?}");
    // The document of so many processes is longer than is allowed.
    let many = "label{ 'p', count = 8, run = function(rank) compute{ time = 1e-3 } end }";
    let (outcome, _) = ends(many, Limits { output_bytes: 100, ..Limits::default() }).await;
    assert_eq!(outcome.code, Some(Code::LimitOutput), "{outcome:?}");
    let (outcome, _) = ends("this is no script", Limits::default()).await;
    assert_eq!((outcome.exit, outcome.code), (2, Some(Code::Input)), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn others_go_on_while_a_script_rages() {
    let launcher = Launcher::new(executable()).await;
    let bomb = "local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1e6) .. i end";
    let raging = run(&launcher, script(bomb, SMALL));
    let calm = "label{ 'p', count = 4, run = function(rank) compute{ time = 1e-3 } end }";
    let calm = run(&launcher, script(calm, SMALL));
    let ((raged, _), (went, _)) = tokio::join!(raging, calm);
    assert_eq!(raged.code, Some(Code::LimitMemory), "{raged:?}");
    assert_eq!(went.code, None, "{went:?}");
    assert!(went.document.is_some());
}
