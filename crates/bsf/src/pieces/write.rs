//! Writing `algorithm = "pieces"`, as `runcast bsf calibrate --form pieces` does.

use super::{MeasuredCollective, Messages, Pieces};
use crate::text::{list, measured, number};
use runcast_formula::units::format_quantity_digits;
use std::fmt::Write;

/// The file that [`read`](super::read) reads; times have six digits. `origin` stands at its end as it is: nothing, or a table `[origin]`.
pub fn to_text(pieces: &Pieces, origin: &str) -> String {
    let mut text = format!("algorithm = \"pieces\"\n\n[pieces]\nlist_length = {}\n", pieces.list_length);
    let sizes = [("send_bytes", pieces.send_bytes), ("receive_bytes", pieces.receive_bytes)];
    for (name, bytes) in sizes.into_iter().chain([("element_bytes", pieces.element_bytes)]) {
        let _ = writeln!(text, "{name} = {}", number(bytes));
    }
    let map = &pieces.map;
    let _ = match map.cache_bytes.is_finite() {
        true => writeln!(
            text,
            "map = {{ in_cache = {}, out_of_cache = {}, cache = {} }}",
            time(map.in_cache_s),
            time(map.out_of_cache_s),
            number(map.cache_bytes)
        ),
        false => writeln!(text, "map = {}", time(map.in_cache_s)),
    };
    let _ = writeln!(text, "fold = {}\ncompute = {}", time(pieces.fold_s), time(pieces.compute_s));
    if pieces.overlaps {
        text.push_str("overlap = true\n");
    }
    text.push_str("\n[messages]\n");
    sizes_of(&pieces.messages, &mut text);
    let _ = writeln!(text, "time_s = {}", times(&pieces.messages.time_s));
    let _ = writeln!(text, "busy_s = {}", times(&pieces.messages.busy_s));
    pieces.collectives.iter().for_each(|one| collective(one, &mut text));
    if !origin.is_empty() {
        let _ = write!(text, "\n{origin}");
    }
    text
}

fn collective(one: &MeasuredCollective, text: &mut String) {
    let Some(first) = one.times.first() else { return };
    let workers = list(one.workers.iter().map(u64::to_string));
    let _ = writeln!(text, "\n[[collective]]\nname = \"{}\"\nworkers = {workers}", one.route);
    sizes_of(first, text);
    let _ = writeln!(text, "time_s = {}", list(one.times.iter().map(|row| times(&row.time_s))));
}

fn sizes_of(messages: &Messages, text: &mut String) {
    let _ = writeln!(text, "size_bytes = {}", list(messages.size_bytes.iter().map(|size| number(*size))));
    if !messages.switches.is_empty() {
        let _ = writeln!(text, "switches = {}", list(messages.switches.iter().map(|size| number(*size))));
    }
}

fn times(seconds: &[f64]) -> String {
    list(seconds.iter().map(|time| measured(*time)))
}

/// `"3.9us"`
fn time(seconds: f64) -> String {
    format!("\"{}\"", format_quantity_digits(seconds, "s", 6).replace(' ', ""))
}

#[cfg(test)]
mod tests {
    use super::super::{Route, read};
    use super::*;
    use crate::pieces::ElementTime;

    #[test]
    fn what_is_written_is_read_again() {
        let table = |time_s: &[f64], busy_s: &[f64], switches: &[f64]| Messages {
            size_bytes: vec![1.0, 4096.0, 4097.0],
            time_s: time_s.to_vec(),
            busy_s: busy_s.to_vec(),
            switches: switches.to_vec(),
        };
        let tree = |factor: f64| {
            let times = [2e-6 * factor, 5e-6 * factor, 4e-5 * factor];
            table(&times, &times, &[])
        };
        let pieces = Pieces {
            list_length: 1000,
            send_bytes: 8000.0,
            receive_bytes: 4000.0,
            element_bytes: 8000.0,
            map: ElementTime { in_cache_s: 4e-7, out_of_cache_s: 9e-7, cache_bytes: 1_048_576.0 },
            fold_s: 5e-7,
            compute_s: 2e-6,
            messages: table(&[2e-6, 5e-6, 4e-5], &[5e-7, 3e-6, 3.8e-5], &[4096.0]),
            overlaps: true,
            collectives: vec![MeasuredCollective {
                route: Route::Tree,
                workers: vec![2, 4],
                times: vec![tree(1.0), tree(2.0)],
            }],
        };
        let text = to_text(&pieces, "[origin]\nmachine = \"ws1\"\n");
        assert_eq!(read("costs.toml", &text).expect("allowed"), Some(pieces.clone()));
        let plain = Pieces {
            map: ElementTime { in_cache_s: 4e-7, out_of_cache_s: 4e-7, cache_bytes: f64::INFINITY },
            collectives: Vec::new(),
            ..pieces
        };
        assert_eq!(read("costs.toml", &to_text(&plain, "")).expect("allowed"), Some(plain));
    }
}
