//! Jobs over the API: launched, worked on, shown, and compared with what the command line gives.

mod batches;
mod events;
mod launch;
mod listing;
mod results;
mod sharing;
mod together;
mod worker;

use crate::site::{Answer, Site};
use runcast_store::{Database, MemberRole, Scope, SiteRole};
use serde_json::{Value, json};

/// A template of simulations, as files of a project.
const TEMPLATE: &str = "master-slave";

/// A server with a project of one author, in which there are the files of a simulation and a table of runs.
pub struct Place {
    pub site: Site,
    pub token: String,
    /// Of an administrator.
    pub root: String,
}

impl Place {
    pub async fn new(db: &Database) -> Place {
        let site = Site::multi(db);
        let user = site.user("ann", SiteRole::Author).await;
        let root = site.user("root", SiteRole::Administrator).await;
        site.project("demo", &[(&user, MemberRole::Author)]).await;
        let (token, root) = (site.token(&user, Scope::Write, None).await, site.token(&root, Scope::Write, None).await);
        let place = Place { site, token, root };
        let template = runcast_sim::templates::find(TEMPLATE).expect("a template");
        place.put("m/app.luau", template.app).await;
        place.put("m/system.toml", template.system).await;
        place
            .put("m/experiment.toml", &template.experiment.replace("[1, 2, 4, 8, 16, 32, 64, 128, 256]", "[1, 2, 4]"))
            .await;
        place.put("tables/runs.csv", "slaves,time_s\n1,100\n2,60\n4,40\n16,1\n").await;
        place
    }

    /// Stores a new file.
    pub async fn put(&self, path: &str, text: &str) {
        let ask = self.site.api("PUT", &format!("/projects/demo/files/{path}")).bearer(&self.token);
        let answer = ask.header("if-none-match", "*").body("text/plain", text.as_bytes()).send().await;
        assert_eq!(answer.status, 201, "{path}: {}", answer.text());
    }

    /// Asks the API as the author.
    pub async fn get(&self, path: &str) -> Answer {
        self.site.api("GET", path).bearer(&self.token).send().await
    }

    /// Asks the API as the author, with a body.
    pub async fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.site.api(method, path).bearer(&self.token).json(body).send().await
    }

    /// Asks the API as the author, without a body.
    pub async fn act(&self, method: &str, path: &str) -> Answer {
        self.site.api(method, path).bearer(&self.token).send().await
    }

    /// Launches a command, which must be accepted: the id of the job.
    pub async fn launch(&self, argv: &[&str]) -> String {
        let answer = self.send("POST", "/projects/demo/jobs", &json!({ "argv": argv })).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        let id = answer.json()["id"].as_str().expect("an id").to_owned();
        assert_eq!(answer.header("location"), format!("/api/v1/jobs/{id}"));
        id
    }
}
