//! Records a script and says what that took: `record FILE [name=value ..]`.

use runcast_sim::script::{Limits, Value, record};
use std::collections::BTreeMap;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which script?")?;
    let mut parameters = BTreeMap::new();
    for argument in arguments {
        let (name, value) = argument.split_once('=').ok_or("name=value")?;
        parameters.insert(name.to_owned(), Value::Number(value.parse()?));
    }
    let source = std::fs::read_to_string(&file)?;
    let started = Instant::now();
    let recorded = record(&source, &file, &parameters, &Limits::default());
    let took = started.elapsed().as_secs_f64();
    let application = match recorded {
        Ok(recorded) => recorded.application,
        Err(problems) => return Err(problems[0].to_string().into()),
    };
    let operations: usize = application.programs.iter().map(|program| program.ops.len()).sum();
    let text = format!(
        "{took:.3} s, {:.3} us a process; {} processes, {} programs of {operations} operations, {} blocks\n",
        1e6 * took / application.processes() as f64,
        application.processes(),
        application.programs.len(),
        application.blocks.len(),
    );
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}
