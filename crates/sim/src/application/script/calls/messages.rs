//! Messages between processes and between labels.

use super::{Outcome, calls, list, received, table};
use crate::application::Wanted;
use crate::build::persistent::Prepared;
use crate::build::requests::Made;
use crate::script::arguments::{
    Arg, Args, Key, Keys, bytes, bytes_or_zero, fitting_tag, process, sender, tag, text, whole, wrong,
};
use crate::script::host::{Expects, Host, Mode};
use crate::script::raw::{Return, Shape};
use runcast_core::Problem;

const TO: &[Key] = &[Key::to, Key::size, Key::tag];
/// What a wait takes.
const A_REQUEST: &str =
    "a result of isend, irecv, icollective, send_init, recv_init, or of compute or copy with async = true";
const FROM: &[Key] = &[Key::from, Key::size, Key::tag];

calls! {
    "send" Send (table(TO)) |host, args| {
        let to = process("to", args.get(Key::to), host)?;
        host.recorder.send(to, bytes("size", args.get(Key::size))?, tag(args.get(Key::tag))?)?;
        Ok(Return::Nothing)
    };
    "recv" Recv (table(FROM)) |host, args| {
        let from = sender("from", args.get(Key::from), host)?;
        bytes_or_zero("size", args.get(Key::size))?;
        host.recorder.recv(from, fitting_tag(args.get(Key::tag))?)?;
        received(host)
    };
    "isend" Isend (table(TO)) |host, args| {
        let to = process("to", args.get(Key::to), host)?;
        let request = host.recorder.isend(to, bytes("size", args.get(Key::size))?, tag(args.get(Key::tag))?)?;
        Ok(Return::Request(request))
    };
    "irecv" Irecv (table(FROM)) |host, args| {
        let from = sender("from", args.get(Key::from), host)?;
        bytes_or_zero("size", args.get(Key::size))?;
        Ok(Return::Request(host.recorder.irecv(from, fitting_tag(args.get(Key::tag))?)?))
    };
    "sendrecv" Sendrecv (table(&[Key::to, Key::from, Key::size, Key::tag])) |host, args| {
        let to = process("to", args.get(Key::to), host)?;
        let from = sender("from", args.get(Key::from), host)?;
        host.recorder.sendrecv(to, from, bytes("size", args.get(Key::size))?, tag(args.get(Key::tag))?)?;
        received(host)
    };
    "wait" Wait (Shape::Values(1)) |host, args| {
        match args.value(0) {
            Arg::Request(request) => {
                let made = host.recorder.wait(request)?;
                waited(host, Some(made))
            }
            Arg::Persistent(request) => {
                let made = host.recorder.wait_for_started(request)?;
                waited(host, made)
            }
            other => Err(wrong("request", other, A_REQUEST)),
        }
    };
    "send_init" SendInit (table(TO)) |host, args| {
        let to = process("to", args.get(Key::to), host)?;
        let (size, tag) = (bytes("size", args.get(Key::size))?, tag(args.get(Key::tag))?);
        Ok(Return::Persistent(host.recorder.prepare(Prepared::Send { to, size, tag })?))
    };
    "recv_init" RecvInit (table(FROM)) |host, args| {
        let from = sender("from", args.get(Key::from), host)?;
        bytes_or_zero("size", args.get(Key::size))?;
        let tag = fitting_tag(args.get(Key::tag))?;
        Ok(Return::Persistent(host.recorder.prepare(Prepared::Recv { from, tag })?))
    };
    "start" Start (Shape::Values(1)) |host, args| start(host, args.value(0));
    "startall" Startall (list(&[])) |host, args| {
        for (_, request) in in_order(args).iter() {
            start(host, *request)?;
        }
        Ok(Return::Nothing)
    };
    "waitall" Waitall (list(&[])) |host, args| waitall(host, args);
    "waitany" Waitany (list(&[])) |host, args| several(host, args, Wanted::Any);
    "waitsome" Waitsome (list(&[])) |host, args| several(host, args, Wanted::Some);
    "testall" Testall (list(&[])) |host, args| several(host, args, Wanted::AllNow);

    "p2p_send" P2pSend (table(&[Key::to, Key::size])) |host, args| {
        host.recorder.p2p_send(text("to", args.get(Key::to))?, bytes("size", args.get(Key::size))?)?;
        Ok(Return::Nothing)
    };
    "p2p_recv" P2pRecv (table(&[Key::from])) |host, args| {
        host.recorder.p2p_recv(text("from", args.get(Key::from))?)?;
        received(host)
    };
    "one2one_send" One2OneSend (table(&[Key::to, Key::size, Key::count])) |host, args| {
        let (size, count) = (bytes("size", args.get(Key::size))?, whole("count", args.get(Key::count))?);
        host.recorder.one2one_send(text("to", args.get(Key::to))?, size, count)?;
        Ok(Return::Nothing)
    };
    "one2one_recv" One2OneRecv (table(&[Key::from])) |host, args| {
        host.recorder.one2one_recv(text("from", args.get(Key::from))?)?;
        Ok(Return::Nothing)
    };
    "scatter_send" ScatterSend (table(&[Key::to, Key::size])) |host, args| {
        let size = bytes("size", args.get(Key::size))?;
        host.recorder.scatter_send(&labels("to", args.get(Key::to), args)?, size)?;
        Ok(Return::Nothing)
    };
    "scatter_recv" ScatterRecv (table(&[Key::from])) |host, args| {
        host.recorder.scatter_recv(&labels("from", args.get(Key::from), args)?)?;
        received(host)
    };
    "gather_send" GatherSend (table(&[Key::to, Key::size])) |host, args| {
        let size = bytes("size", args.get(Key::size))?;
        host.recorder.gather_send(&labels("to", args.get(Key::to), args)?, size)?;
        Ok(Return::Nothing)
    };
    "gather_recv" GatherRecv (table(&[Key::from])) |host, args| {
        host.recorder.gather_recv(&labels("from", args.get(Key::from), args)?)?;
        Ok(Return::Nothing)
    };

    "p2pCommunicationSend" AliasP2pSend (Shape::Values(2)) |host, args| {
        host.recorder.p2p_send(text("label", args.value(1))?, bytes("size", args.value(0))?)?;
        Ok(Return::Nothing)
    };
    "p2pCommunicationReceive" AliasP2pRecv (Shape::Values(1)) |host, args| {
        host.recorder.p2p_recv(text("label", args.value(0))?)?;
        received(host)
    };
    "one2oneCommunicationSend" AliasOne2OneSend (Shape::Values(3)) |host, args| {
        let (size, count) = (bytes("size", args.value(0))?, whole("n", args.value(2))?);
        host.recorder.one2one_send(text("label", args.value(1))?, size, count)?;
        Ok(Return::Nothing)
    };
    "one2oneCommunicationReceive" AliasOne2OneRecv (Shape::Values(1)) |host, args| {
        host.recorder.one2one_recv(text("label", args.value(0))?)?;
        Ok(Return::Nothing)
    };
    "scatterSend" AliasScatterSend (Shape::Values(2)) |host, args| {
        let size = bytes("size", args.value(0))?;
        host.recorder.scatter_send(&labels("labels", args.value(1), args)?, size)?;
        Ok(Return::Nothing)
    };
    "scatterReceive" AliasScatterRecv (Shape::Values(1)) |host, args| {
        host.recorder.scatter_recv(&[text("label", args.value(0))?])?;
        received(host)
    };
}

/// A label, or a list of labels.
fn labels<'a>(what: &str, arg: Arg<'a>, args: &Args<'a>) -> Result<Vec<&'a str>, Problem> {
    if let Arg::Text(_) = arg {
        return Ok(vec![text(what, arg)?]);
    }
    let mut entries = args.stack.table(arg, what, Keys::NONE, true)?.list;
    entries.sort_by(|left, right| left.0.total_cmp(&right.0));
    if entries.is_empty() {
        return Err(Problem::new("wrong_argument", format!("`{what}` does not name a label")));
    }
    entries.into_iter().map(|(_, label)| text(what, label)).collect()
}

/// A list by the places of its values; holes are skipped.
fn in_order<'a>(args: &'a Args<'_>) -> std::borrow::Cow<'a, [(f64, Arg<'a>)]> {
    let mut entries = std::borrow::Cow::Borrowed(args.list.as_slice());
    if !args.list.is_sorted_by(|left, right| left.0 <= right.0) {
        entries.to_mut().sort_by(|left, right| left.0.total_cmp(&right.0));
    }
    entries
}

fn start(host: &mut Host, request: Arg<'_>) -> Outcome {
    match request {
        Arg::Persistent(request) => host.recorder.start(request)?,
        other => return Err(wrong("request", other, "a result of send_init or recv_init")),
    }
    Ok(Return::Nothing)
}

/// What a wait gives for a request that was made so; none: it was not running.
fn waited(host: &mut Host, made: Option<Made>) -> Outcome {
    match made {
        Some(Made::Recv) => received(host),
        Some(Made::Send | Made::Collective | Made::Task) | None => Ok(Return::Nothing),
    }
}

/// Waits for requests in the order of the list.
fn waitall(host: &mut Host, args: &Args<'_>) -> Outcome {
    for (_, request) in in_order(args).iter() {
        match request {
            Arg::Request(request) => _ = host.recorder.wait(*request)?,
            Arg::Persistent(request) => _ = host.recorder.wait_for_started(*request)?,
            other => return Err(wrong("request", *other, A_REQUEST)),
        }
    }
    Ok(Return::Nothing)
}

/// Waits for some of several requests: which is known only beside simulated time.
fn several(host: &mut Host, args: &Args<'_>, wanted: Wanted) -> Outcome {
    let mut asked = Vec::with_capacity(args.list.len());
    for (place, request) in in_order(args).iter() {
        let request = match request {
            Arg::Request(request) => Some(*request),
            Arg::Persistent(request) => host.recorder.running(*request)?,
            other => return Err(wrong("request", *other, A_REQUEST)),
        };
        asked.extend(request.map(|request| (*place as u32, request)));
    }
    if asked.is_empty() {
        return Err(Problem::new("no_requests", "there is no request to wait for")
            .allowed("a list with at least one request")
            .hint("wait while the list is not empty"));
    }
    if host.mode != Mode::Live {
        host.needs_live = true;
        return Err(Problem::new("needs_live", "a process waits for the first of several requests"));
    }
    host.recorder.several(&asked, wanted)?;
    Ok(Return::Awaited(Expects::Completed(wanted)))
}
