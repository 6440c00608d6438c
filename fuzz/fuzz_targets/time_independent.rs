//! Any bytes as time-independent traces: an error with its file, or an application whose partners are all there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_sim::application::{Op, Source};
use runcast_sim::ti::{self, Text};

fuzz_target!(|bytes: &[u8]| {
    let _ = ti::is_list(bytes);
    match ti::parse(&[Text { file: "fuzz.txt", bytes }], "fuzz") {
        Ok(parsed) => {
            let count = parsed.application.processes();
            for (rank, program) in parsed.application.programs.iter().enumerate() {
                for (op, _) in &program.ops {
                    let partner = match op {
                        Op::Send { to, .. } | Op::Isend { to, .. } => *to,
                        Op::Recv { from: Source::Peer(from), .. } | Op::Irecv { from: Source::Peer(from), .. } => *from,
                        _ => continue,
                    };
                    assert!(partner.of(rank as u64) < count);
                }
            }
        }
        Err(problem) => assert!(problem.file.is_some() && !problem.message.is_empty()),
    }
});
