//! Kinds of files, recognized and read: each template and sample, and what is wrong.

use super::{Kind, facts, recognize};
use runcast_sim::catalogue::Catalogue;
use runcast_sim::templates::TEMPLATES;

fn look(path: &str, text: &str) -> super::Facts {
    facts(path, text.as_bytes(), Catalogue::builtin())
}

#[test]
fn every_template_is_what_it_says_and_valid() {
    for template in &TEMPLATES {
        let folder = template.name;
        for (file, text, kind) in [
            ("app.luau", template.app, Kind::Application),
            ("system.toml", template.system, Kind::System),
            ("experiment.toml", template.experiment, Kind::Experiment),
        ] {
            let facts = look(&format!("{folder}/{file}"), text);
            assert_eq!((facts.kind, facts.problems.as_slice()), (kind, [].as_slice()), "{folder}/{file}");
            assert!(!facts.title.is_empty());
        }
    }
}

#[test]
fn kinds_are_told_by_content_and_name() {
    let tests = [
        ("a.luau", "", Kind::Application),
        ("tables/runs.csv", "p,time_s\n1,2\n", Kind::Table),
        ("tables/runs.jsonl", "{\"p\":1,\"time_s\":2}\n", Kind::Table),
        ("traces/a.csv", "# cll-trace: 1\n", Kind::Trace),
        ("hardware/mine.toml", "[my-cpu]\nkind = \"cpu\"\nsource = \"me, 2026\"\ncores = 4\n", Kind::Hardware),
        ("formulas/mpi.toml", "[model.mpi.coeff]\nc = 1.5\n", Kind::Formulas),
        (
            "formulas/sort.toml",
            "[origin]\nby = \"me\"\n[[model.sort.rule]]\non = \"compute\"\nvalue = \"1e-9*size\"\n",
            Kind::Formulas,
        ),
        ("bsf/a.toml", "algorithm = \"jacobi\"\nsize = 1500\n", Kind::Bsf),
        ("plans/a.toml", "scaling = \"weak\"\ncomplexity = \"N^3\"\n", Kind::Plan),
        ("bsp/a.toml", include_str!("../../../../testdata/bsp/fft.toml"), Kind::Bsp),
        ("reports/a.toml", "title = \"All\"\n[[item]]\npath = \"../tables/runs.csv\"\n", Kind::Report),
        ("results/a.json", "{\"kind\":\"sim-run\",\"version\":1}", Kind::Result),
        ("systems/galera.view.json", "{}", Kind::View),
        ("notes.txt", "hello", Kind::Other),
        ("README.md", "hello", Kind::Other),
    ];
    for (path, text, kind) in tests {
        let facts = look(path, text);
        assert_eq!(facts.kind, kind, "{path}");
        let is_bad = kind == Kind::Trace;
        assert_eq!(facts.is_valid(), !is_bad, "{path}: {:?}", facts.problems);
    }
    assert!(Kind::ALL.iter().all(|kind| Kind::parse(kind.word()) == Some(*kind)));
}

#[test]
fn what_cannot_be_read_keeps_its_kind_and_tells_where() {
    let facts = look("heat/system.toml", "format = \"runcast-system/1\"\nname = \n");
    assert_eq!((facts.kind, facts.is_valid()), (Kind::System, false));
    assert_eq!((facts.problems[0].line, facts.problems[0].file.as_deref()), (Some(2), Some("heat/system.toml")));
    assert_eq!(recognize("experiments/a.toml", b"x = "), Kind::Experiment);
    assert_eq!(recognize("experiments/a.toml", b"\xff"), Kind::Experiment);
    let facts = look("systems/a.toml", "format = \"runcast-system/1\"\nname = \"a\"\n[[component]]\nid = 3\n");
    assert!(!facts.is_valid() && facts.problems.iter().all(|problem| problem.line.is_some()), "{:?}", facts.problems);
    let facts = look("applications/a.luau", "label{\n");
    assert_eq!((facts.kind, facts.is_valid()), (Kind::Application, false));
    let facts = look("tables/a.csv", "");
    assert_eq!((facts.kind, facts.is_valid()), (Kind::Table, false));
    let facts = look("bsf/a.toml", "algorithm = \"jacoby\"\nsize = -3\n");
    assert_eq!((facts.kind, facts.is_valid()), (Kind::Bsf, false));
    assert_eq!((facts.problems[0].line, facts.problems[0].value.as_deref()), (Some(1), Some("jacoby")));
}

#[test]
fn what_a_file_names_stays_in_the_project() {
    let experiment = |system: &str| {
        let text = format!(
            "format = \"runcast-experiment/1\"\nsystem = \"{system}\"\n[[app]]\nname = \"a\"\nfile = \"../app.luau\"\n"
        );
        look("experiments/a.toml", &text)
    };
    assert_eq!(experiment("../systems/a.toml").problems, []);
    for outside in ["../../a.toml", "/etc/passwd", "x/../../../a.toml", "C:/a.toml", "..\\\\..\\\\a.toml"] {
        let facts = experiment(outside);
        assert!(facts.problems.iter().any(|problem| problem.code == "outside" && problem.line == Some(2)), "{outside}");
    }
    let facts = look("reports/a.toml", "title = \"A\"\n[[item]]\npath = \"../../secret.csv\"\n");
    assert_eq!(facts.problems[0].code, "outside");
}

#[test]
fn files_that_a_model_names_are_left_for_the_launch() {
    let text =
        "[wavefront]\nstep = \"1s\"\n[[process]]\nname = \"a\"\nA = 1\nB = 1\nupdate = { samples = \"s.csv\" }\n";
    let facts = look("wavefront/a.toml", text);
    assert_eq!(facts.kind, Kind::Wavefront);
    assert!(facts.problems.iter().all(|problem| problem.code != "not_looked_at"), "{:?}", facts.problems);
}

#[test]
fn titles_are_for_people_and_harmless() {
    assert_eq!(look("applications/a.luau", "-- A heat kernel.\n").title, "A heat kernel");
    assert_eq!(look("applications/a.luau", "").title, "a.luau");
    let title = look("reports/a.toml", "title = \"a\\u0000b\\u001b[31m<script>\"\n").title;
    assert_eq!(title, "a b [31m<script>");
}

#[test]
fn remarks_leave_a_file_valid() {
    let facts =
        look("applications/a.luau", "label{ \"a\", count = 2, run = function(rank)\n  bcasst{ size = 8 }\nend }\n");
    let told = &facts.problems[0];
    assert_eq!((facts.is_valid(), told.code.as_str(), told.line), (true, "undefined_call", Some(2)));
    assert_eq!(
        (told.hint.as_deref(), told.file.as_deref()),
        (Some("did you mean bcast?"), Some("applications/a.luau"))
    );
    // A petaflop/s a core: 2,000 times what the fastest has.
    let cpu = "{ id = \"cpu\", kind = \"cpu\", parent = \"node\", set = { cores = 1, flops_double = \"1Pflop/s\" } }";
    let system = format!(
        "format = \"runcast-system/1\"\nname = \"a\"\ncomponent = [ {{ id = \"node\", kind = \"machine\" }}, {cpu} ]\n"
    );
    let facts = look("systems/a.toml", &system);
    let codes: Vec<&str> = facts.problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!((facts.is_valid(), codes), (true, vec!["implausible"]));
}
