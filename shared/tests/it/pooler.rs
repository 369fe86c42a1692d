//! A real PgBouncer in transaction mode before a test's database.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use shared::store::Pool;
use shared::store::pool::PoolSettings;

pub struct Pooler {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Pooler {
    pub async fn start(database: &SecretString) -> Pooler {
        let config: tokio_postgres::Config = database.expose_secret().parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let user = config.get_user().unwrap();
        let ini = format!(
            "[databases]\nt = host=127.0.0.1 port={} dbname={} user={user}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n\
             server_reset_query_always = 1\nserver_reset_query = DISCARD ALL\n",
            config.get_ports()[0],
            config.get_dbname().unwrap(),
        );
        let file = folder.path().join("pgbouncer.ini");
        std::fs::write(&file, ini).unwrap();
        let process = launch(&file, folder.path());
        let pooler = Pooler { process, port, _folder: folder };
        let answers = async {
            while pooler.pool(1).conn().await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), answers).await.expect("PgBouncer answers");
        pooler
    }

    pub fn pool(&self, size: usize) -> Pool {
        let url = format!("postgres://anyone@127.0.0.1:{}/t?sslmode=disable", self.port);
        Pool::new(&PoolSettings {
            url: url.into(),
            size,
            statement_timeout: Duration::from_secs(5),
            pooled: true,
            plans: shared::store::pool::Plans::Fitted,
        })
        .unwrap()
    }
}

/// PgBouncer refuses to run as root.
fn launch(file: &Path, folder: &Path) -> Child {
    let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists());
    let program = program.expect("PgBouncer is installed: run the tests with `make test`");
    let root =
        std::fs::metadata("/proc/self").map(|us| std::os::unix::fs::MetadataExt::uid(&us) == 0).unwrap();
    let mut command = if root {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder, mode).unwrap();
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.arg(file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starting PgBouncer")
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
