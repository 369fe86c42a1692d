//! Puts the built web app into the program: a table of the files in `web/dist`. Without them the table is empty, so
//! that building Freshet never needs Node.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut table = String::from("&[\n");
    if dist.join("index.html").exists() {
        let mut files = Vec::new();
        find(&dist, "", &mut files);
        files.sort();
        for name in files {
            let path = dist.join(&name).canonicalize().expect("a file that was just found");
            writeln!(table, "    ({name:?}, include_bytes!({path:?})),").expect("writing to a string");
        }
    }
    table.push_str("]\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo names the folder");
    std::fs::write(Path::new(&out).join("web_files.rs"), table).expect("writing the table");
}

/// Names with `/`, relative to the folder; those that begin with a dot are not for the web.
fn find(folder: &Path, before: &str, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("reading web/dist") {
        let entry = entry.expect("reading web/dist");
        let name = entry.file_name().into_string().expect("the names of web/dist are plain");
        if name.starts_with('.') {
            continue;
        }
        let name = format!("{before}{name}");
        if entry.path().is_dir() {
            find(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push(name);
        }
    }
}
