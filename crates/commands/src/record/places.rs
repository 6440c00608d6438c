//! Names of call sites: the function that calls, where the program's file is still the one that was recorded.

use crate::context::Context;
use runcast_record::Recording;
use runcast_record::symbols::Symbols;
use runcast_record::tables::{Module, Site, address};
use std::collections::HashMap;
use std::path::Path;

/// Files of code above this size are not read for names.
const MOST_BYTES: u64 = 1 << 30;

/// A name for each call site: `exchange app+0x1742`; the file of code and the offset in it alone where the function is
/// not known.
pub(crate) fn names(recording: &Recording, context: &mut Context) -> Vec<String> {
    let mut known: HashMap<u32, Option<Symbols>> = HashMap::new();
    let mut name = |site: &Site| {
        let address = address(site, &recording.modules);
        let function = site.frames.first().and_then(|(module, offset)| {
            let read = || recording.modules.get(*module as usize).and_then(|module| symbols(module, context));
            known.entry(*module).or_insert_with(read).as_ref()?.function(offset.checked_sub(1)?).map(str::to_owned)
        });
        function.map_or(address.clone(), |function| format!("{} {address}", function.escape_debug()))
    };
    recording.sites.iter().map(&mut name).collect()
}

/// The functions of a file, if it is the one that was recorded.
fn symbols(module: &Module, context: &mut Context) -> Option<Symbols> {
    let path = Path::new(&module.path);
    let is_fit =
        path.is_absolute() && std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() < MOST_BYTES);
    if !is_fit || module.build_id.is_empty() || !context.files.is_file(path) {
        return None;
    }
    let symbols = Symbols::read(&context.read(path).ok()?)?;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes();
    let is_same = symbols.build_id == module.build_id || hex(&symbols.build_id) == module.build_id;
    is_same.then_some(symbols)
}
