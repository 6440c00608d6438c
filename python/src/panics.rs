//! A panic becomes an exception, and prints nothing.

use std::any::Any;
use std::cell::RefCell;

/// How the names of our threads begin.
pub const THREADS: &str = "runcast-";

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps where a panic of our threads was; others are reported as before.
pub fn keep_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if runcast_core::table::catches_panics() {
            return;
        }
        if std::thread::current().name().is_some_and(|name| name.starts_with(THREADS)) {
            let place = panic.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
            PLACE.with(|kept| *kept.borrow_mut() = place);
            return;
        }
        usual(panic);
    }));
}

/// What a panic of this thread said, and where.
pub fn told(payload: &(dyn Any + Send)) -> String {
    let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    let place = PLACE.with(|kept| std::mem::take(&mut *kept.borrow_mut()));
    format!("a bug of runcast: {message} ({place})")
}
