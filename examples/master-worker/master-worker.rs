//! A small parallel program to try runcast on: a master and its workers.
//!
//! ```text
//! rustc -O master-worker.rs
//! ./master-worker --workers 4 --size 256
//! ```
//!
//! In each iteration the workers share the items of a list; then the master files what they found, one worker after
//! the other. Nothing here computes: a worker waits for each item and the master for each worker, as they would wait for
//! a disk or a server. So the program scales on a laptop with two cores, and every time that it prints was really
//! measured. As the work of the master grows with the workers, there is a number of them beyond which more make the
//! program slower.

use std::process::ExitCode;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// How long a worker waits for an item.
const ITEM: Duration = Duration::from_millis(1);

/// How long the master waits until the result of one worker is filed.
const FILING: Duration = Duration::from_micros(250);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (mut workers, mut size, mut iterations) = (1, 256, 4);
    for pair in words.chunks(2) {
        let number = pair.get(1).and_then(|word| word.parse::<usize>().ok()).filter(|number| *number > 0);
        match (pair[0].as_str(), number) {
            ("--workers", Some(number)) => workers = number,
            ("--size", Some(number)) => size = number,
            ("--iterations", Some(number)) => iterations = number,
            _ => {
                eprintln!("usage: master-worker [--workers P] [--size N] [--iterations COUNT]");
                return ExitCode::from(2);
            }
        }
    }
    let begin = Barrier::new(workers + 1);
    let end = Barrier::new(workers + 1);
    let mut elapsed = Duration::ZERO;
    thread::scope(|scope| {
        for worker in 0..workers {
            let (begin, end) = (&begin, &end);
            // Blocks of nearly the same length.
            let items = (worker + 1) * size / workers - worker * size / workers;
            scope.spawn(move || {
                for _ in 0..iterations {
                    begin.wait();
                    (0..items).for_each(|_| thread::sleep(ITEM));
                    end.wait();
                }
            });
        }
        let start = Instant::now();
        for _ in 0..iterations {
            begin.wait();
            end.wait();
            (0..workers).for_each(|_| thread::sleep(FILING));
        }
        elapsed = start.elapsed();
    });
    println!("solved in {:.6} s", elapsed.as_secs_f64());
    ExitCode::SUCCESS
}
