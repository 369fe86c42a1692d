//! The private cluster, with real servers in throw-away folders. Running as root is a case, not an exception.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use local::cluster::Cluster;
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// Set for the copy of this test program that holds a cluster until it is killed.
const HOLD: &str = "FRESHET_TEST_HOLDS_CLUSTER_IN";

#[tokio::test]
async fn what_was_committed_is_there_after_a_stop_and_a_start() {
    let folder = folder();
    let cluster = start(folder.path()).await;
    assert!(!cluster.was_adopted());
    write_row(&cluster, "kept").await;
    let (pid, port) = (pid_of(&cluster), cluster.port());
    cluster.stop().unwrap();
    assert!(!lives(pid), "stop left a process");

    let again = start(folder.path()).await;
    assert!(!again.was_adopted());
    assert_eq!(again.port(), port, "a free port is kept from run to run");
    assert_eq!(rows(&again).await, ["kept"]);
}

#[tokio::test]
async fn what_was_committed_is_there_after_the_server_is_killed() {
    let folder = folder();
    let cluster = start(folder.path()).await;
    write_row(&cluster, "kept").await;
    kill(pid_of(&cluster));
    drop(cluster);

    let again = start(folder.path()).await;
    assert!(!again.was_adopted());
    assert_eq!(rows(&again).await, ["kept"]);
}

#[tokio::test]
async fn a_server_left_by_a_killed_run_is_adopted_and_then_stopped() {
    let folder = folder();
    let mut holder = hold_elsewhere(folder.path());
    let pid = wait_for("a server", || read_pid(folder.path()));
    wait_for("a lock with a pid", || std::fs::read_to_string(folder.path().join("lock")).ok());
    // A second start is refused while the first lives, and says who holds it.
    let refused = Cluster::start(folder.path(), None).await.err().expect("the folder is taken");
    assert!(format!("{refused:#}").contains(&format!("pid {}", holder.id())), "{refused:#}");

    wait_for("the holder to be ready", || folder.path().join("held").exists().then_some(()));
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(lives(pid), "the server outlives a killed owner");

    let adopted = start(folder.path()).await;
    assert!(adopted.was_adopted());
    assert_eq!(pid_of(&adopted), pid);
    assert_eq!(rows(&adopted).await, ["written by the holder"]);
    adopted.stop().unwrap();
    wait_for("the adopted server to be gone", || (!lives(pid)).then_some(()));
}

/// Not a test by itself: the body of the process that the test above kills.
#[tokio::test]
async fn hold_a_cluster_when_told_to() {
    let Some(folder) = std::env::var_os(HOLD) else { return };
    let cluster = start(Path::new(&folder)).await;
    write_row(&cluster, "written by the holder").await;
    std::fs::write(Path::new(&folder).join("held"), "").unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_foreign_process_with_the_old_number_does_not_keep_the_server_down() {
    let folder = folder();
    let cluster = start(folder.path()).await;
    let port = cluster.port();
    cluster.stop().unwrap();
    let pg = folder.path().join("pg");
    // Postgres only minds a process of its own account.
    let owner = std::fs::metadata(&pg).unwrap().uid();
    let mut stranger = Command::new("sleep").arg("600").uid(owner).spawn().unwrap();
    for file in ["postmaster.pid".to_owned(), format!(".s.PGSQL.{port}.lock")] {
        std::fs::write(pg.join(file), format!("{}\n{}\n0\n{port}\n", stranger.id(), pg.display())).unwrap();
    }
    let started = Cluster::start(folder.path(), None).await;
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert!(!started.unwrap().was_adopted());
}

#[tokio::test]
async fn data_of_another_major_version_is_refused_with_both_versions() {
    let folder = folder();
    start(folder.path()).await.stop().unwrap();
    std::fs::write(folder.path().join("pg/PG_VERSION"), "9\n").unwrap();
    let refused = Cluster::start(folder.path(), None).await.err().expect("version 9 is not installed");
    assert!(format!("{refused:#}").contains("was made by Postgres 9"), "{refused:#}");
}

#[tokio::test]
async fn the_password_is_asked_for_and_kept_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let cluster = start(folder.path()).await;
    let without = format!("postgres://freshet:wrong@127.0.0.1:{}/freshet", cluster.port());
    assert!(connect(&without).await.is_err());
    let mode = std::fs::metadata(folder.path().join("cluster.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!folder.path().join("initdb.password").exists());
    let settings = "select current_setting('server_encoding') || ' ' || current_setting('data_checksums') \
                    || ' ' || current_setting('synchronous_commit') || ' ' || lower('É')";
    let client = connect(cluster.url()).await.unwrap();
    let row = client.query_one(settings, &[]).await.unwrap();
    assert_eq!(row.get::<_, String>(0), "UTF8 on on é");
}

fn folder() -> TempDir {
    tempfile::Builder::new().prefix("cluster").tempdir().unwrap()
}

async fn start(folder: &Path) -> Cluster {
    Cluster::start(folder, None).await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "one connection to a throw-away cluster needs no pool")]
async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn write_row(cluster: &Cluster, text: &str) {
    let client = connect(cluster.url()).await.unwrap();
    client.batch_execute("create table note (body text)").await.unwrap();
    client.execute("insert into note (body) values ($1)", &[&text]).await.unwrap();
}

async fn rows(cluster: &Cluster) -> Vec<String> {
    let client = connect(cluster.url()).await.unwrap();
    client.query("select body from note", &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

fn hold_elsewhere(folder: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cluster::hold_a_cluster_when_told_to"])
        .env(HOLD, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn pid_of(cluster: &Cluster) -> u32 {
    read_pid(cluster.folder()).expect("a running server writes its pid")
}

fn read_pid(folder: &Path) -> Option<u32> {
    std::fs::read_to_string(folder.join("pg/postmaster.pid")).ok()?.lines().next()?.parse().ok()
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

/// A zombie that nobody has waited for yet does not live.
fn lives(pid: u32) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited a minute for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
