//! Damaged programs: an outcome whose numbers add up, or a problem; never a panic, and never for long.

use crate::{FFT, FIG1, GROUPS, tried};
use runcast_call::bsp::{Detail, Limits, Models, Program};
use runcast_core::random::SplitMix;

const STENCIL: &str = include_str!("../../../../testdata/bsp/stencil.toml");
const SUMMATION: &str = include_str!("../../../../testdata/bsp/summation.toml");
/// What is put into programs: keys, names, numbers and signs that mean something.
const PIECES: [&str; 36] = [
    "me",
    "procs",
    "rank",
    "it",
    "0",
    "1",
    "-1",
    "2",
    "1e9",
    "1e308",
    "\"all\"",
    "\"me\"",
    "\"procs\"",
    "\"procs/2\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    "=",
    "\"",
    "\n",
    "work = 1\n",
    "repeat = \"it + 3\"\n",
    "sync = \"barrier\"\n",
    "sync = \"none\"\n",
    "call = \"main\"\n",
    "partners = [\"0\"]\n",
    "h_bytes = 3\n",
    "if = 1\n",
    "expect = 1\n",
    "[[task.main.step]]\n",
    "nan",
    "\"1/0\"",
    "^",
    "é",
];

#[test]
fn damaged_programs_are_calculated_or_refused() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..6_000 {
        let mut random = SplitMix::new(seed, 1);
        let mut text = [FIG1, FFT, GROUPS, STENCIL, SUMMATION][random.below(5)].to_owned();
        for _ in 0..1 + random.below(4) {
            damage(&mut text, &mut random);
        }
        match calculated(&text) {
            Ok(()) => good += 1,
            Err(message) => {
                assert!(!message.is_empty());
                bad += 1;
            }
        }
    }
    assert!(good > 300 && bad > 300, "{good} good, {bad} bad");
}

fn calculated(text: &str) -> Result<(), String> {
    let prepared = tried(text).map_err(|problems| problems.to_string())?;
    let limits = Limits { steps: 3_000, detail: Detail::Picture, interrupt: None };
    let outcome = prepared.run(&[], &Models::default(), &limits).map_err(|problem| problem.to_string())?;
    for (rank, finish) in outcome.obsp_finish_s().iter().enumerate() {
        assert!(finish.is_finite() && *finish <= outcome.bsp_finish_s()[rank], "{text}");
    }
    let path = outcome.critical_path();
    assert!(path.windows(2).all(|pair| pair[0].to_s == pair[1].from_s), "{text}");
    Ok(())
}

/// Takes a piece out, doubles one, or puts one in.
fn damage(text: &mut String, random: &mut SplitMix) {
    let mut place = |text: &str| {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (one, two) = (place(text), place(text));
    let (from, to) = (one.min(two), one.max(two).min(one.min(two) + 40));
    let to = (from..=to).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(from);
    match random.below(4) {
        0 => text.replace_range(from..to, ""),
        1 => {
            let piece = text[from..to].to_owned();
            text.insert_str(to, &piece);
        }
        _ => text.insert_str(from, PIECES[random.below(PIECES.len())]),
    }
}

#[test]
fn nested_and_long_texts_are_refused_soon() {
    for text in [
        "[".repeat(100_000),
        "a = [".to_owned() + &"[".repeat(100_000),
        "a = {".repeat(50_000),
        format!("machine = {{ processors = \"{}1{}\", task = \"main\" }}", "(".repeat(10_000), ")".repeat(10_000)),
        "x".repeat(2 << 20),
        format!("[task.main]\nstep = [{}]\n[machine]\nprocessors = 1\ntask = \"main\"", "{ wrok = 1 },".repeat(20_000)),
    ] {
        let problems = Program::from_toml("p.toml", &text).map(|_| ()).expect_err("refused");
        assert!(!problems.0.is_empty() && problems.0.len() <= 20, "{}", problems.0.len());
    }
}
