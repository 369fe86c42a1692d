//! Which browser is run, and how: what it is started with, and all it learns of us.

use std::path::{Path, PathBuf};

use anyhow::bail;

/// Where a browser may be, in the order they are looked for. Names without a folder are not: a browser is not
/// picked up from whatever PATH somebody has.
const USUAL: [&str; 5] = [
    "/opt/chromium/chromium",
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/usr/lib64/chromium-browser/headless_shell",
];

/// A browser on this machine.
#[derive(Debug, Clone)]
pub struct Chrome {
    pub program: PathBuf,
    /// Off where the system cannot have one: as root, and on Lambda, which is a sandbox of its own.
    pub sandbox: bool,
}

impl Chrome {
    /// The one that is named, else the first that is there.
    pub fn find(named: Option<&str>, sandbox: bool) -> anyhow::Result<Chrome> {
        let program = match named {
            Some(named) if Path::new(named).is_file() => PathBuf::from(named),
            Some(named) => bail!("BROWSER is {named:?}, and there is no such program"),
            None => match USUAL.iter().map(Path::new).find(|path| path.is_file()) {
                Some(found) => found.to_owned(),
                None => bail!(
                    "no Chromium here: run `scripts/setup browser` (Debian: apt install chromium-headless-shell), \
                     or set BROWSER to the path of one"
                ),
            },
        };
        Ok(Chrome { program, sandbox: sandbox && !rustix::process::geteuid().is_root() })
    }

    /// All the environment it gets: nothing of ours.
    pub fn environment(&self, folder: &Path) -> Vec<(&'static str, PathBuf)> {
        let mut all = vec![
            ("HOME", folder.to_owned()),
            ("TMPDIR", folder.to_owned()),
            ("XDG_CONFIG_HOME", folder.to_owned()),
            ("XDG_CACHE_HOME", folder.to_owned()),
            ("PATH", PathBuf::from("/usr/bin:/bin")),
            ("LANG", PathBuf::from("en_US.UTF-8")),
            ("TZ", PathBuf::from("UTC")),
        ];
        // The layer brings the libraries and fonts that Lambda's Linux lacks, beside the program.
        let beside =
            |name: &str| self.program.parent().map(|parent| parent.join(name)).filter(|p| p.is_dir());
        all.extend(beside("lib").map(|lib| ("LD_LIBRARY_PATH", lib)));
        all.extend(beside("fonts").map(|fonts| ("FONTCONFIG_PATH", fonts)));
        all
    }

    /// What it is started with. `dead_end` is where whatever does not belong to a page is sent.
    pub fn flags(&self, folder: &Path, user_agent: &str) -> Vec<String> {
        let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        flags.push(format!("--user-data-dir={}", folder.join("profile").display()));
        flags.push(format!("--user-agent={user_agent}"));
        if !self.sandbox {
            flags.push("--no-sandbox".to_owned());
            flags.push("--no-zygote".to_owned());
        }
        flags
    }
}

const FLAGS: [&str; 37] = [
    "--headless",
    "--lang=en-US",
    "--remote-debugging-pipe",
    // The network: a page's own proxy is the only way out. What belongs to no page goes nowhere, loopback is no
    // exception, nothing is resolved here, and nothing goes beside the proxy.
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
    // Nothing by itself.
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-service-autorun",
    // A page is one process, and opens no windows. Its context holds nothing that another site could want.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,AutofillServerCommunication,CertificateTransparencyComponentUpdater,BackForwardCache",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    // Neither screen, sound, keychain nor report of a crash.
    "--disable-gpu",
    "--hide-scrollbars",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-breakpad",
    "--disable-crash-reporter",
    // Shared memory lies in its own folder: Lambda has no other place, and what lies there goes with it.
    "--disable-dev-shm-usage",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named() {
        let error = Chrome::find(Some("/nowhere/chrome"), true).unwrap_err().to_string();
        assert!(error.contains("/nowhere/chrome"), "{error}");
    }

    /// What would take a guard away must never be among the flags.
    #[test]
    fn no_flag_opens_what_must_stay_shut() {
        let chrome = Chrome { program: "/bin/true".into(), sandbox: true };
        let flags = chrome.flags(Path::new("/tmp/x"), "Freshet");
        for never in ["--disable-web-security", "--remote-debugging-port", "--single-process", "--no-sandbox"]
        {
            assert!(!flags.iter().any(|flag| flag.starts_with(never)), "{never}");
        }
        assert!(flags.iter().any(|flag| flag == "--proxy-bypass-list=<-loopback>"));
    }
}
