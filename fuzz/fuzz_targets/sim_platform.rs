//! Any text as a platform file of SimGrid: what is imported goes there and back unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_sim::simgrid::{export, import};
use runcast_sim::system::write;

fuzz_target!(|text: &str| {
    match import(text, "platform.xml") {
        Ok(imported) => {
            let Ok(exported) = export(&imported.system) else { return };
            let again = import(&exported.text, "platform.xml").expect("its own words");
            assert_eq!(write(&again.system), write(&imported.system));
        }
        Err(problem) => assert!(problem.file.is_some() && !problem.message.is_empty()),
    }
});
