//! Makes the document of the API from the handlers, and adds what holds for every operation: who may ask, and how it
//! is refused.

use crate::api;
use crate::problem::{MEDIA_TYPE, ProblemBody};
use crate::rights::{Class, EXTENSION};
use crate::wire::files::ArchiveMode;
use std::collections::BTreeMap;
use utoipa::openapi::link::LinkBuilder;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{ContentBuilder, OpenApi, PathItem, Ref, RefOr, Response, Server};
use utoipa::{IntoResponses, OpenApi as _, PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;

/// What the document says of the whole.
#[derive(utoipa::OpenApi)]
#[openapi(info(
    title = "runcast",
    description = "Forecasts of parallel programs: projects, files, jobs and their results. Errors are `application/problem+json`."
))]
struct Whole;

/// The document, as the handlers make it.
pub fn document() -> OpenApi {
    let documented = api::routes().documented;
    let mut document = OpenApiRouter::with_openapi(Whole::openapi()).nest("/api/v1", documented).split_for_parts().1;
    // The router's word for the rest of a path is not OpenAPI's.
    let paths = std::mem::take(&mut document.paths.paths);
    document.paths.paths = paths.into_iter().map(|(path, item)| (path.replace("{*", "{"), item)).collect();
    complete(&mut document);
    document
}

/// A refusal that does not follow from the shape of the operation: its handler names it.
pub struct Refused<const STATUS: u16>;

/// The request cannot be read.
pub type Unreadable = Refused<400>;
/// The caller is not who they say.
pub type Unknown = Refused<401>;
/// What the body or the query names is not there.
pub type Missing = Refused<404>;
/// The state of things does not allow it.
pub type Conflict = Refused<409>;

impl<const STATUS: u16> IntoResponses for Refused<STATUS> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        [(STATUS.to_string(), RefOr::Ref(Ref::from_response_name(format!("Refused{STATUS}"))))].into()
    }
}

/// How a request is refused: the status, and why.
const REFUSALS: [(&str, &str); 14] = [
    ("400", "It cannot be read"),
    ("401", "Log in first"),
    ("403", "This caller may not do this"),
    ("404", "It is not there, or not for this caller"),
    ("408", "The body came in too slowly"),
    ("409", "The state of it does not allow this"),
    ("413", "The body is larger than allowed"),
    ("415", "The body is of another media type"),
    ("421", "This server is not known by that name"),
    ("422", "It makes no sense: each problem says where"),
    ("429", "Too many requests: `Retry-After` says when to come again"),
    ("500", "The server is at fault; its log has the incident"),
    ("503", "The database does not answer"),
    ("507", "No space is left; nothing was changed"),
];

/// Adds what holds for every operation: security schemes, and the answers by which requests are refused.
fn complete(document: &mut OpenApi) {
    document.servers = Some(vec![Server::new("/")]);
    let components = document.components.get_or_insert_default();
    // A word in a query is not registered by itself.
    components.schemas.entry(ArchiveMode::name().into_owned()).or_insert_with(ArchiveMode::schema);
    components.schemas.entry(ProblemBody::name().into_owned()).or_insert_with(ProblemBody::schema);
    let problem = Ref::from_schema_name(ProblemBody::name());
    for (status, why) in REFUSALS {
        let content = ContentBuilder::new().schema(Some(problem.clone())).build();
        let response = ResponseBuilder::new().description(why).content(MEDIA_TYPE, content).build();
        components.responses.insert(format!("Refused{status}"), response.into());
    }
    let cookie = ApiKeyValue::with_description(
        "runcast-8470",
        "The cookie of a session; the port is part of its name. Unsafe methods need X-Runcast-CSRF, too.",
    );
    let csrf = ApiKeyValue::with_description("X-Runcast-CSRF", "`csrf` of GET /session: for unsafe methods by cookie.");
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token of POST /tokens, or that of the server of a single user."))
        .build();
    let schemes = [
        ("bearer", SecurityScheme::Http(bearer)),
        ("cookie", SecurityScheme::ApiKey(ApiKey::Cookie(cookie))),
        ("csrf", SecurityScheme::ApiKey(ApiKey::Header(csrf))),
    ];
    components.security_schemes.extend(schemes.map(|(name, scheme)| (name.to_owned(), RefOr::T(scheme))));
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(operation_id(method, path));
            complete_operation(path, method == "get", operation);
        }
    }
    for (maker, status, path, parameter) in MADE {
        link(document, maker, status, path, parameter);
    }
}

/// What requests make, and where its id goes: the path, the status, the paths below which it is, the parameter there.
const MADE: [(&str, &str, &str, &str); 4] = [
    ("/api/v1/projects/{project}/jobs", "202", "/api/v1/jobs/{id}", "id"),
    ("/api/v1/projects/{project}/batches", "202", "/api/v1/batches/{id}", "id"),
    ("/api/v1/tokens", "201", "/api/v1/tokens/{id}", "id"),
    ("/api/v1/projects", "201", "/api/v1/projects/{p}", "p"),
];

/// Says of a request that makes something which operations take its id.
fn link(document: &mut OpenApi, maker: &str, status: &str, below: &str, parameter: &str) {
    let field = if parameter == "id" { "id" } else { "name" };
    let mut links = Vec::new();
    for (path, item) in &mut document.paths.paths {
        let rest = path.strip_prefix(below);
        if rest.is_some_and(|rest| !rest.contains('{') && (rest.is_empty() || rest.starts_with('/'))) {
            for (method, _) in operations(item).filter(|(method, _)| *method != "delete") {
                let link = LinkBuilder::new()
                    .operation_id(operation_id(method, path))
                    .parameter(parameter, format!("$response.body#/{field}"));
                links.push((operation_id(method, path), link.build()));
            }
        }
    }
    let made = document.paths.paths.get_mut(maker).and_then(|item| item.post.as_mut());
    if let Some(RefOr::T(response)) = made.and_then(|operation| operation.responses.responses.get_mut(status)) {
        response.links.extend(links.into_iter().map(|(name, link)| (name, RefOr::T(link))));
    }
}

/// `get_jobs_id_table`.
fn operation_id(method: &str, path: &str) -> String {
    let words = path.trim_start_matches("/api/v1").split(|letter: char| !letter.is_ascii_alphanumeric());
    std::iter::once(method).chain(words.filter(|word| !word.is_empty())).collect::<Vec<_>>().join("_")
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let all = [
        ("get", item.get.as_mut()),
        ("put", item.put.as_mut()),
        ("post", item.post.as_mut()),
        ("delete", item.delete.as_mut()),
        ("patch", item.patch.as_mut()),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation?)))
}

fn complete_operation(path: &str, is_safe: bool, operation: &mut Operation) {
    let class = operation.extensions.as_ref().and_then(|found| found.get(EXTENSION)?.as_str().and_then(Class::parse));
    let is_open = class == Some(Class::Anyone);
    let has_body = operation.request_body.is_some();
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && parameter.parameter_in == ParameterIn::Path
            && matches!(parameter.name.as_str(), "p" | "project")
        {
            *parameter = ParameterBuilder::from(parameter.clone()).example(Some("main".into())).build();
        }
    }
    let mut has = |place: ParameterIn| {
        let all = operation.parameters.iter_mut().flatten();
        all.filter(|parameter| is_in(parameter, &place)).count() > 0
    };
    let (in_path, in_query, in_header) = (has(ParameterIn::Path), has(ParameterIn::Query), has(ParameterIn::Header));
    let mut statuses = vec!["421", "500", "503"];
    if !is_open {
        statuses.extend(["401", "403"]);
    }
    if in_path || path.contains('{') {
        statuses.push("404");
    }
    if in_query || has_body {
        statuses.extend(["400", "422"]);
    }
    if in_header {
        statuses.push("422");
    }
    if has_body {
        statuses.extend(["408", "413", "415"]);
    }
    if !is_safe {
        statuses.extend(["403", "507"]);
    }
    for status in statuses {
        let refused = RefOr::<Response>::Ref(Ref::from_response_name(format!("Refused{status}")));
        operation.responses.responses.entry(status.to_owned()).or_insert(refused);
    }
    let none: [String; 0] = [];
    operation.security = Some(match (is_open, is_safe) {
        (true, _) => vec![SecurityRequirement::default()],
        (false, true) => {
            vec![SecurityRequirement::new("bearer", none.clone()), SecurityRequirement::new("cookie", none)]
        }
        (false, false) => vec![
            SecurityRequirement::new("bearer", none.clone()),
            SecurityRequirement::new("cookie", none.clone()).add("csrf", none),
        ],
    });
}

fn is_in(parameter: &RefOr<Parameter>, place: &ParameterIn) -> bool {
    matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == *place)
}
