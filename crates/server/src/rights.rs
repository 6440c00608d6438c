//! Who may do an operation: each names its class in the OpenAPI document, and a layer enforces what does not depend on
//! the project.
//!
//! ```text
//! utoipa::path(get, path = "/workers", extensions(("x-rights" = json!("administrator"))), ..)
//! ```
//!
//! An operation without a class is refused to every caller, which the tests see at once.

use crate::app::App;
use crate::auth::{self, Caller, Scope, SiteRole, csrf};
use crate::openapi;
use crate::problem::ApiError;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The name of the extension in the document.
pub const EXTENSION: &str = "x-rights";

/// Who may do an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Every caller, logged in or not.
    Anyone,
    /// Every user; nothing is changed, so tokens for reading will do (`validate`, `compute`, the catalogue).
    User,
    /// Every user, on what is theirs alone: password, tokens, session. No token for one project.
    Own,
    /// Users whose role at the site is author or more: new projects.
    Create,
    /// Administrators. No token for one project.
    Administrator,
    /// Who may read the project.
    ProjectView,
    /// Who may change files of the project and launch in it.
    ProjectAuthor,
    /// The same, and viewers where an owner lets them.
    ProjectComment,
    /// The author of the job, or an owner of the project.
    JobChange,
    /// Owners of the project.
    ProjectOwn,
}

impl Class {
    /// All of them, by their names in the document.
    pub const NAMED: [(&'static str, Class); 10] = [
        ("anyone", Class::Anyone),
        ("user", Class::User),
        ("own", Class::Own),
        ("create", Class::Create),
        ("administrator", Class::Administrator),
        ("project-view", Class::ProjectView),
        ("project-author", Class::ProjectAuthor),
        ("project-comment", Class::ProjectComment),
        ("job-change", Class::JobChange),
        ("project-own", Class::ProjectOwn),
    ];

    /// Reads its name.
    pub fn parse(name: &str) -> Option<Self> {
        Class::NAMED.iter().find(|(known, _)| *known == name).map(|(_, class)| *class)
    }

    /// Refuses what does not depend on the project; the rest is up to [`Caller::enter`].
    ///
    /// # Errors
    /// 401 without a caller, 403 for lesser roles and tokens.
    pub fn check(self, caller: Option<&Caller>, is_safe: bool) -> Result<(), ApiError> {
        if self == Class::Anyone {
            return Ok(());
        }
        let caller = caller.ok_or_else(auth::anonymous)?;
        if self == Class::Administrator {
            caller.administrate()?;
        }
        if self == Class::Create && caller.role < SiteRole::Author {
            return Err(auth::forbidden("viewers of this site make no projects"));
        }
        let is_of_site = matches!(self, Class::Own | Class::Create | Class::Administrator);
        if is_of_site && caller.only_project.is_some() {
            return Err(auth::forbidden("this token is for one project only"));
        }
        let changes = !matches!(self, Class::User | Class::ProjectView) && !is_safe;
        if changes && caller.scope == Scope::Read {
            return Err(auth::read_only());
        }
        Ok(())
    }
}

/// The class of every operation.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    classes: Arc<HashMap<(Method, String), Option<Class>>>,
}

impl Registry {
    /// The classes of our operations, as the committed document names them.
    pub fn of_the_api() -> Self {
        static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::of(openapi::document()));
        REGISTRY.clone()
    }

    /// Reads the classes out of a document.
    fn of(document: &Value) -> Self {
        let mut classes = HashMap::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let Ok(method) = Method::from_bytes(method.to_uppercase().as_bytes()) else { continue };
                let class = operation[EXTENSION].as_str().and_then(Class::parse);
                classes.insert((method, path.clone()), class);
            }
        }
        Registry { classes: Arc::new(classes) }
    }

    /// The class of an operation (`path` as in the router); `None`: there is no such operation; `Some(None)`: it names
    /// no class.
    fn class(&self, method: &Method, path: &str) -> Option<Option<Class>> {
        let method = if method == Method::HEAD { Method::GET } else { method.clone() };
        self.classes.get(&(method, path.replace("{*", "{"))).copied()
    }

    /// The methods that a path knows, as `Allow` lists them.
    fn methods(&self, path: &str) -> String {
        let path = path.replace("{*", "{");
        let of_path = self.classes.keys().filter(|(_, known)| *known == path);
        let mut methods: Vec<&str> = of_path.map(|(method, _)| method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        methods.join(",")
    }
}

/// The layer around all operations of the API: one that the document does not know, or without a class, is refused.
pub async fn layer(State((app, registry)): State<(App, Registry)>, request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned()).unwrap_or_default();
    let caller = request.extensions().get::<Caller>();
    let refused = match registry.class(request.method(), &path) {
        Some(Some(class)) => {
            let is_safe = request.method().is_safe();
            csrf::check(&app, class, &request).and_then(|()| class.check(caller, is_safe)).err()
        }
        Some(None) => Some(auth::forbidden("no caller may do this")),
        None => {
            let methods = registry.methods(&path);
            return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, methods)]).into_response();
        }
    };
    match refused {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    }
}
