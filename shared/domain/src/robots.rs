//! robots.txt by RFC 9309: which addresses of an origin its owner asks us not to fetch. Pure and linear: the
//! file is read once, line by line, and a rule is compared with an address in one pass over both.

use std::cmp::Reverse;
use std::fmt;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use url::{Position, Url};

/// The name by which a robots.txt may speak to us.
pub const PRODUCT: &str = "Freshet";
/// What is read of a file; the RFC asks for at least this much.
pub const MOST_BYTES: usize = 500 * 1024;
/// A longer `Crawl-delay` is taken for this: it is no part of the RFC, and some files ask for days.
pub const MOST_CRAWL_DELAY: SignedDuration = SignedDuration::from_secs(60);
const MOST_SITEMAPS: usize = 1_000;

/// What one file says to one crawler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Robots {
    /// The rule that wins stands first: the longest, and `Allow` among equals.
    rules: Vec<Rule>,
    crawl_delay_ms: Option<u32>,
    pub sitemaps: Vec<String>,
}

/// One line of the file that speaks of us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    pub allow: bool,
    /// In canonical form: see `canonical`.
    pub pattern: String,
    pub line: u32,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.allow { "Allow" } else { "Disallow" };
        write!(f, "{word}: {} (line {})", self.pattern, self.line)
    }
}

impl Robots {
    /// Reads what a file says to the crawler of this name. Never fails: what is no rule is skipped.
    pub fn parse(file: &[u8], product: &str) -> Robots {
        let mut groups = Groups::default();
        let mut sitemaps = Vec::new();
        for (line, text) in lines(whole_lines(file)) {
            match record(text) {
                Some(Record::Agent(value)) => groups.agent(value, product),
                Some(Record::Rule { allow, value }) => groups.rule(allow, value, line),
                Some(Record::CrawlDelay(value)) => groups.delay(value),
                Some(Record::Sitemap(value)) if sitemaps.len() < MOST_SITEMAPS => {
                    sitemaps.push(String::from_utf8_lossy(value).replace('\0', ""));
                }
                Some(Record::Sitemap(_)) | None => {}
            }
        }
        let Said { mut rules, delay_ms } = groups.for_us();
        rules.sort_by_key(|rule| (Reverse(rule.pattern.len()), !rule.allow));
        Robots { rules, crawl_delay_ms: delay_ms, sitemaps }
    }

    /// The rule that decides about an address; `None` when no rule speaks of it.
    pub fn deciding_rule(&self, url: &Url) -> Option<&Rule> {
        if url.path() == "/robots.txt" {
            return None; // the file itself may always be asked for
        }
        let path = canonical(url[Position::BeforePath..Position::AfterQuery].as_bytes(), Text::Address);
        self.rules.iter().find(|rule| matches(&rule.pattern, &path))
    }

    /// The rule that forbids an address, if one does.
    pub fn refusal(&self, url: &Url) -> Option<&Rule> {
        self.deciding_rule(url).filter(|rule| !rule.allow)
    }

    /// The gap the site asks for, at most `MOST_CRAWL_DELAY`.
    pub fn crawl_delay(&self) -> Option<SignedDuration> {
        self.crawl_delay_ms.map(|millis| SignedDuration::from_millis(i64::from(millis)))
    }

    /// Roughly what it takes in memory.
    pub fn weight(&self) -> usize {
        let rules: usize = self.rules.iter().map(|rule| rule.pattern.len() + size_of::<Rule>()).sum();
        rules + self.sitemaps.iter().map(|url| url.len() + size_of::<String>()).sum::<usize>()
    }
}

/// What the file says to one kind of crawler.
#[derive(Default)]
struct Said {
    rules: Vec<Rule>,
    delay_ms: Option<u32>,
}

/// The groups, as far as they concern us: those that name us, merged, and those for everybody, merged.
#[derive(Default)]
struct Groups {
    ours: Said,
    everybodys: Said,
    /// A group names us, with or without rules.
    named: bool,
    /// The lines before this one name agents; the next one may name another of the same group.
    naming: bool,
    to_us: bool,
    to_everybody: bool,
}

impl Groups {
    fn agent(&mut self, value: &[u8], product: &str) {
        if !self.naming {
            (self.naming, self.to_us, self.to_everybody) = (true, false, false);
        }
        if value == b"*" || value.starts_with(b"* ") || value.starts_with(b"*\t") {
            self.to_everybody = true;
        } else if product_token(value).eq_ignore_ascii_case(product.as_bytes()) {
            (self.to_us, self.named) = (true, true);
        }
    }

    fn rule(&mut self, allow: bool, value: &[u8], line: u32) {
        self.naming = false;
        // An empty rule forbids and permits nothing; one that is no path matches none.
        if !matches!(value.first(), Some(b'/' | b'*')) {
            return;
        }
        let rule = || Rule { allow, pattern: canonical(value, Text::Pattern), line };
        if self.to_us {
            self.ours.rules.push(rule());
        }
        if self.to_everybody {
            self.everybodys.rules.push(rule());
        }
    }

    /// Said to the agents named so far. It does not end their list: only rules do.
    fn delay(&mut self, value: &[u8]) {
        let seconds = std::str::from_utf8(value).ok().and_then(|text| text.parse::<f64>().ok());
        let Some(seconds) = seconds.filter(|seconds| *seconds > 0.0) else { return };
        let millis = (seconds.min(MOST_CRAWL_DELAY.as_secs_f64()) * 1e3).ceil() as u32;
        for (said, addressed) in [(&mut self.ours, self.to_us), (&mut self.everybodys, self.to_everybody)] {
            if addressed {
                said.delay_ms = Some(said.delay_ms.map_or(millis, |before| before.max(millis)));
            }
        }
    }

    fn for_us(self) -> Said {
        if self.named { self.ours } else { self.everybodys }
    }
}

enum Record<'f> {
    Agent(&'f [u8]),
    Rule { allow: bool, value: &'f [u8] },
    CrawlDelay(&'f [u8]),
    Sitemap(&'f [u8]),
}

/// `name: value # comment`. A missing colon is forgiven when there is only one word after the name, and so
/// are the usual misspellings: whoever wrote them meant it.
fn record(line: &[u8]) -> Option<Record<'_>> {
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let (name, value) = match line.iter().position(|byte| *byte == b':') {
        Some(at) => (line[..at].trim_ascii(), line[at + 1..].trim_ascii()),
        None => {
            let at = line.iter().position(u8::is_ascii_whitespace)?;
            let value = line[at..].trim_ascii();
            if value.iter().any(u8::is_ascii_whitespace) {
                return None;
            }
            (&line[..at], value)
        }
    };
    let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
    if is(&["user-agent", "useragent", "user agent"]) {
        Some(Record::Agent(value))
    } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        Some(Record::Rule { allow: false, value })
    } else if is(&["allow"]) {
        Some(Record::Rule { allow: true, value })
    } else if is(&["crawl-delay", "crawldelay", "crawl delay"]) {
        Some(Record::CrawlDelay(value))
    } else if is(&["sitemap", "site-map"]) {
        Some(Record::Sitemap(value))
    } else {
        None
    }
}

/// `Freshet/1.0 (bot)` names the product `Freshet`.
fn product_token(value: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    &value[..value.iter().position(|byte| !is_part(byte)).unwrap_or(value.len())]
}

/// Without the byte order mark, and no further than we read; a line cut in two would be another rule.
fn whole_lines(file: &[u8]) -> &[u8] {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    if file.len() <= MOST_BYTES {
        return file;
    }
    let end = file[..MOST_BYTES].iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    &file[..end.unwrap_or_default()]
}

/// Lines with their numbers; they end with LF, CR or both.
fn lines(mut file: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut number = 0;
    std::iter::from_fn(move || {
        if file.is_empty() {
            return None;
        }
        let end = file.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(file.len());
        let (line, rest) = file.split_at(end);
        let ending = if rest.starts_with(b"\r\n") { 2 } else { rest.len().min(1) };
        file = &rest[ending..];
        number += 1;
        Some((number, line))
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    /// `*` and a final `$` are signs.
    Pattern,
    /// They are what they are.
    Address,
}

/// The one spelling of a path in which rules and addresses are compared: escaped letters, digits and `-._~`
/// are written out, everything else that no address may hold is escaped, in capitals.
fn canonical(text: &[u8], kind: Text) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let escaped = (byte == b'%').then(|| text.get(at + 1..at + 3).and_then(unhex)).flatten();
        at += if escaped.is_some() { 3 } else { 1 };
        match escaped {
            Some(meant) if is_unreserved(meant) => out.push(char::from(meant)),
            Some(meant) => escape(&mut out, meant),
            None if byte == b'*' && kind == Text::Pattern => out.push('*'),
            None if byte == b'$' && kind == Text::Pattern && at == text.len() => out.push('$'),
            None if is_unreserved(byte) || b":/?#[]@!&()+,;=%".contains(&byte) => out.push(char::from(byte)),
            None => escape(&mut out, byte),
        }
    }
    out
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn escape(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

fn unhex(digits: &[u8]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(value(*digits.first()?)? * 16 + value(*digits.get(1)?)?)
}

/// Does the pattern fit the beginning of the path, or with `$` all of it? Each piece between stars is taken
/// where it first occurs, which leaves the most for the pieces after it.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return !whole || rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if whole && pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
#[path = "robots_tests.rs"]
mod tests;
