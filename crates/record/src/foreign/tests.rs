//! A ring of two ranks in every format: the same calls, partners, sizes and blocks.

use super::{Format, Text, import, number};
use crate::vocabulary::{Field, shown};
use crate::walk::walk;
use std::ops::ControlFlow;

/// Each rank computes 1 ms, posts a receive, sends 64 B to the other, waits for both, and takes part in an allreduce of 8 B.
fn trace(format: Format, rank: usize) -> String {
    let other = 1 - rank;
    match format {
        Format::Liballprof => format!(
            "# a comment\n\nMPI_Init:-:140:127:1000\nMPI_Comm_rank:1000:91,{rank},2:140:1000\n\
             MPI_Irecv:2000:77:8:11,8,8:{other}:5:91,{rank},2:800:2000\n\
             MPI_Isend:2000:78:8:11,8,8:{other}:5:91,{rank},2:808:2000\n\
             MPI_Waitall:2000:2:800:0:2100\n\
             MPI_Allreduce:2100:1:2:1:11,8,8:3:91,{rank},2:2200\nMPI_Finalize:2200:-\n"
        ),
        Format::Dumpi => {
            let call = |name: &str, from: &str, to: &str, body: &str| {
                let line = |what: &str, at: &str| {
                    format!("{name} {what} at walltime {at}, cputime {at} seconds in thread 0.\n")
                };
                format!("{}{body}{}", line("entering", from), line("returning", to))
            };
            let world = "MPI_Comm comm=2 (MPI_COMM_WORLD)\n";
            let data = "int count=8\nMPI_Datatype datatype=11 (MPI_DOUBLE)\n";
            [
                call("MPI_Init", "5.000000000", "5.001000000", "int argc=1\nstring argv[1]=[\"a\"]\n"),
                call(
                    "MPI_Irecv",
                    "5.002000000",
                    "5.002000000",
                    &format!("{data}int source=-1\nint tag=-1\n{world}MPI_Request request=[4]\n"),
                ),
                call(
                    "MPI_Isend",
                    "5.002000000",
                    "5.002000000",
                    &format!("{data}int dest={other}\nint tag=5\n{world}MPI_Request request=[6]\n"),
                ),
                call(
                    "MPI_Waitall",
                    "5.002000000",
                    "5.002100000",
                    &format!(
                        "int count=2\nMPI_Request requests[2]=[4, 6]\nMPI_Status statuses[2]=[{{bytes=64, cancelled=0, \
                         source={other}, tag=5, error=0}}, {{bytes=0, cancelled=0, source=0, tag=0, error=0}}]\n"
                    ),
                ),
                call(
                    "MPI_Allreduce",
                    "5.002100000",
                    "5.002200000",
                    &format!("int count=1\nMPI_Datatype datatype=11 (MPI_DOUBLE)\nMPI_Op op=3 (MPI_SUM)\n{world}"),
                ),
                call("MPI_Finalize", "5.002200000", "5.002200000", ""),
            ]
            .concat()
        }
        Format::Otf2 => {
            let world = "Communicator: \"MPI_COMM_WORLD\" <0>";
            let region = |what: &str, at: u64, name: &str| format!("{what} {rank} {at} Region: \"{name}\" <3>\n");
            let enter = |at: u64, name: &str| region("ENTER", at, name);
            let leave = |at: u64, name: &str| region("LEAVE", at, name);
            [
                "CLOCK_PROPERTIES  Ticks per Seconds: 1000000, Global Offset: 0, Length: 9\n".to_owned(),
                enter(900, "main"),
                enter(900, "MPI_Init"),
                leave(1_000, "MPI_Init"),
                enter(2_000, "MPI_Irecv"),
                format!("MPI_IRECV_REQUEST {rank} 2000 Request: 1\n"),
                leave(2_000, "MPI_Irecv"),
                enter(2_000, "MPI_Isend"),
                format!("MPI_ISEND {rank} 2000 Receiver: {other} (\"M\" <{other}>), {world}, Tag: 5, Length: 64, Request: 2\n"),
                leave(2_000, "MPI_Isend"),
                enter(2_000, "MPI_Waitall"),
                format!("MPI_IRECV {rank} 2050 Sender: {other} (\"M\" <{other}>), {world}, Tag: 5, Length: 64, Request: 1\n"),
                format!("MPI_ISEND_COMPLETE {rank} 2060 Request: 2\n"),
                leave(2_100, "MPI_Waitall"),
                enter(2_100, "MPI_Allreduce"),
                format!("MPI_COLLECTIVE_BEGIN {rank} 2100\n"),
                format!("MPI_COLLECTIVE_END {rank} 2200 Operation: ALLREDUCE, {world}, Root: UNDEFINED, Sent: 8, Received: 8\n"),
                leave(2_200, "MPI_Allreduce"),
                enter(2_200, "MPI_Finalize"),
                leave(2_200, "MPI_Finalize"),
            ]
            .concat()
        }
        Format::Prv => {
            let at = |time: u64, pairs: &str| format!("2:{0}:1:{0}:1:{time}:{pairs}\n", rank + 1);
            let call = |from: u64, to: u64, kind: u64, value: u64, more: &str| {
                format!("{}{}", at(from, &format!("{kind}:{value}{more}")), at(to, &format!("{kind}:0")))
            };
            [
                call(900, 1_000, 50_000_003, 31, ""),
                call(2_000, 2_001, 50_000_001, 4, ""),
                call(2_002, 2_003, 50_000_001, 3, ""),
                call(2_004, 2_100, 50_000_001, 6, ""),
                call(2_100, 2_200, 50_000_002, 10, ":50100001:8:50100002:8"),
                call(2_200, 2_200, 50_000_003, 32, ""),
            ]
            .concat()
        }
        Format::Chakra => {
            let attribute = |name: &str, value: usize| format!("{{\"name\":\"{name}\",\"int64_val\":\"{value}\"}}");
            // The receive stands after the send: a chain has no requests.
            format!(
                "{{\"nodes\":[{{\"id\":\"7\",\"name\":\"sum\",\"type\":\"COMM_COLL_NODE\",\"data_deps\":[\"3\"],\
                 \"duration_micros\":\"100\",\"attr\":[{},{}]}},{{\"id\":\"1\",\"type\":\"COMP_NODE\",\
                 \"duration_micros\":\"1000\"}},{{\"id\":\"2\",\"type\":5,\"ctrl_deps\":[\"1\"],\"attr\":[{},{},{}]}},\
                 {{\"id\":\"3\",\"type\":6,\"ctrl_deps\":[2],\"attr\":[{},{},{}]}}]}}",
                attribute("comm_type", 0),
                attribute("comm_size", 8),
                attribute("comm_dst", other),
                attribute("comm_size", 64),
                attribute("comm_tag", 5),
                attribute("comm_src", other),
                attribute("comm_size", 64),
                attribute("comm_tag", 5),
            )
        }
    }
}

fn files(format: Format) -> Vec<(String, String)> {
    match format {
        Format::Prv => {
            // Both messages: sent within the isend, posted within the irecv, there at the end of the wait.
            let messages: String = (0..2)
                .map(|from| format!("3:{0}:1:{0}:1:2002:2003:{1}:1:{1}:1:2000:2050:64:5\n", from + 1, 2 - from))
                .collect();
            let head = "#Paraver (10/11/2025 at 12:33):2200_us:1(2):1:2(1:1,1:1)\n1:1:1:1:1:0:900:1\n";
            let text = format!("{head}{}{}{messages}", trace(format, 0), trace(format, 1));
            vec![("ring.prv".to_owned(), text)]
        }
        Format::Otf2 => vec![("ring.txt".to_owned(), trace(format, 0) + &trace(format, 1))],
        // The order of the command line does not count.
        _ => [1, 0].map(|rank| (format!("trace-{rank:04}.txt"), trace(format, rank))).to_vec(),
    }
}

fn texts(files: &[(String, String)]) -> Vec<Text<'_>> {
    files.iter().map(|(file, text)| Text { file, bytes: text.as_bytes() }).collect()
}

const FORMATS: [Format; 5] = [Format::Liballprof, Format::Dumpi, Format::Otf2, Format::Prv, Format::Chakra];

#[test]
fn a_ring_in_every_format() {
    for format in FORMATS {
        let name = format.word();
        let imported = import(&texts(&files(format)), format).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
        assert_eq!(imported.recording.p, 2, "{name}");
        assert!(imported.lost.iter().any(|text| text == "call sites"), "{name}: {:?}", imported.lost);
        for rank in 0..2 {
            let program = imported.recording.programs.iter().find(|program| program.ranks.contains(&rank));
            let program = program.expect("the rank");
            let mut seen = Vec::new();
            let _ = walk::<()>(&imported.recording.tree_of(program, rank), |event| {
                let get = |field| event.get(field).unwrap_or(-9);
                let fields = [get(Field::Peer), get(Field::Size), get(Field::Count)];
                seen.push((shown(event.leaf.call, event.leaf.flags), fields, event.all(Field::Reqs).to_vec()));
                ControlFlow::Continue(())
            });
            let other = 1 - i64::from(rank);
            let call = |name: &str, fields: [i64; 3], requests: &[i64]| (name.to_owned(), fields, requests.to_vec());
            let expected = match format {
                Format::Chakra => {
                    vec![call("send", [other, 64, -9], &[]), call("recv", [other, 64, -9], &[])]
                }
                _ => vec![
                    call("irecv", [other, 64, -9], &[]),
                    call("isend", [other, 64, -9], &[]),
                    call("waitall", [-9, -9, 2], &[2, 1]),
                ],
            };
            let tail = [call("allreduce", [-9, 8, -9], &[]), call("finalize", [-9; 3], &[])];
            assert_eq!(seen, [expected.as_slice(), &tail].concat(), "{name}, rank {rank}");
        }
        // A millisecond before the first call.
        let useful = imported.recording.useful_s();
        assert!(useful.iter().all(|time| (time - 1e-3).abs() < 5e-6), "{name}: {useful:?}");
    }
}

#[test]
fn damaged_traces_are_errors_with_lines_and_never_more() {
    for format in FORMATS {
        let whole = files(format);
        let mut random = runcast_core::random::SplitMix::new(7, 1);
        for _ in 0..400 {
            let mut damaged = whole.clone();
            let file = random.below(damaged.len());
            let mut bytes = damaged[file].1.clone().into_bytes();
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes.truncate(at),
                1 => bytes[at] = b"0189:,[]{}-\n x"[random.below(14)],
                2 => drop(bytes.splice(at..at, *b"99999999999999999999")),
                _ => drop(bytes.drain(at..(at + 9).min(bytes.len()))),
            }
            damaged[file].1 = String::from_utf8_lossy(&bytes).into_owned();
            if let Err(problem) = import(&texts(&damaged), format) {
                assert!(!problem.message.is_empty(), "{problem:?}");
            }
        }
    }
    let text = trace(Format::Liballprof, 0).replace("MPI_Isend:2000:78:8", "MPI_Isend:2000:78:many");
    let other = trace(Format::Liballprof, 1);
    let both = [("a-0.txt", &text), ("a-1.txt", &other)].map(|(file, text)| Text { file, bytes: text.as_bytes() });
    let problem = import(&both, Format::Liballprof).expect_err("no count");
    assert_eq!((problem.file.as_deref(), problem.line), (Some("a-0.txt"), Some(6)));
    let cyclic = r#"{"nodes":[{"id":1,"type":4,"data_deps":[2]},{"id":2,"type":4,"data_deps":[1]}]}"#;
    let problem = import(&[Text { file: "c.0.json", bytes: cyclic.as_bytes() }], Format::Chakra).expect_err("a circle");
    assert!(problem.message.contains("circle"), "{}", problem.message);
    let bomb = b"#Paraver (1/1/2025 at 1:1):5_ns:1(2):1:1000000(1:1)\n";
    assert!(import(&[Text { file: "b.prv", bytes: bomb }], Format::Prv).is_err());
}

#[test]
fn numbers_at_the_end_of_names() {
    let all = ["dumpi-2013.09.26-0001.txt", "et.3.json", "out/pmpi-trace-rank-12.txt", "plain.txt", "r7"];
    assert_eq!(all.map(number), [Some(1), Some(3), Some(12), None, Some(7)]);
}

/// A field of Protocol Buffers: a number, or bytes after their length.
fn field(number: u8, held: Result<u64, &[u8]>) -> Vec<u8> {
    let varint = |mut value: u64| {
        let mut bytes = Vec::new();
        while value > 0x7f {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    };
    match held {
        Ok(value) => [varint(u64::from(number) << 3), varint(value)].concat(),
        Err(bytes) => [varint(u64::from(number) << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat(),
    }
}

#[test]
fn chakra_in_protocol_buffers() {
    let behind_length = |bytes: &[u8]| field(0, Err(bytes))[1..].to_vec();
    let attribute =
        |name: &str, value: u64| field(10, Err(&[field(1, Err(name.as_bytes())), field(9, Ok(value))].concat()));
    let trace = |other: u64| {
        let parts = [
            field(1, Err(b"0.0.4")),
            [field(1, Ok(1)), field(3, Ok(4)), field(7, Ok(1_000))].concat(),
            [
                field(1, Ok(2)),
                field(3, Ok(5)),
                // Packed, as a list of numbers may be.
                field(4, Err(&[1])),
                attribute("comm_dst", other),
                attribute("comm_size", 64),
            ]
            .concat(),
            [
                field(1, Ok(3)),
                field(3, Ok(6)),
                field(5, Ok(2)),
                attribute("comm_src", other),
                attribute("comm_size", 64),
            ]
            .concat(),
            [
                field(1, Ok(4)),
                field(2, Err(b"sum")),
                field(3, Ok(7)),
                field(5, Ok(3)),
                field(7, Ok(100)),
                attribute("comm_type", 0),
                attribute("comm_size", 300),
            ]
            .concat(),
        ];
        parts.iter().flat_map(|part| behind_length(part)).collect::<Vec<u8>>()
    };
    let (first, second) = (trace(1), trace(0));
    let texts = [Text { file: "t.0.et", bytes: &first }, Text { file: "t.1.et", bytes: &second }];
    let imported = import(&texts, Format::Chakra).unwrap_or_else(|problem| panic!("{problem:?}"));
    let program = &imported.recording.programs[0];
    let mut seen = Vec::new();
    let _ = walk::<()>(&imported.recording.tree_of(program, 0), |event| {
        seen.push((shown(event.leaf.call, event.leaf.flags), event.get(Field::Peer), event.get(Field::Size)));
        ControlFlow::Continue(())
    });
    let call = |name: &str, peer, size| (name.to_owned(), peer, size);
    let expected = [
        call("send", Some(1), Some(64)),
        call("recv", Some(1), Some(64)),
        call("allreduce", None, Some(300)),
        call("finalize", None, None),
    ];
    assert_eq!(seen, expected);
    assert!(imported.recording.useful_s().iter().all(|time| (time - 1e-3).abs() < 1e-9));
    // Cut anywhere it is an error or a shorter trace, never more.
    for length in 0..first.len() {
        let texts = [Text { file: "t.0.et", bytes: &first[..length] }];
        if let Err(problem) = import(&texts, Format::Chakra) {
            assert_eq!(problem.code, "bad_trace", "{length}: {problem:?}");
        }
    }
}
