//! Windows: one side alone accesses the memory of another process.

use super::{Outcome, calls, table};
use crate::application::Access;
use crate::script::arguments::{Arg, Args, Key, bytes, process, wrong};
use crate::script::host::Host;
use crate::script::raw::Return;
use runcast_core::Problem;

const ACCESS: &[Key] = &[Key::win, Key::to, Key::size];
const AT: &[Key] = &[Key::win, Key::to];

calls! {
    "win" Win (table(&[])) |host, _args| Ok(Return::Window(host.recorder.window()?));
    "put" Put (table(ACCESS)) |host, args| access(host, args, Access::Put);
    "get" Get (table(ACCESS)) |host, args| access(host, args, Access::Get);
    "accumulate" Accumulate (table(ACCESS)) |host, args| access(host, args, Access::Accumulate);
    "fence" Fence (table(&[Key::win])) |host, args| {
        host.recorder.fence(window(args)?)?;
        Ok(Return::Nothing)
    };
    "flush" Flush (table(AT)) |host, args| {
        let to = match args.get(Key::to) {
            Arg::Nil => None,
            to => Some(process("to", to, host)?),
        };
        host.recorder.flush(window(args)?, to)?;
        Ok(Return::Nothing)
    };
    "lock" Lock (table(AT)) |host, args| {
        let to = process("to", args.get(Key::to), host)?;
        host.recorder.lock(window(args)?, to)?;
        Ok(Return::Nothing)
    };
    "unlock" Unlock (table(AT)) |host, args| {
        let to = process("to", args.get(Key::to), host)?;
        host.recorder.unlock(window(args)?, to)?;
        Ok(Return::Nothing)
    };
}

fn access(host: &mut Host, args: &Args<'_>, access: Access) -> Outcome {
    let to = process("to", args.get(Key::to), host)?;
    host.recorder.access(access, window(args)?, to, bytes("size", args.get(Key::size))?)?;
    Ok(Return::Nothing)
}

fn window(args: &Args<'_>) -> Result<u32, Problem> {
    match args.get(Key::win) {
        Arg::Window(window) => Ok(window),
        other => Err(wrong("win", other, "a result of win{}")),
    }
}
