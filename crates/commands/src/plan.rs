//! `runcast plan`: which configurations to run.

mod inverse;

pub use inverse::{Deadline, InverseArgs};

use crate::context::Context;
use crate::document::Document;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::options::OutArgs;
use crate::options::paths::InputFile;
use crate::output::Output;
use crate::tables;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use runcast_core::Problems;
use runcast_core::plan::{KEYS, Plan, PlanSpec, Price, Scaling, TARGET};

/// Arguments of `runcast plan`.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct PlanArgs {
    /// What is wanted, as TOML; options go before what it says
    #[arg(value_name = "PLAN.toml", value_hint = ValueHint::FilePath)]
    pub file: Option<InputFile>,
    #[command(flatten)]
    pub keys: PlanKeys,
    /// Examine this table, and choose nothing: how far its configurations deviate
    #[arg(long = "examine", alias = "check", value_name = "FILE", help_heading = None::<&str>, value_hint = ValueHint::FilePath)]
    pub check: Option<InputFile>,
    #[command(flatten)]
    pub inverse: InverseArgs,
    #[command(flatten)]
    pub out: OutArgs,
}

impl PlanArgs {
    /// The last text that was given for a key.
    fn value(&self, key: &str) -> Option<&str> {
        self.keys.values.iter().rfind(|(known, _)| *known == key).map(|(_, text)| text.as_str())
    }
}

/// The keys of a plan that were given as options, in the order of [`KEYS`]. The list there is the only one: each of
/// its keys is an option.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanKeys {
    /// Key and value.
    pub values: Vec<(&'static str, String)>,
}

impl Args for PlanKeys {
    fn augment_args(command: Command) -> Command {
        KEYS.iter().fold(command.next_help_heading("What is wanted (each also a key of PLAN.toml)"), |command, key| {
            let arg = Arg::new(key.name)
                .long(key.option())
                .value_name(key.metavar)
                .help(key.help)
                .hide_short_help(
                    ["repetitions", "min_p", "count", "keep", "round", "start", "ratio", "max_deviation"]
                        .contains(&key.name),
                )
                .allow_negative_numbers(true)
                .action(if key.repeatable { ArgAction::Append } else { ArgAction::Set });
            // As the key is called in the file.
            let own = key.name.replace('_', "-");
            command.arg(if own == key.option() { arg } else { arg.alias(own) })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PlanKeys {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut values = Vec::new();
        for key in &KEYS {
            values.extend(
                matches.get_many::<String>(key.name).into_iter().flatten().map(|text| (key.name, text.clone())),
            );
        }
        Ok(PlanKeys { values })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Chooses configurations, or measures those that someone else chose.
///
/// # Errors
/// What is wrong with the file, the options, or the configurations to check.
pub fn run(args: &PlanArgs, context: &mut Context) -> Result<Output, Failure> {
    if args.inverse.is_asked() {
        return inverse::run(args, context);
    }
    let mut spec = match &args.file {
        Some(file) => PlanSpec::from_toml(&tables::name_of(file), &context.read_text(file)?)?,
        None => PlanSpec::default(),
    };
    let problems: Vec<_> = args.keys.values.iter().filter_map(|(key, text)| spec.set(key, text).err()).collect();
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    let plan = match &args.check {
        Some(file) => spec.check(&tables::name_of(file), &context.read(file)?)?,
        None => spec.solve()?,
    };
    let mut csv = Vec::new();
    plan.write_csv(&mut csv).map_err(|error| Failure::writing("the plan".as_ref(), &error))?;
    let output = Output::default().human(text(&plan, context)).warned(plan.warnings.iter().cloned());
    let mut output = match args.out.path() {
        Some(path) if path.as_os_str() != "-" => {
            let path = path.display();
            let with_targets = plan.configurations.iter().any(|planned| planned.set == TARGET);
            let only = if with_targets { " --only train" } else { "" };
            let words: Vec<String> = plan.parameters().iter().map(|name| format!("{{{name}}}")).collect();
            let words = words.join(" ");
            output
                .noted(format!("wrote {path}; to run it: runcast bench {path}{only} -o runs.csv -- ./program {words}"))
        }
        _ => output,
    };
    output.document = Some(Document::new(plan));
    Ok(output.with_file(args.out.path(), csv))
}

/// The plan for people.
fn text(plan: &Plan, context: &Context) -> String {
    let parameters: Vec<String> = plan.parameters().into_iter().map(str::to_owned).collect();
    let mut table = Table::new().text("set");
    for name in &parameters {
        table = table.number(name);
    }
    let mut table =
        table.number("reps").number("exact").number("work per process").number("deviation").number("core-hours");
    for planned in &plan.configurations {
        let mut row = vec![planned.set.clone()];
        row.extend(parameters.iter().map(|name| planned.at.get(name).map_or(String::new(), human::parameter)));
        row.push(planned.repetitions.to_string());
        let exact = planned.exact.as_ref().map(|at| at.0.values().map(|value| human::significant(*value, 7)));
        row.push(exact.map_or(String::new(), |values| values.collect::<Vec<_>>().join(" ")));
        row.push(planned.work_per_process.map_or(String::new(), |work| human::significant(work, 6)));
        row.push(planned.deviation_pct.map_or(String::new(), |pct| human::signed_percent(Some(pct), 2)));
        row.push(planned.core_hours.map_or(String::new(), |hours| human::significant(hours, 3)));
        table.row(row);
    }
    let runs: u64 = plan.configurations.iter().map(|planned| u64::from(planned.repetitions)).sum();
    let mut text = table.render(context.screen);
    text.push_str(&format!(
        "\n{}, {}, {runs} runs",
        match plan.scaling {
            Scaling::Grid => "grid".to_owned(),
            scaling => format!("{} scaling", scaling.name()),
        },
        human::count(plan.configurations.len(), "configuration", "configurations"),
    ));
    if let Some(most) = plan.max_deviation_pct() {
        text.push_str(&format!(", largest deviation {} %", human::significant(most, 3)));
    }
    text.push('\n');
    if let Some(price) = &plan.price {
        text.push_str(&costs(price, plan.configurations.iter().any(|planned| planned.set == TARGET)));
    }
    text
}

/// What the runs cost together, and how far to trust that.
fn costs(price: &Price, with_targets: bool) -> String {
    let hours = |hours: f64| human::significant(hours, 3);
    let budget = price.budget_core_hours.map_or(String::new(), |budget| format!(" of a budget of {}", hours(budget)));
    let targets = match with_targets {
        true => format!("; the targets, if they are run: {}", hours(price.target_core_hours)),
        false => String::new(),
    };
    format!(
        "training runs: {} core-hours{budget}{targets}\n\
         priced from {} in {}, one core per process, as if the program scaled ideally:\n\
         what messages and waiting take comes on top\n",
        hours(price.train_core_hours),
        price.measured.at,
        human::quantity(price.measured.time_s, "s"),
    )
}
