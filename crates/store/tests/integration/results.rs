//! Lists of results, on both databases.

use runcast_store::jobs::{self, NewJob, State};
use runcast_store::results::{self, Facts, Filter, Sort};
use runcast_store::testing::{both, people, sample_job};
use runcast_store::{Database, Id, settings};
use serde_json::json;

fn filter(project: &Id) -> Filter {
    Filter {
        project: project.clone(),
        search: String::new(),
        kind: String::new(),
        state: None,
        sort: Sort::Created,
        falling: true,
        after: None,
        limit: 100,
    }
}

async fn titles(db: &Database, filter: &Filter) -> Vec<String> {
    results::page(db, filter).await.expect("a page").into_iter().map(|listed| listed.job.title).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_found_by_words_of_title_command_and_facts() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let launched = |title: &str, argv: &[&str]| {
            let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
            NewJob { title: title.to_owned(), task_argv: argv.clone(), argv, ..sample_job(&project, &users[0], 1) }
        };
        let all = [
            launched("Heat 50%", &["sim", "sweep", "heat.toml"]),
            launched("heat 500", &["sim", "run", "heat.toml"]),
            launched("other", &["fit", "runs.csv", "--metric", "time_s"]),
        ];
        jobs::launch(&db, &all).await.expect("launched");
        let search = |text: &str| Filter { search: text.to_owned(), falling: false, ..filter(&project) };
        for (text, expected) in [
            ("", &["Heat 50%", "heat 500", "other"][..]),
            ("HEAT", &["Heat 50%", "heat 500"]),
            ("50%", &["Heat 50%"]),
            ("heat sweep", &["Heat 50%"]),
            ("time_s", &["other"]),
            ("timexs", &[]),
            ("galera", &[]),
        ] {
            assert_eq!(titles(&db, &search(text)).await, expected, "{text}");
        }
        let kind = |text: &str| Filter { kind: text.to_owned(), ..filter(&project) };
        assert_eq!(titles(&db, &kind("sim")).await, ["heat 500", "Heat 50%"]);
        assert_eq!(titles(&db, &kind("sim sweep")).await, ["Heat 50%"]);
        assert_eq!(titles(&db, &kind("si")).await, Vec::<String>::new());
        // Facts are those of this end of the job, no other.
        let id = &all[2].id;
        let facts = Facts { columns: json!({"p": [1, 8]}), words: "galera ".to_owned(), ..Facts::default() };
        jobs::cancel(&db, id).await.expect("cancelled");
        assert_eq!(results::without_facts(&db, &project, 9).await.expect("ids"), std::slice::from_ref(id));
        let end = jobs::get(&db, id).await.expect("read").expect("a job").finished_at.expect("an end");
        results::put_facts(&db, id, end, &facts).await.expect("kept");
        assert_eq!(titles(&db, &search("galera")).await, ["other"]);
        assert_eq!(results::without_facts(&db, &project, 9).await.expect("ids"), []);
        let found = results::page(&db, &search("galera")).await.expect("a page");
        assert_eq!(found[0].facts, Some(facts.clone()));
        results::put_facts(&db, id, end + 1, &facts).await.expect("kept");
        assert_eq!(titles(&db, &search("galera")).await, Vec::<String>::new());
        let state = Filter { state: Some(State::Cancelled), ..filter(&project) };
        assert_eq!(titles(&db, &state).await, ["other"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_follow_one_another_in_every_order_while_results_are_added() {
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        let jobs_of = |titles: &[&str]| -> Vec<NewJob> {
            titles
                .iter()
                .map(|title| NewJob { title: (*title).to_owned(), ..sample_job(&project, &users[0], 1) })
                .collect()
        };
        jobs::launch(&db, &jobs_of(&["b", "a", "c", "a", "b", "C"])).await.expect("launched");
        for sort in [Sort::Created, Sort::Finished, Sort::Title, Sort::Command, Sort::State, Sort::By, Sort::Points] {
            for falling in [false, true] {
                let whole = Filter { sort, falling, ..filter(&project) };
                let whole: Vec<Id> =
                    results::page(&db, &whole).await.expect("a page").into_iter().map(|l| l.job.id).collect();
                let (mut seen, mut after) = (Vec::new(), None);
                loop {
                    let page = Filter { sort, falling, after: after.clone(), limit: 2, ..filter(&project) };
                    let found = results::page(&db, &page).await.expect("a page");
                    let Some(last) = found.last() else { break };
                    after = Some((last.key.clone(), last.job.id.clone()));
                    seen.extend(found.into_iter().map(|listed| listed.job.id));
                }
                assert_eq!(seen, whole, "{sort:?} {falling}");
            }
        }
        let by_title = Filter { sort: Sort::Title, falling: false, ..filter(&project) };
        assert_eq!(titles(&db, &by_title).await, ["a", "a", "b", "b", "c", "C"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_kept_by_project_and_name() {
    both(|db| async move {
        let (project, _) = people(&db, 1).await.expect("people");
        assert_eq!(settings::get(&db, &project, "columns").await.expect("read"), None);
        for value in [json!(["p"]), json!(["p", "time_s"])] {
            settings::put(&db, &project, "columns", &value).await.expect("kept");
            assert_eq!(settings::get(&db, &project, "columns").await.expect("read"), Some(value));
        }
    })
    .await;
}
