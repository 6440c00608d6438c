//! Who looks at what, in memory: gone 45 s after they last said so.

use runcast_store::Id;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a sign is good for.
const KEPT: Duration = Duration::from_secs(45);
/// Places known at once; more are not reported.
const MOST: usize = 4_096;

/// Someone at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Present {
    /// Who.
    pub user: String,
    /// The file or page.
    pub path: String,
    /// Where in it: a part, a line; empty: anywhere.
    pub place: String,
}

/// Signs by project and user, and when they came.
type Signs = HashMap<(Id, Id), (Instant, Present)>;

/// Who is where; clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Presence(Arc<Mutex<Signs>>);

impl Presence {
    /// A user is somewhere; with an empty path they are gone. Whether that is news.
    pub fn sign(&self, project: &Id, user: &Id, present: Present) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let before = all.len();
        all.retain(|_, (at, _)| now.duration_since(*at) < KEPT);
        let has_gone = all.len() < before;
        let key = (project.clone(), user.clone());
        if present.path.is_empty() {
            return all.remove(&key).is_some() || has_gone;
        }
        if all.len() >= MOST && !all.contains_key(&key) {
            return has_gone;
        }
        let is_same = all.get(&key).is_some_and(|(_, known)| *known == present);
        all.insert(key, (now, present));
        !is_same || has_gone
    }

    /// Everybody in a project, by name.
    pub fn of(&self, project: &Id) -> Vec<Present> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let here = all.iter().filter(|((of, _), (at, _))| of == project && now.duration_since(*at) < KEPT);
        let mut here: Vec<Present> = here.map(|(_, (_, present))| present.clone()).collect();
        here.sort_by(|one, other| (&one.user, &one.path).cmp(&(&other.user, &other.path)));
        here
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_by_project_and_news_once() {
        let (presence, demo, ann) = (Presence::default(), Id::new(), Id::new());
        let at = |place: &str| Present { user: "ann".to_owned(), path: "a.toml".to_owned(), place: place.to_owned() };
        assert!(presence.sign(&demo, &ann, at("node")) && !presence.sign(&demo, &ann, at("node")));
        assert!(presence.sign(&demo, &ann, at("cpu")));
        assert_eq!(presence.of(&demo), [at("cpu")]);
        assert!(presence.of(&Id::new()).is_empty());
        assert!(presence.sign(&demo, &ann, Present { path: String::new(), ..at("") }));
        assert!(presence.of(&demo).is_empty());
    }
}
