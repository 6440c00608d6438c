//! What a server holds from its first start: the site's project, and the project of a single user.

use crate::api::launch;
use crate::app::App;
use crate::auth::{Caller, SiteRole};
use crate::kinds;
use crate::log;
use crate::problem::ApiError;
use crate::templates;
use crate::wire::jobs::Launch;
use runcast_store::projects::{self, Maker, SITE};
use runcast_store::users::LOCAL;
use runcast_store::{Scope, files};

/// The project of a single user.
const MAIN: &str = "main";
/// Noted in the database once that project was made: who deletes it does not get it again.
const MADE: &str = "first_project";

/// Samples are launched by the queue as any job is, so that their results are those of this program.
const JOBS: [(&str, &[&str]); 3] = [
    ("Heat, calibrated on small runs", &["sim", "sweep", "experiments/heat.toml", "--coeff", "formulas/heat.toml"]),
    ("Heat on 8 processes, explained", &["sim", "run", "experiments/heat.toml", "--explain"]),
    ("How many workers pay for Jacobi's method", &["bsf", "predict", "bsf/jacobi.toml"]),
];

/// Makes the project `site`, and for a single user, at the first start, the project `main`; with samples, unless it is
/// to be empty.
///
/// # Errors
/// The database is away.
pub async fn prepare(app: &App, is_empty: bool) -> Result<(), ApiError> {
    let db = app.database();
    let nobody = Maker { owner: None, name: "runcast" };
    projects::ensure(db, SITE, "Hardware entries of this site", nobody).await?;
    let Some(single) = app.single() else { return Ok(()) };
    let noted = db.read_one("SELECT value FROM settings WHERE name = $1", &[MADE.into()]).await?;
    if noted.is_some() {
        return Ok(());
    }
    let maker = Maker { owner: Some(&single.user), name: LOCAL };
    let project = projects::ensure(db, MAIN, "My project", maker).await?;
    if !is_empty && files::frozen(db, &project.id).await?.is_empty() {
        let contents = templates::samples().into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
        let new = kinds::of_files(db, &project.id, contents, "a sample".to_owned()).await?;
        files::apply(db, &project.id, LOCAL, &new, false, false).await?;
        let caller = Caller {
            user: single.user.clone(),
            name: LOCAL.to_owned(),
            role: SiteRole::Administrator,
            scope: Scope::Write,
            only_project: None,
            session: None,
            asked: String::new(),
        };
        let wish = |(title, argv): (&str, &[&str])| Launch {
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            priority: None,
            title: Some(title.to_owned()),
        };
        for problem in launch::launch(app, &caller, MAIN, JOBS.into_iter().map(wish).collect()).await? {
            log::line(&format!("a sample is not launched: {problem}"));
        }
    }
    db.write(
        "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        &[MADE.into(), MAIN.into()],
    )
    .await?;
    Ok(())
}
