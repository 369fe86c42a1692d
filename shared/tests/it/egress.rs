//! The door holds: what must not be asked for is not, what a server sends is bounded, and each rule is
//! shown to matter by taking it away.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod body;
mod fetch;
mod guard;
mod proxied;
mod rules;
mod site;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::egress::{Egress, EgressError, Fetched, Hop, Limits, Lookup, Permission, Request};

pub fn private(hosts: &[String]) -> Permission {
    Permission::with_private_hosts(hosts.iter().map(|host| host.parse().unwrap()).collect())
}

pub fn loopback() -> Permission {
    private(&["127.0.0.0/8".to_owned()])
}

pub fn small() -> Limits {
    Limits { total: Duration::from_secs(20), ..Limits::default() }
}

pub fn egress(permission: Permission) -> Egress {
    Egress::new(permission, small()).unwrap()
}

pub fn egress_with_names(permission: Permission, names: &[(&str, &[SocketAddr])]) -> Egress {
    let table: HashMap<String, Vec<SocketAddr>> =
        names.iter().map(|(name, addresses)| ((*name).to_owned(), addresses.to_vec())).collect();
    Egress::with_lookup(permission, small(), Lookup::Table(table)).unwrap()
}

pub async fn get(egress: &Egress, url: &str) -> Result<Fetched, EgressError> {
    egress.fetch(Request::get(url), |_| Hop::Follow).await
}

pub async fn code(egress: &Egress, url: &str) -> &'static str {
    get(egress, url).await.expect_err("it must not pass").code()
}

const DOORS: [&str; 5] = ["reqwest::", "hyper::client", "TcpStream::connect", "lookup_host", "ToSocketAddrs"];

/// The lines of a source text that open a door of their own.
fn doors(source: &str) -> Vec<(usize, &str)> {
    let lines = source.lines().enumerate();
    lines
        .filter(|(_, line)| DOORS.iter().any(|door| line.contains(door)))
        .map(|(n, line)| (n + 1, line))
        .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let skipped = ["tests", "benches", "target", "node_modules"].contains(&name.as_str());
            if !skipped && !name.starts_with('.') && !path.ends_with("shared/src/egress") {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_other_module_opens_a_door_of_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    sources(root, &mut files);
    assert!(files.iter().any(|file| file.ends_with("shared/src/lib.rs")), "the search found no source");
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        found.extend(doors(&text).iter().map(|(line, text)| format!("{}:{line}: {text}", file.display())));
    }
    assert!(found.is_empty(), "all outbound traffic goes through shared/src/egress:\n{}", found.join("\n"));
}

#[test]
fn the_search_for_doors_finds_them() {
    let source = "use std::net;\nlet c = reqwest::Client::new();\n// fine\nlet s = TcpStream::connect(a);";
    assert_eq!(doors(source).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
    let own = include_str!("../../src/egress/resolver.rs");
    assert!(!doors(own).is_empty(), "egress itself would be found if it were not the door");
}
