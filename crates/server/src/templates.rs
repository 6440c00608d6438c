//! Files to start from: those of `sim new`, one for every method, and the samples of a first project.

use crate::wire::files::{TemplateFile, TemplateItem};
use runcast_commands::remote::InMemory;
use runcast_commands::sim::new::{self, NewArgs};
use runcast_commands::{Content, Context, Destination};
use runcast_sim::templates::{self, TEMPLATES};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

const COSTS: &str = include_str!("../templates/costs.toml");

/// Templates of methods other than simulation: name, title, file and content. A new one is a file and a line.
const METHODS: [(&str, &str, &str, &str); 5] = [
    ("fit", "measured runs, to fit models to", "runs.csv", include_str!("../templates/runs.csv")),
    ("plan", "which configurations to measure: weak scaling", "plan.toml", include_str!("../templates/plan.toml")),
    ("call", "a trace of a region with its formula", "trace.csv", include_str!("../templates/trace.csv")),
    ("bsp", "a program of supersteps: a ring of halos", "program.toml", include_str!("../templates/program.toml")),
    (
        "wavefront",
        "three processes that wait for one another",
        "wavefront.toml",
        include_str!("../templates/wavefront.toml"),
    ),
];

/// The files of the first project of a single user: path and content.
pub const SAMPLES: [(&str, &str); 4] = [
    ("experiments/heat.toml", include_str!("../templates/heat-experiment.toml")),
    ("formulas/heat.toml", include_str!("../templates/heat-coefficients.toml")),
    ("tables/heat.csv", include_str!("../templates/heat.csv")),
    ("bsf/jacobi.toml", COSTS),
];

/// What questions begin with beside the samples: path and content.
const OF_QUESTIONS: [(&str, &str); 1] =
    [(runcast_commands::ask::samples::WAVEFRONT, include_str!("../templates/shared-machines.toml"))];

pub fn all() -> &'static [TemplateItem] {
    static ALL: LazyLock<Vec<TemplateItem>> = LazyLock::new(|| {
        let of_sim = TEMPLATES.iter().map(|template| {
            let files = [
                ("app.luau", template.app),
                ("system.toml", template.system),
                ("experiment.toml", template.experiment),
            ];
            item(template.name, template.what, files.map(|(path, content)| (path.to_owned(), content.to_owned())))
        });
        let methods = METHODS
            .iter()
            .map(|(name, title, path, content)| item(name, title, [((*path).to_owned(), (*content).to_owned())]));
        of_sim.chain(bsf()).chain(methods).collect()
    });
    &ALL
}

/// The samples, with the application and the system of the template that they are made of.
pub fn samples() -> Vec<(String, String)> {
    let heat = templates::find("heat");
    let of_heat =
        heat.into_iter().flat_map(|heat| [("applications/heat.luau", heat.app), ("systems/galera.toml", heat.system)]);
    of_heat.chain(SAMPLES).map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// All files that questions begin with.
pub fn of_questions() -> Vec<(String, String)> {
    let cluster = templates::find("spmd-2d").map(|template| ("systems/cluster.toml", template.system));
    let others = cluster.into_iter().chain(OF_QUESTIONS).map(|(path, text)| (path.to_owned(), text.to_owned()));
    samples().into_iter().chain(others).collect()
}

fn item(name: &str, title: &str, files: impl IntoIterator<Item = (String, String)>) -> TemplateItem {
    let files = files.into_iter().map(|(path, content)| TemplateFile { path, content }).collect();
    TemplateItem { name: name.to_owned(), title: title.to_owned(), files }
}

/// The costs of an algorithm, with the simulation that `sim new bsf` makes of them.
fn bsf() -> Option<TemplateItem> {
    const NAME: &str = "costs.toml";
    let args = NewArgs {
        template: Some(templates::BSF.name.to_owned()),
        output: Some(PathBuf::from("/nowhere").into()),
        costs: Some(PathBuf::from(NAME).into()),
        force: true,
    };
    let mut context = Context::new();
    context.files = Box::new(InMemory::new([(NAME.to_owned(), Arc::from(COSTS.as_bytes()))]));
    let output = new::run(&args, &mut context).ok()?;
    let made = output.files.into_iter().filter_map(|file| match (file.to, file.content) {
        (Destination::Path(path), Content::Bytes(bytes)) => {
            Some((path.file_name()?.to_str()?.to_owned(), String::from_utf8(bytes).ok()?))
        }
        _ => None,
    });
    let files: Vec<(String, String)> = [(NAME.to_owned(), COSTS.to_owned())].into_iter().chain(made).collect();
    Some(item(templates::BSF.name, templates::BSF.what, files))
}

#[cfg(test)]
mod tests {
    use super::{all, of_questions};
    use runcast_commands::kinds::{Kind, facts};
    use runcast_sim::catalogue::Catalogue;
    use std::collections::HashSet;

    #[test]
    fn all_templates_are_files_that_can_be_read() {
        let mut kinds = HashSet::new();
        let mut names = HashSet::new();
        for template in all() {
            assert!(names.insert(&template.name) && !template.title.is_empty());
            for file in &template.files {
                let path = format!("{}/{}", template.name, file.path);
                assert!(runcast_commands::remote::is_project_path(&path), "{path}");
                let facts = facts(&path, file.content.as_bytes(), Catalogue::builtin());
                assert!(facts.is_valid() && facts.kind != Kind::Other, "{path}: {:?}", facts.problems);
                kinds.insert(facts.kind);
            }
        }
        let methods = [Kind::Application, Kind::Bsf, Kind::Bsp, Kind::Wavefront, Kind::Trace, Kind::Plan, Kind::Table];
        assert!(methods.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
        let bsf = all().iter().find(|template| template.name == "bsf").expect("a template");
        assert_eq!(bsf.files.len(), 4);
    }

    #[test]
    fn all_samples_can_be_read() {
        for (path, text) in of_questions() {
            let facts = facts(&path, text.as_bytes(), Catalogue::builtin());
            assert!(facts.is_valid() && facts.kind != Kind::Other, "{path}: {:?}", facts.problems);
        }
    }
}
