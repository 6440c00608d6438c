//! Orders and partial results as bytes.

use super::super::erased::decode_into;
use super::super::error::{RunError, UserError};
use super::super::fold::{Folded, Node};
use super::super::lane::{Jobs, Order};
use super::super::link::HEAD;
use super::super::times::PhaseTimes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The command to a rank.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Command {
    /// Map and fold at the approximation that follows.
    Carry(Order),
    /// Send this many bytes back.
    Echo(u64),
    /// Nothing; there is no answer.
    Nothing,
    /// End.
    Leave,
}

/// The header of partial results.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ResultHead {
    /// The first error, in the order of the list.
    pub error: Option<UserError>,
    /// Times of ranks: of the sender, and of those below it in the tree.
    pub times: Vec<(u32, PhaseTimes)>,
    /// Level, index, counter and bytes of each node.
    nodes: Vec<(u32, u64, u64, u64)>,
}

fn broken(error: postcard::Error) -> RunError {
    RunError::Message(format!("a value cannot be encoded or decoded: {error}"))
}

fn append<T: Serialize + ?Sized>(value: &T, message: &mut Vec<u8>) -> Result<(), RunError> {
    *message = postcard::to_extend(value, std::mem::take(message)).map_err(broken)?;
    Ok(())
}

fn begin(message: &mut Vec<u8>) {
    message.clear();
    message.resize(HEAD, 0);
}

/// Writes a command without an approximation, padded to `bytes`.
pub(super) fn write_command(command: Command, bytes: usize, message: &mut Vec<u8>) -> Result<(), RunError> {
    begin(message);
    append(&command, message)?;
    message.resize(message.len().max(HEAD + bytes), 0);
    Ok(())
}

/// Writes an order with its approximation.
pub(super) fn write_order<X: Serialize>(order: Order, x: &X, message: &mut Vec<u8>) -> Result<(), RunError> {
    begin(message);
    append(&Command::Carry(order), message)?;
    append(x, message)
}

/// Reads a command; the bytes after it are the approximation.
pub(super) fn read_command(message: &[u8]) -> Result<(Command, &[u8]), RunError> {
    postcard::take_from_bytes(message.get(HEAD..).unwrap_or_default()).map_err(broken)
}

/// Reads an approximation in the place of another.
pub(super) fn read_approximation<X: DeserializeOwned>(bytes: &[u8], x: &mut X) -> Result<(), RunError> {
    decode_into(bytes, x).map_err(broken)
}

/// Writes the result of a fold, or its error.
pub(super) fn write_result<X>(
    jobs: &Jobs<'_, X>,
    job: usize,
    folded: Result<&Folded, UserError>,
    times: Vec<(u32, PhaseTimes)>,
    message: &mut Vec<u8>,
) -> Result<(), RunError> {
    let mut bytes = Vec::new();
    let mut head = ResultHead { error: None, times, nodes: Vec::new() };
    match folded {
        Ok(folded) => {
            for node in &folded.nodes {
                let before = bytes.len();
                bytes = jobs[job].encode(&node.partial, bytes).map_err(broken)?;
                head.nodes.push((node.level, node.index, node.counter, (bytes.len() - before) as u64));
            }
        }
        Err(error) => head.error = Some(error),
    }
    begin(message);
    append(&head, message)?;
    message.append(&mut bytes);
    Ok(())
}

/// Reads the result of another rank into the memory of its previous one.
pub(super) fn read_result<X>(
    jobs: &Jobs<'_, X>,
    job: usize,
    message: &[u8],
    folded: &mut Folded,
) -> Result<ResultHead, RunError> {
    let (head, mut rest): (ResultHead, &[u8]) =
        postcard::take_from_bytes(message.get(HEAD..).unwrap_or_default()).map_err(broken)?;
    folded.nodes.truncate(head.nodes.len());
    for (place, &(level, index, counter, bytes)) in head.nodes.iter().enumerate() {
        let (of_node, after) = rest
            .split_at_checked(bytes as usize)
            .ok_or_else(|| RunError::Message("a partial result is shorter than stated".to_owned()))?;
        rest = after;
        if let Some(node) = folded.nodes.get_mut(place) {
            jobs[job].decode_into(of_node, &mut node.partial).map_err(broken)?;
            (node.level, node.index, node.counter) = (level, index, counter);
        } else {
            let partial = jobs[job].decode(of_node).map_err(broken)?;
            folded.nodes.push(Node { level, index, counter, partial });
        }
    }
    Ok(head)
}
