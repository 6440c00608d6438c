//! A campaign: runs until their digits are gained, all degrees in turns, and the estimates of the chain held against them.
//!
//! Nothing is reduced during a run, which would synchronize its processes: a run makes a number of phases, and the phase at
//! which it was accurate enough is found afterwards. A run that was too short is made again, longer, up to 8 times
//! `--phases`.

mod document;
mod text;

use super::job::{Job, ROWS_MOST, Sums, failure};
use super::options::{RunArgs, Until};
use super::program::Program;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::plots;
use crate::wavefront::watch::Watch;
use document::Document;
use runcast_bsf::skeleton::Backend;
use runcast_core::Problem;
use runcast_core::random::SplitMix;
use runcast_core::table::number::to_text;
use runcast_wavefront::Model;
use runcast_wavefront::model::Degree;
use runcast_wavefront::run::{Reached, Recording, initial_error, threads};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

/// A run that was too short is made again with up to this many times the phases.
const LONGER: u64 = 8;
/// More phases than needed, so that the next run is long enough too.
const MARGIN: f64 = 1.25;
/// The stream of the order of the runs lies beyond those of the times.
const ORDERS: u64 = 1 << 42;

/// A degree, and its runs.
struct Course {
    degree: Degree,
    model: Arc<Model>,
    /// Phases of its next run.
    phases: u64,
    sums: Sums,
    runs: Vec<Ran>,
}

/// A run.
struct Ran {
    /// When it began, from the beginning of the campaign.
    start_s: f64,
    /// When it was accurate enough.
    reached: Option<Reached>,
}

struct Campaign {
    job: Job,
    /// The error of the operator at the start.
    initial: f64,
    digits: f64,
    courses: Vec<Course>,
    is_interrupted: bool,
}

/// Makes the runs of a campaign, and tells what the estimates were worth.
///
/// # Errors
/// What is wrong with the model and the options, or the code of the operator; a table cannot be written; or a stop was
/// asked for before anything was measured.
pub(super) fn run(args: &RunArgs, context: &mut Context) -> Result<Output, Failure> {
    if args.backend() == Backend::Mpi {
        let at = if args.degrees.is_some() { "--degrees" } else { "--until" };
        let problem = Problem::new("campaign_threads", "runs until digits are gained are made on threads").at(at);
        return Err(problem.allowed("--backend threads").hint("under MPI give --phases").into());
    }
    let mut campaign = Campaign::of(args, context)?;
    campaign.play(context)?;
    campaign.output(args, context)
}

impl Campaign {
    fn of(args: &RunArgs, context: &mut Context) -> Result<Campaign, Failure> {
        let job = Job::read(args, context)?;
        let initial = initial_error(&*job.program.operator).ok_or_else(|| no_error(&job.program))?;
        let digits = match args.until {
            Some(Until::Digits(digits)) => digits,
            _ => job.model.omega,
        };
        let degrees = match &args.degrees {
            Some(text) => Degree::list(text, job.processes(), &job.degrees)?,
            None => vec![Degree::own(&job.model)],
        };
        let is_plain = |degree: &Degree| degree.alpha.iter().all(|a| *a == 1) && degree.beta.iter().all(|b| *b == 0);
        if job.model.has_sends && !degrees.iter().all(is_plain) {
            let problem = Problem::new("sends", "with sends one after the other only A = 1 and B = 0 are known");
            return Err(problem.at("--degrees").hint("a model without send").into());
        }
        let course = |degree: Degree| -> Result<Course, Failure> {
            let model = Arc::new(Model { omega: digits, ..degree.of(&job.model) });
            let folder = args.out.as_ref().map(|folder| folder.join(degree.name.replace(['/', ':'], "-")));
            let sums = Sums::new(&job, &model, folder.as_deref())?;
            Ok(Course { degree, model, phases: args.phases, sums, runs: Vec::new() })
        };
        let courses = degrees.into_iter().map(course).collect::<Result<_, _>>()?;
        Ok(Campaign { job, initial, digits, courses, is_interrupted: false })
    }

    /// All runs: in each round one of every degree, in an order that the seed gives.
    fn play(&mut self, context: &mut Context) -> Result<(), Failure> {
        let rounds = self.job.args.runs;
        let watch = Watch::new("iterating", rounds.saturating_mul(self.courses.len() as u64), context);
        let (more, pace, begun) = (watch.more(), self.job.pace(), Instant::now());
        let mut played = Ok(());
        'all: for round in 0..rounds {
            let mut random = SplitMix::new(self.job.args.seed.seed, ORDERS + round);
            let mut order: Vec<usize> = (0..self.courses.len()).collect();
            (1..order.len()).for_each(|place| order.swap(place, random.below(place + 1)));
            for index in order {
                let start_s = begun.elapsed().as_secs_f64();
                played = self.one(index, round, (pace, start_s), context);
                more(1);
                if played.is_err() || self.is_interrupted {
                    break 'all;
                }
            }
        }
        watch.end(context);
        played
    }

    /// One run, made longer where it is too short.
    fn one(
        &mut self,
        index: usize,
        round: u64,
        (pace, start_s): (Option<u64>, f64),
        context: &Context,
    ) -> Result<(), Failure> {
        let most = self.job.args.phases.saturating_mul(LONGER).min(ROWS_MOST / self.job.processes() as u64);
        let course = &mut self.courses[index];
        let (recording, reached) = loop {
            let settings = self.job.settings(&course.model, round, pace, &context.interrupt);
            let settings = runcast_wavefront::run::Settings { phases: course.phases, ..settings };
            let recording = threads(&*self.job.program.operator, &settings).map_err(failure)?;
            let reached = Reached::of(&recording, self.initial, self.digits);
            if reached.is_some() || recording.is_interrupted || course.phases >= most {
                break (recording, reached);
            }
            course.phases = longer(&recording, self.initial, self.digits).clamp(course.phases + 1, most);
        };
        self.is_interrupted = recording.is_interrupted;
        course.sums.add(&recording, &self.job, round)?;
        if !recording.is_interrupted {
            course.runs.push(Ran { start_s, reached });
        }
        Ok(())
    }

    fn output(self, args: &RunArgs, context: &Context) -> Result<Output, Failure> {
        if self.courses.iter().all(|course| course.runs.is_empty()) {
            return Err(Failure::interrupted());
        }
        let table = self.table();
        let (notes, is_interrupted) = (self.job.notes.clone(), self.is_interrupted);
        let mut document = Document::of(self, context)?;
        let mut output = Output::default();
        if let Some(folder) = &args.out {
            let path = folder.join("campaign.csv");
            std::fs::write(&path, table).map_err(|error| Failure::writing(&path, &error))?;
            document.files.insert(0, path.display().to_string());
            output = output.noted(format!("wrote {}", document.files.join(", ")));
        }
        if let Some(path) = &args.plot.plot {
            output.files.push(plots::file(path, &text::plot(&document))?);
            output = output.noted(format!("wrote {}", path.display()));
        }
        output.notes.splice(0..0, notes);
        output.human = text::text(&document, context.screen);
        output = output.warned(document.warnings.iter().cloned()).exit(u8::from(is_interrupted));
        output.document = Some(crate::document::Document::new(document));
        Ok(output)
    }

    /// A row for each run, in the order of the degrees.
    fn table(&self) -> String {
        let mut csv = String::from("degree,A,B,processes,rep,start_s,phases,iterations,time_s,status\n");
        for course in &self.courses {
            let label = course.degree.label();
            let (alpha, beta) = label.split_once('/').unwrap_or((&label, ""));
            for (rep, ran) in course.runs.iter().enumerate() {
                let reached = match &ran.reached {
                    Some(it) => format!("{},{},{},ok", it.phases, it.iterations, to_text(it.time_s)),
                    None => ",,,not_reached".to_owned(),
                };
                let (name, processes, start_s) = (&course.degree.name, self.job.processes(), to_text(ran.start_s));
                let _ = writeln!(csv, "{name},{alpha},{beta},{processes},{rep},{start_s},{reached}");
            }
        }
        csv
    }
}

/// Phases that the digits may take, from what a run that was too short has gained.
fn longer(recording: &Recording, initial: f64, digits: f64) -> u64 {
    let errors = recording.errors();
    let gained = errors.last().copied().flatten().map_or(0.0, |error| -(error / initial).log10());
    let phases = errors.len() as f64;
    let needed = if gained > 0.0 { MARGIN * phases * digits / gained } else { 2.0 * phases };
    needed.min(1e15).ceil() as u64
}

fn no_error(program: &Program) -> Failure {
    let message = format!("the {} operator does not know its fixed point, so that no error is known", program.kind);
    Problem::new("no_error", message).at("--until").hint("give --phases alone").into()
}
