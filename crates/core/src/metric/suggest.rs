//! Quantities by the words of a name, as people write them.

use super::unit_named;
use crate::spelling::words_of;
use runcast_formula::units;

/// What the words of a name say.
pub(super) struct Suggested {
    /// SI unit; empty for a bare number.
    pub(super) unit: String,
    /// SI units per unit of the column.
    pub(super) scale: f64,
    /// Whether more is better.
    pub(super) rate: bool,
    /// Whether the unit was assumed.
    pub(super) assumed: bool,
}

/// Words for a time that something took.
const TIMES: [&str; 23] = [
    "время",
    "waktu",
    "cas",
    "time",
    "elapsed",
    "runtime",
    "walltime",
    "wallclock",
    "makespan",
    "latency",
    "duration",
    "tiempo",
    "temps",
    "zeit",
    "laufzeit",
    "tempo",
    "times",
    "wtime",
    "cputime",
    "exectime",
    "tiempos",
    "tijd",
    "czas",
];
/// Words that may stand behind one: a statistic, a clock, or what is timed.
const BESIDE: [&str; 87] = [
    "eksekusi",
    "moyenne",
    "с",
    "min",
    "max",
    "mean",
    "avg",
    "average",
    "median",
    "sum",
    "total",
    "sd",
    "std",
    "stddev",
    "stdev",
    "best",
    "worst",
    "wall",
    "clock",
    "cpu",
    "real",
    "user",
    "sys",
    "per",
    "iter",
    "iteration",
    "run",
    "loop",
    "solve",
    "compute",
    "exec",
    "execution",
    "in",
    "taken",
    "used",
    "with",
    "without",
    "no",
    "spent",
    "setup",
    "init",
    "initialization",
    "comm",
    "communication",
    "mpi",
    "io",
    "assembly",
    "kernel",
    "factor",
    "factorization",
    "precond",
    "copy",
    "transfer",
    "h2d",
    "d2h",
    "read",
    "write",
    "sort",
    "build",
    "search",
    "serial",
    "parallel",
    "main",
    "gpu",
    "comp",
    "seq",
    "par",
    "calc",
    "computation",
    "calculation",
    "tot",
    "promedio",
    "medio",
    "moyen",
    "mittel",
    "totale",
    "secuencial",
    "sequencial",
    "paralelo",
    "ejec",
    "ejecucion",
    "execucao",
    "calculo",
    "wait",
    "waiting",
    "idle",
    "sync",
];
/// Words before `time` that make it an instant, or the time inside a simulated world.
const OTHER_TIMES: [&str; 14] = [
    "start",
    "end",
    "begin",
    "stop",
    "finish",
    "date",
    "sim",
    "simulation",
    "simulated",
    "physical",
    "final",
    "model",
    "step",
    "of",
];
/// Words for a rate that has no unit.
const RATES: [&str; 17] = [
    "throughput",
    "bandwidth",
    "performance",
    "flops",
    "mops",
    "gops",
    "iops",
    "fps",
    "qps",
    "rps",
    "lups",
    "mlups",
    "glups",
    "mflups",
    "teps",
    "fom",
    "perf",
];
/// Words for memory, whose bytes are measured rather than set.
const MEMORY: [&str; 11] =
    ["memoria", "memoire", "speicher", "memory", "mem", "rss", "maxrss", "footprint", "resident", "hwm", "vmhwm"];

/// The quantity that a name suggests.
pub(super) fn quantity(name: &str) -> Option<Suggested> {
    let words = words_of(name);
    // `T(p)`, and `t_total` beside `t_comm`.
    let is_of_parts = words.len() > 1 && words[0] == "t" && is_all(&words[1..], &BESIDE);
    if is_of_parts || ["t(p)", "t(n)"].iter().any(|of| name.trim().eq_ignore_ascii_case(of)) {
        return Some(Suggested::time(1.0, true));
    }
    if let Some(unit) = bracketed(name) {
        let is_clock = unit.len() > 2 && unit.chars().all(|letter| "hms:".contains(letter.to_ascii_lowercase()));
        if is_clock && is_time_of(&words) {
            return Some(Suggested::time(1.0, false));
        }
        return in_unit(unit.strip_prefix("in ").unwrap_or(unit).trim(), &words);
    }
    if let Some((what, per)) = name.trim().rsplit_once('/') {
        // So much a second and node.
        let is_share = ["node", "core", "rank", "process", "proc", "gpu", "thread"].contains(&per.trim());
        return if is_share && what.contains('/') { quantity(what) } else { per_time(what, per) };
    }
    let (last, rest) = words.split_last()?;
    let before: Vec<&str> = rest.iter().map(String::as_str).collect();
    if let [.., what, "per"] = before.as_slice()
        && is_second(last)
    {
        return Some(rate_of(what));
    }
    let is_spelled = last.len() > 2;
    match time_unit(last) {
        Some(scale) if is_spelled && before.is_empty() => return Some(Suggested::time(scale, false)),
        Some(scale) if before.iter().any(|word| TIMES.contains(word)) => return Some(Suggested::time(scale, false)),
        Some(scale) if is_spelled && before.iter().all(|word| BESIDE.contains(word)) => {
            return Some(Suggested::time(scale, false));
        }
        _ => {}
    }
    if is_time_of(&words) {
        return Some(Suggested::time(1.0, true));
    }
    // `GBs`
    if let Some(prefix) = last.strip_suffix("bs").filter(|prefix| ["k", "m", "g", "t"].contains(prefix))
        && rest.is_empty()
    {
        return Some(rate_of(&format!("{}B", if prefix == "k" { "k".to_owned() } else { prefix.to_uppercase() })));
    }
    let known = |word: &str| units::suffix_unit(&format!("x_{word}")).map(|unit| (unit.unit, unit.scale, unit.rate));
    if let Some((unit, scale, true)) = known(last) {
        return Some(Suggested { unit: unit.to_owned(), scale, rate: true, assumed: false });
    }
    if words.iter().any(|word| MEMORY.contains(&word.as_str())) {
        return memory_unit(last);
    }
    let is_rate = RATES.contains(&last.as_str()) || (words.len() <= 2 && RATES.contains(&words[0].as_str()));
    is_rate.then(|| Suggested { unit: String::new(), scale: 1.0, rate: true, assumed: false })
}

/// Whether a name of several words begins with one for time and goes on with what took it: `time computing forces`.
pub(super) fn begins_with_time(name: &str) -> bool {
    const OTHERS: [&str; 11] =
        ["step", "steps", "stamp", "limit", "index", "zone", "point", "points", "unit", "series", "window"];
    let words = words_of(name);
    words.len() > 2 && TIMES.contains(&words[0].as_str()) && !words.iter().any(|word| OTHERS.contains(&word.as_str()))
}

/// The rate by whose unit a name of several words begins: `gflops_gemm`, not `gflops_per_watt`.
pub(super) fn begins_with_rate(name: &str) -> Option<Suggested> {
    let words = words_of(name);
    let first = format!("x_{}", words.first()?);
    let known = units::suffix_unit(&first).filter(|unit| unit.rate)?;
    let is_of = words.len() > 1 && !words.iter().any(|word| word == "per");
    is_of.then(|| Suggested { unit: known.unit.to_owned(), scale: known.scale, rate: true, assumed: false })
}

fn is_all(words: &[String], list: &[&str]) -> bool {
    words.iter().all(|word| list.contains(&word.as_str()))
}

/// `wall_time`, `time_max`, `elapsed`: a word for time at the end, or with a statistic or a clock behind it.
fn is_time_of(words: &[String]) -> bool {
    // In scripts that write no blanks between words.
    const UNSPACED: [&str; 4] = ["时间", "時間", "耗时", "시간"];
    if words.last().is_some_and(|last| UNSPACED.iter().any(|time| last.ends_with(time))) {
        return true;
    }
    let is = |word: &String, list: &[&str]| list.contains(&word.as_str());
    match words {
        [only] => is(only, &TIMES) && only != "times",
        [before @ .., last] if is(last, &TIMES) => !before.last().is_some_and(|word| is(word, &OTHER_TIMES)),
        [before @ .., _] => {
            let Some(place) = before.iter().rposition(|word| is(word, &TIMES)) else { return false };
            let behind = &words[place + 1..];
            let is_other = place > 0 && is(&words[place - 1], &OTHER_TIMES);
            !is_other && behind.iter().all(|word| is(word, &BESIDE))
        }
        [] => false,
    }
}

/// The unit in brackets at the end of a name.
fn bracketed(name: &str) -> Option<&str> {
    let (_, unit) = name.trim_end().strip_suffix([')', ']'])?.rsplit_once(['(', '['])?;
    Some(unit.trim())
}

/// A time or a rate in this unit; bytes only where memory is spoken of, energy and power always.
fn in_unit(unit: &str, words: &[String]) -> Option<Suggested> {
    if let Some(scale) = time_unit(&unit.to_lowercase()) {
        return Some(Suggested::time(scale, false));
    }
    if let Some(known) = unit_named(unit) {
        let is_memory = words.iter().any(|word| MEMORY.contains(&word.as_str()));
        let is_measured =
            known.rate || ["s", "J", "W"].contains(&known.base.as_str()) || (known.base == "B" && is_memory);
        return is_measured.then_some(Suggested {
            unit: known.base,
            scale: known.scale,
            rate: known.rate,
            assumed: false,
        });
    }
    let (what, per) = unit.rsplit_once('/')?;
    per_time(what, per)
}

/// `Photons/s`, `MB/s`, `ns/day`: something for each unit of time.
fn per_time(what: &str, per: &str) -> Option<Suggested> {
    let per = per.trim().to_lowercase();
    if is_second(&per) {
        return Some(rate_of(what.trim()));
    }
    // In its own unit: nanoseconds simulated a day are a rate without a dimension.
    let is_long = ["min", "minute", "h", "hr", "hour", "d", "day"].contains(&per.as_str());
    (is_long && !what.trim().is_empty()).then(|| Suggested {
        unit: String::new(),
        scale: 1.0,
        rate: true,
        assumed: false,
    })
}

/// So many of this in a second.
fn rate_of(what: &str) -> Suggested {
    let known = unit_named(&format!("{}/s", what.trim()));
    if let Some(known) = known.filter(|known| known.rate) {
        return Suggested { unit: known.base, scale: known.scale, rate: true, assumed: false };
    }
    let scale = match what.trim().to_lowercase().as_str() {
        "kop" | "kops" => 1e3,
        "mop" | "mops" => 1e6,
        "gop" | "gops" => 1e9,
        _ => 1.0,
    };
    Suggested { unit: "1/s".to_owned(), scale, rate: true, assumed: false }
}

/// What a program goes through so many of in a second; not what parts of a program are called by, whose times they may be.
const COUNTED: [&str; 20] = [
    "cells",
    "zones",
    "sites",
    "particles",
    "atoms",
    "photons",
    "points",
    "edges",
    "tokens",
    "samples",
    "images",
    "frames",
    "queries",
    "requests",
    "transactions",
    "iters",
    "its",
    "lups",
    "cups",
    "ops",
];

/// `throughput_mcells_s`, `mb_s`, `gflop_s`: `_s` stands for `per_s` behind a quantity of data or of work, behind things
/// that are counted, and where a word of the name is that of a rate.
pub(super) fn each_second(name: &str) -> Option<Suggested> {
    let words = words_of(name.strip_suffix("_s")?);
    let what = words.last()?;
    let thousands = [("k", 1e3), ("m", 1e6), ("g", 1e9), ("t", 1e12)];
    let scaled = thousands.iter().find_map(|(prefix, scale)| Some((what.strip_prefix(prefix)?, *scale)));
    if let Some((rest, scale)) = scaled {
        let unit = match rest {
            "b" | "byte" | "bytes" => Some("B/s"),
            "flop" | "flops" => Some("flop/s"),
            rest if COUNTED.contains(&rest) => Some("1/s"),
            _ => None,
        };
        if let Some(unit) = unit {
            return Some(Suggested { unit: unit.to_owned(), scale, rate: true, assumed: false });
        }
    }
    let is_rate = words.iter().any(|word| RATES.contains(&word.as_str())) || COUNTED.contains(&what.as_str());
    is_rate.then(|| rate_of(what))
}

/// `s`, `sec`, `cpu_second`
fn is_second(word: &str) -> bool {
    let clock = ["cpu", "wall", "gpu", "core"].iter().find_map(|clock| word.strip_prefix(clock));
    let unit = clock.map_or(word, |rest| rest.trim_start_matches(['_', '-', ' ']));
    ["s", "sec", "secs", "second", "seconds"].contains(&unit)
}

/// Seconds in a unit of time, spelled as people do.
pub(super) fn time_unit(word: &str) -> Option<f64> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" | "segundos" | "secondes" | "sekunden" | "secondi" | "с"
        | "сек" | "秒" | "초" => 1.0,
        "мс" | "毫秒" => 1e-3,
        "мкс" | "微秒" => 1e-6,
        "нс" | "纳秒" => 1e-9,
        "ms" | "msec" | "msecs" | "millis" | "millisec" | "millisecond" | "milliseconds" | "milisegundos" => 1e-3,
        "us" | "µs" | "usec" | "usecs" | "micros" | "microsecond" | "microseconds" => 1e-6,
        "ns" | "nsec" | "nsecs" | "nanos" | "nanosecond" | "nanoseconds" => 1e-9,
        "minute" | "minutes" | "mins" => 60.0,
        "hr" | "hrs" | "hour" | "hours" => 3600.0,
        _ => return None,
    })
}

fn memory_unit(word: &str) -> Option<Suggested> {
    let unit = match word {
        "b" => "B",
        "kb" => "kB",
        "mb" => "MB",
        "gb" => "GB",
        other => other,
    };
    let known = unit_named(unit).filter(|known| known.base == "B")?;
    Some(Suggested { unit: known.base, scale: known.scale, rate: false, assumed: false })
}

impl Suggested {
    fn time(scale: f64, assumed: bool) -> Self {
        Suggested { unit: "s".to_owned(), scale, rate: false, assumed }
    }
}
