//! The web app, served beside the API. It is in the program when it was built before it (`web/dist`); otherwise the
//! API's own page answers at `/`. Only files that were there at build time are ever served.

use api::Page;
use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

type File = (&'static str, &'static [u8]);

static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/web_files.rs"));

const INDEX: &str = "index.html";
/// No script, style, picture or request but our own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What is served at `/`.
pub fn page() -> Page {
    page_of(FILES)
}

/// The scripts, styles and pictures of the app.
pub fn files() -> Router {
    routes(FILES)
}

fn page_of(files: &'static [File]) -> Page {
    let index = files.iter().find(|(name, _)| *name == INDEX);
    index.map_or(Page::BUILT_IN, |(_, html)| Page { html, policy: POLICY })
}

fn routes(files: &'static [File]) -> Router {
    files
        .iter()
        .filter(|(name, _)| *name != INDEX)
        .fold(Router::new(), |router, file| router.route(&format!("/{}", file.0), get(async || answer(file))))
}

fn answer((name, bytes): &'static File) -> Response {
    // Vite names what is in assets/ by its content; the rest may change under its name.
    let keep = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [
        (header::CONTENT_TYPE, kind(name)),
        (header::CACHE_CONTROL, keep),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, Bytes::from_static(bytes)).into_response()
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::{Method, Request, StatusCode};
    use shared::door;
    use tower::ServiceExt;

    use super::*;

    static BUILT: &[File] = &[
        ("assets/index-C0ffee.css", b"body{}"),
        ("assets/index-C0ffee.js", b"0"),
        ("favicon.svg", b"<svg/>"),
        ("index.html", b"<!doctype html>"),
    ];

    async fn ask(method: Method, path: &str) -> Response {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        door::house(routes(BUILT)).oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn a_file_comes_with_its_type_and_its_manners() {
        const FOREVER: &str = "public, max-age=31536000, immutable";
        for (path, kind, keep) in [
            ("/favicon.svg", "image/svg+xml", "no-cache"),
            ("/assets/index-C0ffee.js", "text/javascript; charset=utf-8", FOREVER),
            ("/assets/index-C0ffee.css", "text/css; charset=utf-8", FOREVER),
        ] {
            let response = ask(Method::GET, path).await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            let header = |name: &str| response.headers()[name].to_str().unwrap();
            assert_eq!((header("content-type"), header("cache-control")), (kind, keep), "{path}");
            assert_eq!(
                (header("x-content-type-options"), header("referrer-policy")),
                ("nosniff", "no-referrer")
            );
            assert!(header("content-security-policy").starts_with("default-src 'none'"));
            assert!(!header("content-security-policy").contains("unsafe"));
        }
    }

    #[tokio::test]
    async fn nothing_but_the_files_is_served() {
        for path in ["/assets/other.js", "/assets/../Cargo.toml", "/index.html"] {
            assert_eq!(ask(Method::GET, path).await.status(), StatusCode::NOT_FOUND, "{path}");
        }
        assert_eq!(ask(Method::DELETE, "/favicon.svg").await.status(), StatusCode::METHOD_NOT_ALLOWED);
    }

    #[test]
    fn without_a_built_app_the_page_of_the_api_answers() {
        assert_eq!(page_of(BUILT).html, b"<!doctype html>");
        assert_eq!(page_of(&[]).html, Page::BUILT_IN.html);
        assert!(
            Page::BUILT_IN.policy.contains("unsafe-inline")
                && !page_of(BUILT).policy.contains("unsafe-inline")
        );
    }
}
