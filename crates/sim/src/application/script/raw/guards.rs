//! Enforces the limits of a script: steps are counted at calls and loop iterations, memory by its size, and library
//! functions that run long without either are charged in advance.

use super::{HOST, line, note};
use crate::script::host::Host;
use mlua::ffi::{self, lua_State};
use runcast_core::Problem;
use std::ffi::c_int;

/// Called at calls, returns and loop iterations.
pub(super) unsafe extern "C-unwind" fn interrupt(state: *mut lua_State, collecting: c_int) {
    // SAFETY: the host outlives every run of the machine; it is not borrowed while the machine runs.
    unsafe {
        let host = HOST.get();
        if collecting >= 0 || host.is_null() {
            return;
        }
        if (*host).budget.looks() {
            (*host).last_line = line(state, 0);
        }
        if (*host).budget.step() {
            return;
        }
        out_of_budget(state, &mut *host);
    }
}

#[cold]
unsafe fn out_of_budget(state: *mut lua_State, host: &mut Host) -> ! {
    // SAFETY: as above.
    unsafe {
        host.recorder.line = line(state, 0);
        let problem = host.budget.spent();
        note(state, host, "", problem);
        ffi::lua_error(state)
    }
}

/// Called where an error is raised, including out-of-memory: records its position.
pub(super) unsafe extern "C-unwind" fn raised(state: *mut lua_State) -> c_int {
    // SAFETY: as above; the error stays where it is, as the result.
    unsafe {
        let host = HOST.get();
        if !host.is_null() {
            let line = line(state, 1);
            if line > 0 {
                (*host).last_line = line;
            }
        }
        ffi::lua_settop(state, 1);
        1
    }
}

/// Called for every piece of memory. It must not raise: the next step does.
pub(super) unsafe extern "C-unwind" fn allocated(_: *mut lua_State, _: usize, bytes: usize) {
    if bytes >= 4_096 {
        // SAFETY: as above.
        unsafe {
            let host = HOST.get();
            if !host.is_null() {
                (*host).budget.take((bytes / 8) as i64);
            }
        }
    }
}

/// A library function that is metered; it is the first upvalue.
pub(super) unsafe extern "C-unwind" fn guarded<const WORK: u8>(state: *mut lua_State) -> c_int {
    // SAFETY: the state is valid, the first upvalue is the function; the host is not borrowed while it runs.
    unsafe {
        let host = HOST.get();
        let mut cost = 1;
        if !host.is_null() {
            let steps = match WORK {
                PATTERN => {
                    let (text, pattern) = (length(state, 1), length(state, 2));
                    cost = (1 + text.saturating_mul(pattern) / 256).min(i64::MAX as u64 / 4) as i64;
                    text.saturating_mul(1 + pattern / 32) / 16
                }
                SORT => {
                    let entries = length(state, 1);
                    entries.saturating_mul(u64::from(64 - entries.leading_zeros())) / 4
                }
                _ => length(state, 1) / 16,
            };
            if !(*host).budget.take(steps.min(i64::MAX as u64 / 4) as i64) {
                out_of_budget(state, &mut *host);
            }
        }
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
        ffi::lua_insert(state, 1);
        call_at_cost(state, cost);
        ffi::lua_gettop(state)
    }
}

pub(super) const PATTERN: u8 = 0;
pub(super) const SORT: u8 = 1;
pub(super) const THROUGH: u8 = 2;

/// Calls the function at the bottom of the stack with the rest; a step costs so much meanwhile.
unsafe fn call_at_cost(state: *mut lua_State, cost: i64) {
    // SAFETY: as above.
    unsafe {
        let host = HOST.get();
        let before = if host.is_null() { 1 } else { std::mem::replace(&mut (*host).budget.cost, cost) };
        let status = ffi::lua_pcall(state, ffi::lua_gettop(state) - 1, ffi::LUA_MULTRET, 0);
        if !host.is_null() {
            (*host).budget.cost = before;
        }
        if status != ffi::LUA_OK {
            raise_placed(state);
        }
    }
}

/// Raises the error on top again; if the library did not know its position (our function called it), it is prepended.
unsafe fn raise_placed(state: *mut lua_State) -> ! {
    // SAFETY: an error is on top of the stack.
    unsafe {
        if ffi::lua_type(state, -1) == ffi::LUA_TSTRING {
            let mut length = 0;
            let text = ffi::lua_tolstring(state, -1, &mut length);
            if !std::slice::from_raw_parts(text.cast::<u8>(), length).starts_with(b"script:") {
                ffi::lua_pushfstring(state, c"script:%d: %s".as_ptr(), line(state, 1) as c_int, text);
            }
        }
        ffi::lua_error(state)
    }
}

unsafe fn length(state: *mut lua_State, index: c_int) -> u64 {
    // SAFETY: an index above the top is an absent value.
    unsafe {
        match ffi::lua_type(state, index) {
            ffi::LUA_TSTRING | ffi::LUA_TTABLE => ffi::lua_objlen(state, index) as u64,
            _ => 0,
        }
    }
}

/// `string.gmatch`: its result is metered, too.
pub(super) unsafe extern "C-unwind" fn gmatch(state: *mut lua_State) -> c_int {
    // SAFETY: as above; the second upvalue of the new function is what its steps cost.
    unsafe {
        let cost = 1 + length(state, 1).saturating_mul(length(state, 2)) / 256;
        guarded::<PATTERN>(state);
        ffi::lua_settop(state, 1);
        ffi::lua_pushnumber(state, cost as f64);
        ffi::lua_pushcclosurek(state, gmatch_next, c"gmatch".as_ptr(), 2, None);
        1
    }
}

unsafe extern "C-unwind" fn gmatch_next(state: *mut lua_State) -> c_int {
    // SAFETY: the upvalues are those of `gmatch`.
    unsafe {
        ffi::lua_settop(state, 0);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(1));
        let cost = ffi::lua_tonumber(state, ffi::lua_upvalueindex(2));
        call_at_cost(state, cost.min(1e18) as i64);
        ffi::lua_gettop(state)
    }
}

/// Functions that scripts do not have; the name is the first upvalue.
pub(super) unsafe extern "C-unwind" fn forbidden(state: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let mut length = 0;
        let name = ffi::lua_tolstring(state, ffi::lua_upvalueindex(1), &mut length);
        let name = String::from_utf8_lossy(std::slice::from_raw_parts(name.cast(), length)).into_owned();
        let host = &mut *HOST.get();
        host.recorder.line = line(state, 1);
        let problem = Problem::new("forbidden", format!("`{name}` is not available"))
            .hint("a script has no files, network, clock, environment, coroutines or loading of code; use param(..), now(), random(), log(..)");
        note(state, host, "", problem);
        ffi::lua_error(state)
    }
}

/// A message is read that is not received yet: the process must run alongside simulated time.
pub(super) unsafe extern "C-unwind" fn looked(state: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let host = &mut *HOST.get();
        host.needs_live = true;
        note(state, host, "", Problem::new("needs_live", "a process reads a message"));
        ffi::lua_error(state)
    }
}

/// Before each protected call of a script: raising and catching an error takes as long as many steps.
pub(super) unsafe extern "C-unwind" fn protected(state: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let host = &mut *HOST.get();
        if !host.budget.take(100) {
            out_of_budget(state, host);
        }
        0
    }
}

/// `loop(n, f)` while a process is recorded: the body is run once.
pub(super) unsafe extern "C-unwind" fn repeat(state: *mut lua_State) -> c_int {
    // SAFETY: as above; an error of the body is raised again only when the loop has been left.
    unsafe {
        let host = HOST.get();
        (*host).recorder.line = line(state, 1);
        match super::machine::loop_count(state).and_then(|count| {
            (*host).recorder.enter(count)?;
            Ok(count)
        }) {
            Err(problem) => {
                note(state, &mut *host, "loop", problem);
                ffi::lua_error(state);
            }
            Ok(count) => {
                let status = if count > 0 {
                    ffi::lua_settop(state, 2);
                    ffi::lua_pcall(state, 0, 0, 0)
                } else {
                    ffi::LUA_OK
                };
                let left = (*host).recorder.leave();
                if status != ffi::LUA_OK {
                    ffi::lua_error(state);
                }
                if let Err(problem) = left {
                    note(state, &mut *host, "loop", problem);
                    ffi::lua_error(state);
                }
                0
            }
        }
    }
}

/// The same in a live process: how often, for a loop that is written in the script's own language.
pub(super) unsafe extern "C-unwind" fn turns(state: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let host = &mut *HOST.get();
        match super::machine::loop_count(state) {
            Ok(count) => {
                ffi::lua_pushnumber(state, count as f64);
                1
            }
            Err(problem) => {
                host.recorder.line = line(state, 1);
                note(state, host, "loop", problem);
                ffi::lua_error(state)
            }
        }
    }
}
