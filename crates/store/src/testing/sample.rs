//! People, a project and jobs to test with.

use crate::Id;
use crate::database::Database;
use crate::error::StoreError;
use crate::jobs::NewJob;

/// A project, and users `u1`, `u2`, .. who may launch in it.
///
/// # Errors
/// The database is away.
pub async fn people(db: &Database, users: usize) -> Result<(Id, Vec<Id>), StoreError> {
    let project = Id::new();
    let mut tx = db.begin().await?;
    let statement = "INSERT INTO projects (id, name, name_key, title, created_at, created_by) \
                     VALUES ($1, $2, $2, 'Demo', {now}, 'u1')";
    let name = format!("demo-{}", project.as_str().to_lowercase());
    tx.execute(statement, &[(&project).into(), name.into()]).await?;
    let mut ids = Vec::new();
    for number in 1..=users {
        let id = Id::new();
        let statement = "INSERT INTO users (id, name, name_key, role, created_at) VALUES ($1, $2, $3, 'author', {now})";
        let name = format!("u{number}");
        let key = format!("{name}-{}", id.as_str().to_lowercase());
        tx.execute(statement, &[(&id).into(), name.into(), key.into()]).await?;
        ids.push(id);
    }
    tx.commit().await?;
    Ok((project, ids))
}

/// A job of this many points, one a task, without files.
pub fn sample_job(project: &Id, user: &Id, points: i64) -> NewJob {
    let argv: Vec<String> = ["sim", "sweep", "e.toml"].map(str::to_owned).to_vec();
    NewJob {
        id: Id::new(),
        project: project.clone(),
        user: user.clone(),
        batch: None,
        title: "sample".to_owned(),
        task_argv: argv.clone(),
        argv,
        limits: "{}".to_owned(),
        priority: 0,
        points,
        points_per_task: 1,
        files: Vec::new(),
    }
}
