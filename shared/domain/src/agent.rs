//! Desktop browsers that people use now, and what each says of itself. Pure. The table is looked over when
//! browsers move on; a version that nobody has any more stands out more than none.

/// Who made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    Chrome,
    Edge,
    Firefox,
    Safari,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Windows,
    MacOs,
    Linux,
}

/// One browser as it introduces itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    pub browser: Browser,
    pub platform: Platform,
    pub version: &'static str,
}

const fn agent(browser: Browser, platform: Platform, version: &'static str) -> Agent {
    Agent { browser, platform, version }
}

/// The curated list: every string it makes was among the most seen on the web in November 2026.
pub static AGENTS: &[Agent] = {
    use {Browser::*, Platform::*};
    &[
        agent(Chrome, Windows, "151"),
        agent(Chrome, Windows, "150"),
        agent(Chrome, Windows, "149"),
        agent(Chrome, MacOs, "151"),
        agent(Chrome, MacOs, "150"),
        agent(Chrome, MacOs, "149"),
        agent(Chrome, Linux, "151"),
        agent(Chrome, Linux, "150"),
        agent(Edge, Windows, "151"),
        agent(Edge, Windows, "150"),
        agent(Edge, MacOs, "151"),
        agent(Firefox, Windows, "153"),
        agent(Firefox, MacOs, "153"),
        agent(Firefox, Linux, "153"),
        agent(Safari, MacOs, "26.6"),
        agent(Safari, MacOs, "26.5.2"),
        agent(Safari, MacOs, "26.5"),
    ]
};

impl Agent {
    /// The one that wrote this user agent.
    pub fn of(user_agent: &str) -> Option<Agent> {
        AGENTS.iter().find(|agent| agent.user_agent() == user_agent).copied()
    }

    pub fn user_agent(&self) -> String {
        let (version, os) = (self.version, self.platform.in_user_agent(self.browser));
        match self.browser {
            Browser::Firefox => {
                format!("Mozilla/5.0 ({os}; rv:{version}.0) Gecko/20100101 Firefox/{version}.0")
            }
            Browser::Safari => format!(
                "Mozilla/5.0 ({os}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{version} Safari/605.1.15"
            ),
            Browser::Chrome | Browser::Edge => {
                let chrome = format!(
                    "Mozilla/5.0 ({os}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.0.0 Safari/537.36"
                );
                if self.browser == Browser::Edge { format!("{chrome} Edg/{version}.0.0.0") } else { chrome }
            }
        }
    }

    /// Built on Chromium: such a browser sends client hints, and our renderer can pass for it.
    pub fn is_chromium(&self) -> bool {
        matches!(self.browser, Browser::Chrome | Browser::Edge)
    }

    /// What it sends with a page typed into its address bar, in that language.
    pub fn headers(&self, language: &str) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        let mut say = |name: &str, value: String| headers.push((name.to_owned(), value));
        if self.is_chromium() {
            say("sec-ch-ua", self.brands());
            say("sec-ch-ua-mobile", "?0".to_owned());
            say("sec-ch-ua-platform", format!("\"{}\"", self.platform.word()));
        }
        say("user-agent", self.user_agent());
        say("accept", self.accept().to_owned());
        say("accept-language", self.accept_language(language));
        if self.browser != Browser::Safari {
            say("upgrade-insecure-requests", "1".to_owned());
            say("sec-fetch-user", "?1".to_owned());
        }
        for (name, value) in [("site", "none"), ("mode", "navigate"), ("dest", "document")] {
            say(&format!("sec-fetch-{name}"), value.to_owned());
        }
        headers
    }

    fn accept(&self) -> &'static str {
        if self.is_chromium() {
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,\
             application/signed-exchange;v=b3;q=0.7"
        } else {
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        }
    }

    fn accept_language(&self, language: &str) -> String {
        let base = language.split('-').next().unwrap_or(language);
        let second = if self.browser == Browser::Firefox { "0.5" } else { "0.9" };
        let plain = format!("{language},{base};q={second}");
        match (self.is_chromium(), base) {
            (true, base) if base != "en" => format!("{plain},en-US;q=0.8,en;q=0.7"),
            _ => plain,
        }
    }

    /// Brands in the order and with the noise word that Chromium derives from its version, so that nobody
    /// counts on either.
    fn brands(&self) -> String {
        const NOISE: [&str; 11] = [" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_"];
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let seed: usize = self.version.parse().unwrap_or_default();
        let noise = format!("Not{}A{}Brand", NOISE[seed % 11], NOISE[(seed + 1) % 11]);
        let own = if self.browser == Browser::Edge { "Microsoft Edge" } else { "Google Chrome" };
        let brands =
            [(noise.as_str(), ["8", "99", "24"][seed % 3]), ("Chromium", self.version), (own, self.version)];
        let mut placed = [""; 3].map(str::to_owned);
        for (place, (name, version)) in ORDERS[seed % 6].into_iter().zip(brands) {
            placed[place] = format!("\"{name}\";v=\"{version}\"");
        }
        placed.join(", ")
    }
}

impl Platform {
    fn in_user_agent(self, browser: Browser) -> &'static str {
        match (self, browser) {
            (Platform::Windows, _) => "Windows NT 10.0; Win64; x64",
            (Platform::MacOs, Browser::Firefox) => "Macintosh; Intel Mac OS X 10.15",
            (Platform::MacOs, _) => "Macintosh; Intel Mac OS X 10_15_7",
            (Platform::Linux, _) => "X11; Linux x86_64",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Platform::Windows => "Windows",
            Platform::MacOs => "macOS",
            Platform::Linux => "Linux",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_is_long_varied_and_without_doubles() {
        let strings: BTreeSet<_> = AGENTS.iter().map(Agent::user_agent).collect();
        assert_eq!(strings.len(), AGENTS.len());
        assert!(AGENTS.len() >= 12);
        for browser in [Browser::Chrome, Browser::Edge, Browser::Firefox, Browser::Safari] {
            assert!(AGENTS.iter().any(|agent| agent.browser == browser));
        }
        for agent in AGENTS {
            assert_eq!(Agent::of(&agent.user_agent()), Some(*agent));
        }
        assert_eq!(Agent::of("Freshet/0.1.0"), None);
    }

    /// As real browsers of those versions wrote it.
    #[test]
    fn brands_are_ordered_as_chromium_orders_them() {
        let chrome = |version| agent(Browser::Chrome, Platform::Windows, version).brands();
        assert_eq!(chrome("120"), r#""Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120""#);
        assert_eq!(chrome("131"), r#""Google Chrome";v="131", "Chromium";v="131", "Not_A Brand";v="24""#);
    }

    #[test]
    fn what_a_browser_sends_fits_what_it_claims_to_be() {
        for agent in AGENTS {
            let headers = agent.headers("de-DE");
            let says = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
            assert_eq!(says("user-agent"), Some(agent.user_agent().as_str()));
            assert!(says("accept-language").unwrap().starts_with("de-DE,de;q="));
            assert_eq!(says("sec-ch-ua").is_some(), agent.is_chromium());
            if let Some(brands) = says("sec-ch-ua") {
                assert!(brands.contains(&format!("\"Chromium\";v=\"{}\"", agent.version)), "{brands}");
                assert_eq!(brands.contains("Microsoft Edge"), agent.browser == Browser::Edge);
                let platform = says("sec-ch-ua-platform").unwrap().trim_matches('"');
                let in_agent = match platform {
                    "Windows" => "Windows NT",
                    "macOS" => "Mac OS X",
                    other => other,
                };
                assert!(agent.user_agent().contains(in_agent), "{platform}");
            }
        }
    }
}
