//! Projects as folders, what a server has at its first start, and copies of the database.

use crate::files::Demo;
use crate::site::{Site, options};
use runcast_server::app::{App, Mode, Single};
use runcast_server::{exchange, first};
use runcast_store::database::Location;
use runcast_store::jobs::{self, Filter};
use runcast_store::projects::{self, Maker};
use runcast_store::testing::{Place, both};
use runcast_store::{Database, Id, files, users};
use std::collections::BTreeMap;
use std::path::Path;

async fn project(db: &Database, name: &str) -> Id {
    let maker = Maker { owner: None, name: "nobody" };
    projects::ensure(db, name, name, maker).await.expect("a project").id
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

async fn first_start(db: &Database, is_empty: bool) -> Site {
    let user = users::local(db).await.expect("a user").id;
    let app = App::single_user(db.clone(), options(Mode::Single), Single { user, token: "t".to_owned() });
    first::prepare(&app, is_empty).await.expect("prepared");
    Site::with(app)
}

/// I6: out, into an empty project, out again.
#[tokio::test(flavor = "multi_thread")]
async fn a_project_goes_out_and_in_unchanged() {
    both(|db| async move {
        let site = first_start(&db, false).await;
        let place = tempfile::tempdir().expect("a folder");
        let main = project(&db, "main").await;
        // An entry of the site that a job has used goes along.
        let entry = "[their-cpu]\nkind = \"cpu\"\nsource = \"us, 2026\"\ncores = 4\nclock = \"2GHz\"\nflops_double = \"8Gflop/s\"\n";
        let ask = site.api("PUT", "/projects/site/files/hardware/ours.toml").bearer("t").header("if-none-match", "*");
        assert_eq!(ask.body("text/plain", entry.as_bytes()).send().await.status, 201);
        let argv = serde_json::json!({ "argv": ["sim", "run", "experiments/heat.toml"], "title": "it's mine\ntouch pwned" });
        let launched = site.api("POST", "/projects/main/jobs").bearer("t").json(&argv).send().await;
        assert_eq!(launched.status, 202, "{}", launched.text());

        let one = place.path().join("one");
        exchange::export(&db, &main, &one).await.expect("out");
        let script = std::fs::read_to_string(one.join("run.sh")).expect("a script");
        // The samples were launched before the site had an entry; a title is a comment, whatever is in it.
        assert!(script.contains("\nruncast sim sweep experiments/heat.toml --coeff formulas/heat.toml\n"), "{script}");
        let line = "it's mine touch pwned\nruncast sim run --catalogue hardware/site experiments/heat.toml\n";
        assert!(script.contains(line), "{script}");
        assert_eq!(std::fs::read_to_string(one.join("hardware/site/ours.toml")).expect("an entry"), entry);
        let copy = project(&db, "copy").await;
        exchange::import(&db, &copy, "ada", &one).await.expect("in");
        let two = place.path().join("two");
        exchange::export(&db, &copy, &two).await.expect("out");
        assert!(one.join("hardware").is_dir() && two.join("hardware").is_dir(), "so that --catalogue hardware reads");
        let (mut one, mut two) = (contents(&one), contents(&two));
        assert!(one.remove("run.sh").is_some() && two.remove("run.sh").is_some());
        assert_eq!(one, two);
        assert!(one.len() > 5, "{:?}", one.keys());
        exchange::export(&db, &main, place.path()).await.expect_err("the folder is not empty");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_with_other_things_than_files_are_refused_whole() {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    let id = project(&db, "demo").await;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "a").expect("written");
    // A script of the user's own is a file like others.
    std::fs::write(folder.path().join("run.sh"), "#!/bin/sh\necho mine\n").expect("written");
    let refused = [".hidden", "with blank.txt"];
    for name in refused {
        std::fs::write(folder.path().join(name), "x").expect("written");
        exchange::import(&db, &id, "ada", folder.path()).await.expect_err(name);
        std::fs::remove_file(folder.path().join(name)).expect("removed");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).expect("a link");
        exchange::import(&db, &id, "ada", folder.path()).await.expect_err("a link");
        std::fs::remove_file(folder.path().join("link")).expect("removed");
    }
    assert_eq!(files::frozen(&db, &id).await.expect("a list"), []);
    exchange::import(&db, &id, "ada", folder.path()).await.expect("in");
    let out = tempfile::tempdir().expect("a folder");
    exchange::export(&db, &id, out.path()).await.expect("out");
    let found = contents(out.path());
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a.txt", "run.jobs.sh", "run.sh"]);
    assert_eq!(found["run.sh"], b"#!/bin/sh\necho mine\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_single_user_starts_with_samples_once() {
    both(|db| async move {
        let site = first_start(&db, false).await;
        let list = site.api("GET", "/projects/main/files").bearer("t").send().await.json();
        let kinds: Vec<&str> = list["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|item| item["kind"].as_str().expect("a kind"))
            .collect();
        for kind in ["system", "application", "experiment", "table"] {
            assert!(kinds.contains(&kind), "{kinds:?}");
        }
        assert!(list["items"].as_array().expect("items").iter().all(|item| item["valid"] == true), "{list}");
        let main = project(&db, "main").await;
        let filter = Filter { project: Some(main.clone()), ..Filter::default() };
        let launched = jobs::page(&db, &filter, None, 10).await.expect("jobs");
        assert_eq!(launched.len(), 3, "all samples are launched");
        // The second start adds nothing, also when the project is gone.
        first_start(&db, false).await;
        assert_eq!(jobs::page(&db, &filter, None, 10).await.expect("jobs").len(), 3);
        projects::delete(&db, &main).await.expect("deleted");
        first_start(&db, false).await;
        assert_eq!(projects::get(&db, "main").await.expect("a look"), None);
    })
    .await;
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    first_start(&db, true).await;
    let main = project(&db, "main").await;
    assert_eq!(files::frozen(&db, &main).await.expect("a list"), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_whole_while_others_write() {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    let demo = std::sync::Arc::new(Demo::new(&db).await);
    let writing = demo.clone();
    let writer = tokio::spawn(async move {
        for number in 0..40 {
            writing.create(&format!("f{number}.txt"), &number.to_string()).await;
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.sqlite");
    db.copy_into(&copy).await.expect("a copy");
    writer.await.expect("written");
    let copied = Database::open(&Location::File(copy)).await.expect("the copy opens");
    let id = projects::get(&copied, "demo").await.expect("a look").expect("the project").id;
    for file in files::frozen(&copied, &id).await.expect("a list") {
        let bytes = runcast_store::blobs::get(&copied, &file.digest).await.expect("its bytes");
        assert_eq!(format!("f{}.txt", String::from_utf8_lossy(&bytes)), file.path);
    }
}
