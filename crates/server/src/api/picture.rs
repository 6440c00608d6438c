//! Figures drawn as pictures, in a process of their own.

use crate::api::launch::internal;
use crate::app::App;
use crate::auth::Caller;
use crate::derived::Figure;
use crate::problem::ApiError;
use crate::task::Work;
use std::sync::Arc;

/// What a picture is drawn as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Svg,
    Png,
}

impl Form {
    pub fn media(self) -> &'static str {
        match self {
            Form::Svg => "image/svg+xml",
            Form::Png => "image/png",
        }
    }
}

/// Draws a figure.
pub(super) async fn draw(
    app: &App,
    caller: &Caller,
    figure: Figure,
    title: String,
    form: Form,
) -> Result<Vec<u8>, ApiError> {
    app.children().admit(app, &caller.user).await?;
    let bytes = serde_json::to_vec(&figure).map_err(|error| internal(&error))?;
    let work = Work::Plot { title, png: form == Form::Png };
    let outcome = app.children().run(app, work, vec![("figure.json".to_owned(), Arc::from(bytes))]).await?;
    outcome.document.ok_or_else(|| internal(&"the process drew nothing"))
}
