//! Any bytes as a trace, as they are and behind a good head: a table whose columns have one length, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_call::trace;

const HEAD: &[u8] = b"# cll-trace: 1
# experiment: {\"name\":\"F\",\"formula\":\"F[0]+F[1]*n\",\"names\":[\"n\"]}
# roles: {\"params\":[\"n\",\"P\"],\"metrics\":[\"time_s\"]}
region,rank,level,status,visits,n,P,time_s
F,0,0,ok,1,4,1,1e-6
";

fuzz_target!(|bytes: &[u8]| {
    let _ = trace::is_trace(bytes);
    for content in [bytes, &[HEAD, bytes].concat()] {
        match trace::read("a.csv", content) {
            Ok(read) => {
                let rows = read.table.rows();
                assert!(read.table.columns.iter().all(|column| column.len() == rows));
                let mut twice = read.metadata.clone();
                assert!(twice.unite(read.metadata, &mut Vec::new()).is_ok(), "a trace agrees with itself");
            }
            Err(problem) => assert_eq!(problem.file.as_deref(), Some("a.csv")),
        }
    }
});
