//! Syntax check of a script: it is compiled, but not run.

use runcast_core::Problem;

/// The longest script whose syntax is checked, in bytes.
const LONGEST: usize = 4 << 20;

/// Reads a script without running it. `file` is the name shown in errors.
///
/// # Errors
/// The first thing in it that is not Luau, with its line.
pub fn check(source: &str, file: &str) -> Result<(), Problem> {
    if source.len() > LONGEST {
        let problem = Problem::new("too_large", format!("a script of {} bytes", source.len())).in_file(file);
        return Err(problem.allowed(format!("at most {LONGEST} bytes")));
    }
    let compiler = mlua::Compiler::new().set_optimization_level(0).set_debug_level(0);
    match compiler.compile(source) {
        Ok(_) => Ok(()),
        Err(mlua::Error::SyntaxError { message, .. }) => Err(told(&message).in_file(file)),
        Err(error) => Err(Problem::new("script_syntax", error.to_string()).in_file(file)),
    }
}

/// `:12: Expected ..`
fn told(message: &str) -> Problem {
    let place = message.trim_start_matches(':').split_once(':');
    let line = place.and_then(|(line, rest)| Some((line.parse().ok()?, rest.trim_start())));
    match line {
        Some((line, text)) => Problem::new("script_syntax", text).at_line(line),
        None => Problem::new("script_syntax", message),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn the_line_of_what_is_no_luau_is_told() {
        assert_eq!(check("label{ \"a\", count = 1 }\n", "a.luau"), Ok(()));
        let problem = check("local a = 1\nlocal = 2\n", "a.luau").expect_err("no name");
        assert_eq!((problem.line, problem.file.as_deref()), (Some(2), Some("a.luau")));
        assert!(problem.message.starts_with("Expected identifier"), "{}", problem.message);
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        for (open, close) in [("(", ")"), ("{", "}"), ("not ", ""), ("function() ", " end"), ("- ", ""), ("a[", "]")] {
            let source = format!("return {}1{}", open.repeat(100_000), close.repeat(100_000));
            let small = std::thread::Builder::new().stack_size(2 << 20);
            let checked =
                small.spawn(move || check(&source, "deep.luau")).expect("a thread").join().expect("no overflow");
            assert!(checked.is_err(), "{open}");
        }
        let blocks = format!("{}{}", "if a then ".repeat(50_000), "end ".repeat(50_000));
        assert!(check(&blocks, "deep.luau").is_err());
        let chain = format!("return a{}", " .. a".repeat(100_000));
        let _ = check(&chain, "chain.luau");
    }
}
