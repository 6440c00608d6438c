//! Any bytes as a source of C and of C++: lines keep their numbers, and without pragmas nothing changes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_call::translate::{Input, Language, own_includes, translate};

fn lines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

fuzz_target!(|bytes: &[u8]| {
    for language in [Language::C, Language::Cpp] {
        let input = Input::new("x.c", bytes.to_vec(), language);
        let done = translate(std::slice::from_ref(&input), &mut |_, _| None);
        let file = &done.files[0];
        if file.header.is_none() {
            assert_eq!(file.text, bytes);
        } else if !matches!(file.parallel, Some("MPI" | "PUB")) {
            assert_eq!(lines(&file.text), lines(bytes) + 2);
        }
        for problem in &done.problems {
            let line = problem.line.expect("a line");
            assert!(line >= 1 && line <= lines(bytes) as u64 + 1 && problem.column.is_some());
        }
        let _ = own_includes(bytes, language);
    }
});
