//! Repetitions side by side: as many at once as there are threads, with the same answer whatever their number.

use runcast_core::Problems;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What `one` gives for each repetition, in their order, and the first failure (by number), which ends the work.
pub(super) fn run<T: Send>(
    repetitions: u64,
    threads: usize,
    interrupt: &AtomicBool,
    progress: &(dyn Fn(u64, u64) + Sync),
    one: &(dyn Fn(u64, usize) -> Result<T, Problems> + Sync),
) -> (Vec<T>, Result<(), Problems>) {
    let workers = (threads.max(1) as u64).min(repetitions) as usize;
    let threads_each = (threads / workers.max(1)).max(1);
    let next = AtomicU64::new(0);
    let done = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    let results: Mutex<Vec<(u64, Result<T, Problems>)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let repetition = next.fetch_add(1, Ordering::Relaxed);
            if repetition >= repetitions || failed.load(Ordering::Relaxed) || interrupt.load(Ordering::Relaxed) {
                return;
            }
            let result = one(repetition, threads_each);
            if result.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            let mut all = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            all.push((repetition, result));
            drop(all);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, repetitions);
        }
    };
    if workers == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(work);
            }
        });
    }
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(repetition, _)| *repetition);
    let is_whole = results.len() as u64 == repetitions;
    let mut ended = Ok(());
    let mut done = Vec::with_capacity(results.len());
    for (_, result) in results {
        match result {
            Ok(result) => done.push(result),
            Err(problems) if ended.is_ok() => ended = Err(problems),
            Err(_) => {}
        }
    }
    if !is_whole && ended.is_ok() {
        ended = Err(super::interrupted().into());
    }
    (done, ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::Problem;

    #[test]
    fn the_order_is_that_of_the_numbers_on_any_number_of_threads() {
        let no = AtomicBool::new(false);
        for threads in [1, 2, 7] {
            let seen = AtomicU64::new(0);
            let all = run(
                20,
                threads,
                &no,
                &|done, _| {
                    seen.fetch_max(done, Ordering::Relaxed);
                },
                &|repetition, _| Ok(repetition * repetition),
            );
            assert_eq!((all.1, all.0), (Ok(()), (0..20).map(|repetition| repetition * repetition).collect::<Vec<_>>()));
            assert_eq!(seen.into_inner(), 20);
        }
    }

    #[test]
    fn failures_and_interrupts_end_it() {
        let raised = AtomicBool::new(false);
        let failed = run::<u64>(100, 3, &raised, &|_, _| {}, &|repetition, _| {
            if repetition == 5 { Err(Problem::new("bad", "x").into()) } else { Ok(0) }
        });
        assert_eq!(failed.1.expect_err("failed").0[0].code, "bad");
        let stopped = run(100, 2, &raised, &|_, _| {}, &|repetition, _| {
            raised.store(repetition >= 3, Ordering::Relaxed);
            Ok(repetition)
        });
        assert_eq!(stopped.1.expect_err("stopped").0[0].code, "interrupted");
    }
}
