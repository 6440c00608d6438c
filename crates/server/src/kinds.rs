//! What is known about the files of a project: kinds, titles, problems, and the hardware entries that they may name.

use crate::problem::ApiError;
use axum::http::StatusCode;
use runcast_commands::kinds::{self, Kind, recognize};
use runcast_core::Problem;
use runcast_sim::catalogue::{Catalogue, Entry};
use runcast_store::files::{Facts, NewFile};
use runcast_store::hardware::Attribute;
use runcast_store::{Database, Id, StoreError, blobs, files, projects};
use std::borrow::Cow;
use std::sync::Arc;

/// Problems of one file that are kept, at most.
const MOST_PROBLEMS: usize = 100;

/// Files of hardware entries: name and content, those that win last.
type HardwareFiles = Vec<(String, String)>;

/// What is known about one file; `new` are contents that come with it, such as the rest of an archive.
///
/// # Errors
/// The database is away.
pub async fn of_file(
    db: &Database,
    project: Option<&Id>,
    path: &str,
    bytes: Vec<u8>,
) -> Result<(Facts, Vec<u8>), ApiError> {
    let hardware = match recognize(path, &bytes) {
        Kind::System => hardware_files(db, project).await?,
        _ => Vec::new(),
    };
    let path = path.to_owned();
    blocking(move || (look(&path, &bytes, &catalogue(&hardware)), bytes)).await
}

/// What is known about several files that come together.
///
/// # Errors
/// The database is away.
pub async fn of_files(
    db: &Database,
    project: &Id,
    contents: Vec<(String, Vec<u8>)>,
    message: String,
) -> Result<Vec<NewFile>, ApiError> {
    let mut hardware = hardware_files(db, Some(project)).await?;
    let is_hardware = |path: &str, bytes: &[u8]| recognize(path, bytes) == Kind::Hardware;
    let mut own: Vec<&(String, Vec<u8>)> = contents.iter().filter(|(path, bytes)| is_hardware(path, bytes)).collect();
    own.sort_by_key(|(path, _)| rank(path));
    hardware
        .extend(own.iter().filter_map(|(path, bytes)| Some((path.clone(), String::from_utf8(bytes.clone()).ok()?))));
    blocking(move || {
        let catalogue = catalogue(&hardware);
        let file = |(path, bytes): (String, Vec<u8>)| {
            let facts = look(&path, &bytes, &catalogue);
            NewFile { path, bytes, facts, message: message.clone() }
        };
        contents.into_iter().map(file).collect()
    })
    .await
}

/// Looks at all systems of a project again: its hardware entries have changed.
///
/// # Errors
/// The database is away.
pub async fn look_again(db: &Database, project: &Id) -> Result<(), ApiError> {
    for file in files::of_kind(db, project, Kind::System.word()).await? {
        let bytes = blobs::get(db, &file.digest).await?;
        let (facts, _) = of_file(db, Some(project), &file.path, bytes).await?;
        if (facts.valid, &facts.problems) != (file.facts.valid, &file.facts.problems) {
            files::set_facts(db, project, &file.path, file.version, &facts).await?;
        }
    }
    Ok(())
}

/// The files of hardware entries that hold in a project: the site's, then its own, those that win last.
///
/// # Errors
/// The database is away.
pub async fn hardware_files(database: &Database, project: Option<&Id>) -> Result<HardwareFiles, StoreError> {
    let site = projects::get(database, projects::SITE).await?.map(|site| site.id);
    let mut found = Vec::new();
    for project in site.iter().chain(project.filter(|project| Some(*project) != site.as_ref())) {
        let mut listed = files::of_kind(database, project, Kind::Hardware.word()).await?;
        listed.sort_by_key(|file| rank(&file.path));
        for file in listed.into_iter().filter(|file| file.facts.valid) {
            if let Ok(text) = String::from_utf8(blobs::get(database, &file.digest).await?) {
                found.push((file.path, text));
            }
        }
    }
    Ok(found)
}

/// What is deeper loses: `hardware/site/cpu.toml` to `hardware/cpu.toml`.
pub fn rank(path: &str) -> (std::cmp::Reverse<usize>, String) {
    (std::cmp::Reverse(path.matches('/').count()), path.to_ascii_lowercase())
}

fn catalogue(files: &HardwareFiles) -> Cow<'static, Catalogue> {
    let mut catalogue = Cow::Borrowed(Catalogue::builtin());
    for file in files {
        // One that cannot be read has a problem of its own.
        if let Ok(extended) = catalogue.extended(std::slice::from_ref(file)) {
            catalogue = Cow::Owned(extended);
        }
    }
    catalogue
}

fn look(path: &str, bytes: &[u8], catalogue: &Catalogue) -> Facts {
    let mut found = kinds::facts(path, bytes, catalogue);
    found.problems.truncate(MOST_PROBLEMS);
    Facts {
        kind: found.kind.word().to_owned(),
        valid: found.is_valid(),
        title: found.title,
        problems: serde_json::to_string(&found.problems).unwrap_or_else(|_| "[]".to_owned()),
        hardware: found.entries.iter().flat_map(attributes).collect(),
    }
}

/// What is wrong with a content.
pub fn problems(facts: &Facts) -> Vec<Problem> {
    serde_json::from_str(&facts.problems).unwrap_or_default()
}

/// The rows of an entry; one without attributes has a row that says that it is there.
fn attributes(entry: &Entry) -> Vec<Attribute> {
    let head = Attribute { name: entry.id.clone(), kind: entry.kind.clone(), ..Attribute::default() };
    let row = |(key, attribute): (&str, &runcast_sim::attributes::Attribute)| Attribute {
        attribute: key.to_owned(),
        value: serde_json::to_string(&attribute.value).unwrap_or_default(),
        unit: attribute.unit.clone(),
        quality: attribute.quality.word().to_owned(),
        source: attribute.source.clone(),
        formula: attribute.formula.clone(),
        ..head.clone()
    };
    let rows: Vec<Attribute> = entry.attributes.iter().map(row).collect();
    if rows.is_empty() { vec![head] } else { rows }
}

/// Work that takes the processor for a while, away from the threads that answer.
///
/// # Errors
/// It panicked: a bug.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    // Parsers of nested text want more stack than the threads of the runtime have.
    const STACK: usize = 16 << 20;
    let (tell, told) = tokio::sync::oneshot::channel();
    let work = move || {
        let _ = tell.send(work());
    };
    let failed = |text: String| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text);
    let _permit = Arc::clone(slots()).acquire_owned().await.map_err(|error| failed(error.to_string()))?;
    std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(|error| failed(error.to_string()))?;
    told.await.map_err(|_| failed("the work panicked".to_owned()))
}

/// Maximum number at once.
fn slots() -> &'static Arc<tokio::sync::Semaphore> {
    static SLOTS: std::sync::OnceLock<Arc<tokio::sync::Semaphore>> = std::sync::OnceLock::new();
    SLOTS.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Arc::new(tokio::sync::Semaphore::new(cores.max(2)))
    })
}
