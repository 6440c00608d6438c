//! The document that describes the API.
//!
//! It is committed, and served as it stands. Tests make it again from the attributes of the handlers and compare, so that
//! the program itself is built without what makes it.

#[cfg(test)]
mod made;

#[cfg(test)]
pub(crate) use made::{Conflict, Missing, Unknown, Unreadable};

use serde_json::Value;
use std::sync::LazyLock;

/// The document as text.
pub const DOCUMENT: &str = include_str!("../openapi.json");

pub fn document() -> &'static Value {
    static PARSED: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(DOCUMENT).unwrap_or_default());
    &PARSED
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The committed document is what the program says of itself.
    #[test]
    fn the_committed_document_is_that_of_the_program() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
        let now = made::document().to_pretty_json().expect("a document") + "\n";
        if std::env::var_os("RUNCAST_BLESS").is_some() {
            std::fs::write(path, &now).expect("written");
        }
        assert!(
            DOCUMENT == now || std::env::var_os("RUNCAST_BLESS").is_some(),
            "the document changed: RUNCAST_BLESS=1 cargo test -p runcast-server openapi"
        );
    }

    #[test]
    fn every_operation_says_how_it_is_refused_and_who_may_ask() {
        let document = document();
        let (mut count, mut ids) = (0, BTreeSet::new());
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("operations") {
                count += 1;
                let has = |status: &str| !operation["responses"][status].is_null();
                assert!(has("500") && has("503") && has("421"), "{method} {path}");
                assert!(has("401") || operation["x-rights"] == "anyone", "{method} {path}");
                assert!(operation["security"].is_array(), "{method} {path}");
                let id = operation["operationId"].as_str().expect("an id").to_owned();
                assert!(ids.insert(id), "{method} {path}: its id is taken");
                assert!(!path.contains('{') || has("404"), "{method} {path}");
            }
        }
        assert!(count > 20, "{count}");
        let text = document.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(document.pointer(reference).is_some(), "{reference} is nowhere");
        }
    }

    /// A handler's attribute and its route name the same method and path.
    #[test]
    fn what_is_routed_is_what_is_documented() {
        let routed = crate::api::routes().routed;
        let routed = routed.iter().map(|(method, path)| format!("{method} /api/v1{}", path.replace("{*", "{")));
        let paths = document()["paths"].as_object().expect("paths");
        let documented = paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().expect("operations").keys();
            methods.map(move |method| format!("{method} {path}"))
        });
        assert_eq!(routed.collect::<BTreeSet<_>>(), documented.collect::<BTreeSet<_>>());
    }
}
