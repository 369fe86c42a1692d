//! The browser that goes to Lambda: the very program, as the layer has it, with our flags.

use std::path::{Path, PathBuf};

use fixture::JobSite;

use crate::room::{How, Room, html, job};

/// What Lambda unpacks for a function, with all its layers.
const MOST: u64 = 250 * 1024 * 1024;
/// Kept for the function itself.
const FUNCTION: u64 = 25 * 1024 * 1024;

fn layer() -> PathBuf {
    let layer = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../layers/chromium/layer");
    std::fs::canonicalize(layer).expect("no layer: `make build-layer` makes it, and `make test` calls that")
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| match entry.file_type().unwrap().is_dir() {
            true => size(&entry.path()),
            false => entry.metadata().unwrap().len(),
        })
        .sum()
}

#[tokio::test]
async fn the_browser_of_the_layer_shows_a_page() {
    let layer = layer();
    let held = size(&layer);
    assert!(held + FUNCTION <= MOST, "{held} bytes leave too little for the function");
    let site = JobSite::start("127.0.0.1").await;
    html(&site, "/page", "<p id=p></p><script>p.textContent = `${6 * 7} ${navigator.language}`</script>");
    let program = layer.join("chromium/chromium").display().to_string();
    let room = Room::with(&[&site], How { program: Some(program), ..How::default() }).await;
    let page = room.html(&job(&site.url("/page"), 30)).await;
    assert!(page.contains("<p id=\"p\">42 en-US</p>"), "{page}");
    room.end().await;
}
