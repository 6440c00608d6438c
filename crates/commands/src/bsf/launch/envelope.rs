//! The output of rank 0 on its way to the process that watches: one JSON document.

use crate::document::Document;
use crate::failure::Failure;
use crate::output::{Content, Destination, OutFile, Output};
use runcast_core::{Problem, Problems, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;

const KIND: &str = "bsf-launched";

/// An output without the files that go to a path.
#[derive(Serialize, Deserialize)]
struct Envelope {
    kind: String,
    version: u32,
    document: Option<Value>,
    human: String,
    notes: Vec<String>,
    warnings: Vec<Warning>,
    /// The file that goes to the standard output.
    stdout: Option<String>,
    exit: u8,
}

/// What came back.
#[derive(Debug)]
pub enum Opened {
    /// An output.
    Output(Box<Output>),
    /// Problems: rank 0 has no output to give.
    Problems(Problems),
}

/// Puts an output into the one document that it prints; files that go to a path stay beside it.
///
/// # Errors
/// It cannot be JSON, which is a bug of runcast.
pub fn seal(output: Output) -> Result<Output, Failure> {
    let document = output.document.as_ref();
    let (mut files, mut stdout) = (Vec::new(), None);
    for file in output.files {
        let bytes = match file.content {
            Content::Bytes(bytes) => bytes,
            Content::Table(table) => table.to_bytes(),
            Content::Document => document.map_or(Ok(Vec::new()), Document::pretty)?,
        };
        match file.to {
            Destination::Stdout => stdout = Some(String::from_utf8_lossy(&bytes).into_owned()),
            to @ Destination::Path(_) => files.push(OutFile { to, content: Content::Bytes(bytes) }),
        }
    }
    let envelope = Envelope {
        kind: KIND.to_owned(),
        version: 1,
        document: document.map(Document::value).transpose()?,
        human: output.human,
        notes: output.notes,
        warnings: output.warnings,
        stdout,
        exit: output.exit,
    };
    Ok(Output { files, exit: output.exit, ..Output::of(envelope) })
}

/// Looks for an output, or for problems, in what the ranks have printed.
pub fn open(printed: &str) -> Option<Opened> {
    documents(printed).find_map(|document| match document.get("kind")?.as_str()? {
        KIND => serde_json::from_value(document).ok().map(|envelope| Opened::Output(Box::new(unsealed(envelope)))),
        "error" => serde_json::from_value::<Vec<Problem>>(document.get("problems")?.clone())
            .ok()
            .map(|problems| Opened::Problems(Problems(problems))),
        _ => None,
    })
}

/// MPI libraries may print what they like before and after.
fn documents(printed: &str) -> impl Iterator<Item = Value> {
    let starts = printed.match_indices('{').map(|(at, _)| at).filter(|&at| at == 0 || printed[..at].ends_with('\n'));
    starts.filter_map(|at| serde_json::Deserializer::from_str(&printed[at..]).into_iter().next()?.ok())
}

fn unsealed(envelope: Envelope) -> Output {
    let stdout = envelope.stdout.map(|text| OutFile { to: Destination::Stdout, content: Content::Bytes(text.into()) });
    Output {
        read_as: None,
        document: envelope.document.map(Document::new),
        human: envelope.human,
        table: None,
        notes: envelope.notes,
        files: stdout.into_iter().collect(),
        main: None,
        warnings: envelope.warnings,
        // `bsf run` gives a result or problems, never both.
        problems: Vec::new(),
        exit: envelope.exit,
        folders: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn an_output_comes_back_as_it_was() {
        let output = Output::of(json!({"kind": "bsf-run", "time_s": 0.1 + 0.2}))
            .human("a table\n")
            .noted("a note")
            .warned([Warning::new("careful", "with that")])
            .with_file(Some(Path::new("-")), "1,2\n")
            .exit(1);
        let sealed = seal(output.clone()).expect("plain data");
        assert_eq!((sealed.files.len(), sealed.exit), (0, 1));
        let printed = sealed.document.expect("a document").pretty().expect("plain data");
        let noisy = format!("a library says {{}}\n{}and {{}} more\n", String::from_utf8(printed).expect("text"));
        let Some(Opened::Output(opened)) = open(&noisy) else { panic!("{noisy}") };
        // What `-o` would write is for jobs of a server, which never run under MPI.
        assert_eq!(*opened, Output { main: None, ..output });
    }

    #[test]
    fn files_stay_with_rank_0() {
        let output = Output::of(json!({"kind": "bsf-run"})).with_document_file(Some(Path::new("out.json")));
        let sealed = seal(output).expect("plain data");
        let Content::Bytes(bytes) = &sealed.files[0].content else { panic!("the envelope would be written") };
        assert!(String::from_utf8_lossy(bytes).contains("bsf-run"));
    }

    #[test]
    fn problems_come_back_and_torn_documents_do_not() {
        let printed = "{\n\"kind\":\"error\",\"version\":1,\"problems\":[{\"code\":\"bad\",\"message\":\"no\"}]}\n";
        let Some(Opened::Problems(problems)) = open(printed) else { panic!("not found") };
        assert_eq!(problems.0[0].code, "bad");
        assert!(open(&printed[..printed.len() / 2]).is_none());
        assert!(open("").is_none());
    }
}
