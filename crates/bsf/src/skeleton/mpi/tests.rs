//! The link between real ranks: each test starts this test program again, under the launcher of the MPI that it is
//! linked with.

use super::{MpiFamily, MpiLink, library_family, library_version, under_launcher};
use crate::skeleton::error::RunError;
use crate::skeleton::link::{HEAD, Link, Patience, Tag};
use crate::skeleton::options::Waiting;
use crate::skeleton::times::thread_cpu_s;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const PATIENT: Patience = Patience { wait: Waiting::Sleep, limit: Some(Duration::from_secs(60)) };

/// Runs the test `name` once more as this many ranks, each of which comes to `body`. Returns what became of them.
fn across(ranks: usize, name: &str, body: impl FnOnce()) -> Option<Output> {
    if under_launcher().is_some() {
        body();
        return None;
    }
    let is_open_mpi = library_family() == Some(MpiFamily::OpenMpi);
    let launcher = if is_open_mpi { "mpirun.openmpi" } else { "mpirun.mpich" };
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "100", launcher, "-n", &ranks.to_string()]);
    if is_open_mpi {
        command.arg("--oversubscribe");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    command.arg(std::env::current_exe().expect("a test program"));
    command.args(["--exact", &format!("skeleton::mpi::tests::{name}"), "--nocapture", "--test-threads=1"]);
    Some(command.output().expect("timeout and the launcher are installed"))
}

fn assert_good(output: Option<Output>, ranks: usize) {
    let Some(output) = output else { return };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{ranks} ranks: {text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.matches("1 passed").count(), ranks, "{text}");
}

/// A small generator of numbers that all ranks make alike.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// The message number `place` of a rank, counted from 0: of any length, including lengths near the size of a piece.
fn message(from: usize, place: usize, chunk: usize) -> Vec<u8> {
    let mut random = Random((from * 1000 + place) as u64);
    let length = match random.below(4) {
        0 => random.below(40),
        1 => random.below(100_000),
        2 => (chunk * (1 + random.below(3)) + 2).saturating_sub(HEAD + random.below(4)),
        _ => random.below(5 * chunk),
    };
    let mut bytes = vec![0; HEAD];
    bytes.extend((0..length).map(|_| random.below(256) as u8));
    bytes
}

fn assert_same(got: &[u8], from: usize, place: usize, chunk: usize) {
    let mut expected = message(from, place, chunk);
    let length = expected.len() as u64;
    expected[..HEAD].copy_from_slice(&length.to_le_bytes());
    assert!(got == expected, "message {place} of rank {from}: {} bytes for {}", got.len(), expected.len());
}

/// Every worker sends to the master, which answers; messages of another tag wait aside.
fn exchange(wait: Waiting, chunk: usize) {
    const COUNT: usize = 60;
    let patience = Patience { wait, ..PATIENT };
    let link = MpiLink::start().expect("several ranks").with_chunk(chunk);
    let mut buffer = Vec::new();
    if link.rank() > 0 {
        link.send(0, Tag::Order, &mut [7; HEAD + 3], patience).expect("taken in the end");
        for place in 0..COUNT {
            link.send(0, Tag::Result, &mut message(link.rank(), place, chunk), patience).expect("taken");
            assert_eq!(link.receive(Some(0), Tag::Order, &mut buffer, patience), Ok(0));
            assert_same(&buffer, 0, place, chunk);
        }
        return;
    }
    let mut places = vec![0; link.size()];
    for _ in 1..link.size() {
        for _ in 0..COUNT {
            let from = link.receive(None, Tag::Result, &mut buffer, patience).expect("sent");
            assert_same(&buffer, from, places[from], chunk);
            link.send(from, Tag::Order, &mut message(0, places[from], chunk), patience).expect("taken");
            places[from] += 1;
        }
    }
    for from in (1..link.size()).rev() {
        assert_eq!(link.receive(Some(from), Tag::Order, &mut buffer, patience), Ok(from));
        assert_eq!(buffer.len(), HEAD + 3);
    }
    assert!(matches!(link.send(link.size(), Tag::Order, &mut [0; HEAD], patience), Err(RunError::Message(_))));
}

#[test]
fn messages_of_any_size_come_whole_and_in_order() {
    let name = "messages_of_any_size_come_whole_and_in_order";
    if under_launcher().is_some() {
        return exchange(Waiting::Sleep, 1000);
    }
    for ranks in [2, 3, 5] {
        assert_good(across(ranks, name, || ()), ranks);
    }
}

#[test]
fn messages_come_to_who_spins() {
    let output = across(3, "messages_come_to_who_spins", || exchange(Waiting::Spin, 1 << 16));
    assert_good(output, 3);
}

#[test]
fn messages_pass_from_worker_to_worker() {
    let output = across(5, "messages_pass_from_worker_to_worker", || {
        let link = MpiLink::start().expect("several ranks").with_chunk(4096);
        let (rank, last) = (link.rank(), link.size() - 1);
        let mut buffer = message(0, 3, 4096);
        for _ in 0..20 {
            if rank > 0 {
                assert_eq!(link.receive(Some(rank - 1), Tag::Order, &mut buffer, PATIENT), Ok(rank - 1));
                assert_same(&buffer, 0, 3, 4096);
            }
            if rank < last {
                link.send(rank + 1, Tag::Order, &mut buffer, PATIENT).expect("taken");
            }
        }
    });
    assert_good(output, 5);
}

#[test]
fn a_session_lasts_as_long_as_somebody_holds_it() {
    let output = across(2, "a_session_lasts_as_long_as_somebody_holds_it", || {
        let session = super::Session::open().expect("several ranks");
        for _ in 0..2 {
            let link = MpiLink::start().expect("the same session");
            let other = 1 - link.rank();
            link.send(other, Tag::Result, &mut [0; HEAD], PATIENT).expect("taken");
            assert_eq!(link.receive(Some(other), Tag::Result, &mut Vec::new(), PATIENT), Ok(other));
        }
        drop(session);
        assert!(matches!(MpiLink::start(), Err(RunError::Usage { code: "mpi_twice", .. })));
    });
    assert_good(output, 2);
}

#[test]
fn who_waits_in_vain_gives_up_and_does_not_hang() {
    let name = "who_waits_in_vain_gives_up_and_does_not_hang";
    let start = Instant::now();
    let output = across(2, name, || {
        let patience = Patience { wait: Waiting::Sleep, limit: Some(Duration::from_millis(300)) };
        let link = MpiLink::start().expect("several ranks");
        let result = if link.rank() == 0 {
            link.receive(Some(1), Tag::Order, &mut Vec::new(), patience).map(|_| ())
        } else {
            // Too large to be on its way before somebody takes it.
            link.send(0, Tag::Result, &mut vec![0; 64 << 20], patience)
        };
        let other = 1 - link.rank();
        assert!(matches!(result, Err(RunError::Stalled { rank: Some(rank), .. }) if rank == other), "{result:?}");
        let again = link.send(other, Tag::Order, &mut [0; HEAD], patience);
        assert!(matches!(again, Err(RunError::Message(_))));
        println!("gave up");
    });
    let Some(output) = output else { return };
    // The launchers complain about ranks that end without MPI_Finalize, each in its own way.
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("gave up"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn who_sleeps_leaves_its_core_to_others() {
    let output = across(2, "who_sleeps_leaves_its_core_to_others", || {
        let link = MpiLink::start().expect("several ranks");
        // Whatever else the machine does makes waiting more expensive, never cheaper: the cheapest wait tells.
        const WAITS: usize = 5;
        if link.rank() > 0 {
            for _ in 0..WAITS {
                std::thread::sleep(Duration::from_secs(1));
                link.send(0, Tag::Result, &mut [0; HEAD], PATIENT).expect("taken");
            }
            return;
        }
        let mut least = f64::INFINITY;
        for _ in 0..WAITS {
            let (start, cpu_s) = (Instant::now(), thread_cpu_s());
            assert_eq!(link.receive(None, Tag::Result, &mut Vec::new(), PATIENT), Ok(1));
            least = least.min((thread_cpu_s() - cpu_s) / start.elapsed().as_secs_f64());
        }
        assert!(least < 0.05, "{:.1} % of a core", 100.0 * least);
        println!("waiting took {:.2} % of a core", 100.0 * least);
    });
    assert_good(output, 2);
}

#[test]
fn the_library_tells_its_name() {
    let version = library_version().expect("linked");
    assert!(library_family() != Some(MpiFamily::Other), "{version}");
    assert!(version.len() < 40 && version.contains(|c: char| c.is_ascii_digit()), "{version}");
}
