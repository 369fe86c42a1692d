//! Cases, by hand and by the thousand.

use proptest::prelude::*;

use super::*;

fn url(path: &str) -> Url {
    Url::parse(&format!("https://example.com{path}")).unwrap()
}

fn may(file: &[u8], product: &str, address: &Url) -> bool {
    Robots::parse(file, product).refusal(address).is_none()
}

/// `\xHH` and its friends, as the cases file writes them.
fn bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.extend(before.as_bytes());
        let (byte, taken) = match &after[..1] {
            "t" => (b'\t', 1),
            "r" => (b'\r', 1),
            "n" => (b'\n', 1),
            "0" => (0, 1),
            "x" => (u8::from_str_radix(&after[1..3], 16).unwrap(), 3),
            other => panic!("\\{other} in {text:?}"),
        };
        out.push(byte);
        rest = &after[taken..];
    }
    out.extend(rest.as_bytes());
    out
}

#[test]
fn every_case_comes_out_as_written() {
    let (mut rule, mut file, mut product, mut asked, mut wrong) =
        ("", Vec::new(), PRODUCT.to_owned(), 0, Vec::new());
    for line in include_str!("robots_cases.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(words) = line.strip_prefix("== ") {
            (rule, file, product) = (words, Vec::new(), PRODUCT.to_owned());
        } else if let Some(text) = line.strip_prefix('|') {
            file.extend(bytes(text.strip_prefix(' ').unwrap_or(text)));
            file.push(b'\n');
        } else if let Some(name) = line.strip_prefix("as ") {
            name.clone_into(&mut product);
        } else if let Some((sign @ ("+" | "-"), path)) = line.split_once(' ') {
            asked += 1;
            if may(&file, &product, &url(path)) != (sign == "+") {
                wrong.push(format!("{rule}: {product} {line}"));
            }
        } else {
            assert!(line.is_empty(), "{line:?} is no case");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(asked > 130, "only {asked} questions were asked");
}

#[test]
fn a_refusal_names_its_line() {
    let robots = Robots::parse(b"# hello\r\nUser-agent: *\rDisallow: /a b\n\nDisallow: /a bc", PRODUCT);
    assert_eq!(robots.refusal(&url("/a%20b")).unwrap().to_string(), "Disallow: /a%20b (line 3)");
    assert_eq!(robots.refusal(&url("/a%20bcd")).unwrap().line, 5);
}

#[test]
fn a_crawl_delay_is_ours_or_everybodys_and_within_reason() {
    let delay = |file: &str| Robots::parse(file.as_bytes(), PRODUCT).crawl_delay().map(|d| d.as_millis());
    assert_eq!(delay("user-agent: *\ncrawl-delay: 2.5"), Some(2_500));
    assert_eq!(delay("user-agent: *\ncrawl-delay: 5\nuser-agent: freshet\ndisallow:"), None);
    assert_eq!(delay("user-agent: *\ncrawl-delay: 5\nuser-agent: freshet\ncrawl-delay: 1"), Some(1_000));
    assert_eq!(delay("user-agent: *\ncrawl-delay: 1\ncrawl-delay: 9\ncrawl-delay: 3"), Some(9_000));
    assert_eq!(delay("user-agent: *\ncrawl-delay: 86400"), Some(60_000));
    assert_eq!(delay("user-agent: *\ncrawl-delay: inf"), Some(60_000));
    for rubbish in ["0", "-3", "soon", "", "NaN", "1e", "\u{7f}"] {
        assert_eq!(delay(&format!("user-agent: *\ncrawl-delay: {rubbish}")), None, "{rubbish}");
    }
    // Said to the agents named so far, as people write it.
    assert_eq!(delay("user-agent: slowbot\ncrawl-delay: 9\n\nuser-agent: *\ndisallow: /x"), None);
}

#[test]
fn sitemaps_belong_to_no_group() {
    let robots =
        Robots::parse(b"Sitemap: https://a.com/1\nuser-agent: x\nsitemap:https://a.com/2 # two", PRODUCT);
    assert_eq!(robots.sitemaps, ["https://a.com/1", "https://a.com/2"]);
}

#[test]
fn a_file_is_read_up_to_its_limit_and_no_line_is_cut() {
    let mut file = b"user-agent: *\ndisallow: /first\n".to_vec();
    file.extend(std::iter::repeat_n(b'#', MOST_BYTES - file.len() - b"\nallow: /".len()));
    file.extend(b"\nallow: /first/but/not/this\ndisallow: /last\n");
    let robots = Robots::parse(&file, PRODUCT);
    assert!(robots.refusal(&url("/first/but/not/this")).is_some(), "the line at the limit does not count");
    assert!(robots.refusal(&url("/last")).is_none(), "nor what comes after it");
}

/// Files made to be slow. Counted in work, not by the clock: a pattern is walked once, an address once a rule.
#[test]
fn hostile_files_end() {
    let address = url(&format!("/{}", "a".repeat(2_000)));
    for line in ["disallow: /*a*a*a*a*a*a*a*a*a*a*b\n", "disallow: /a*\n", "user-agent: *\n", "*", "\r", "a:"]
    {
        let mut file = b"user-agent: *\n".to_vec();
        while file.len() < MOST_BYTES {
            file.extend(line.as_bytes());
        }
        let robots = Robots::parse(&file, PRODUCT);
        assert_eq!(robots.refusal(&address).is_some(), line == "disallow: /a*\n", "{line}");
    }
    let stars = format!("user-agent: *\ndisallow: /{}b$", "*a".repeat(200_000));
    assert!(may(stars.as_bytes(), PRODUCT, &address));
}

/// A group as somebody would write it.
#[derive(Debug, Clone)]
struct Group {
    agents: Vec<&'static str>,
    rules: Vec<(bool, String)>,
}

fn any_group() -> impl Strategy<Value = Group> {
    let agent = prop::sample::select(vec!["*", "Freshet", "freshet", "OtherBot", "Fresh", "FRESHET/2"]);
    let pattern = "/[ab/]{0,3}(\\*[ab]{0,2}){0,2}\\$?";
    let rules = prop::collection::vec((any::<bool>(), pattern), 0..5);
    (prop::collection::vec(agent, 1..4), rules).prop_map(|(agents, rules)| Group { agents, rules })
}

/// The same meaning in another hand: cases, blanks, line ends, comments and stray lines.
fn written(groups: &[Group], hand: usize) -> Vec<u8> {
    let end = ["\n", "\r\n", "\r"][hand % 3];
    let mut file = String::new();
    for group in groups {
        for agent in &group.agents {
            let name = ["User-agent", "user-AGENT", "\tUser-Agent "][hand / 3 % 3];
            file.push_str(&format!("{name}: {agent}  # who{end}"));
            if hand.is_multiple_of(2) {
                file.push_str(&format!("Sitemap: https://example.com/map{end}{end}"));
            }
        }
        for (allow, pattern) in &group.rules {
            let word = if *allow { "Allow" } else { "disallow" };
            file.push_str(&format!("{word}:{pattern}{end}X-Nothing: 1{end}"));
        }
    }
    file.into_bytes()
}

/// Does the pattern fit? By trying everything: slow, and plain to see.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    match (pattern, path) {
        ([], _) => true,
        ([b'$'], _) => path.is_empty(),
        ([b'*', more @ ..], _) => (0..=path.len()).any(|from| fits(more, &path[from..])),
        ([sign, more @ ..], [byte, rest @ ..]) => sign == byte && fits(more, rest),
        (_, []) => false,
    }
}

/// RFC 9309 word for word: our groups, else everybody's; the longest rule that fits, allow among equals.
fn by_the_book(groups: &[Group], path: &str) -> bool {
    // A group without rules runs into the next one: the list of names goes on.
    let mut merged: Vec<Group> = Vec::new();
    for group in groups {
        match merged.last_mut().filter(|last| last.rules.is_empty()) {
            Some(open) => {
                open.agents.extend(&group.agents);
                open.rules.clone_from(&group.rules);
            }
            None => merged.push(group.clone()),
        }
    }
    let is_us = |agent: &&str| matches!(agent.to_lowercase().as_str(), "freshet" | "freshet/2");
    let named = groups.iter().any(|group| group.agents.iter().any(is_us));
    let rules = merged
        .iter()
        .filter(|group| group.agents.iter().any(|agent| if named { is_us(agent) } else { *agent == "*" }))
        .flat_map(|group| &group.rules);
    let best = rules
        .filter(|(_, pattern)| fits(pattern.as_bytes(), path.as_bytes()))
        .max_by_key(|(allow, pattern)| (pattern.len(), *allow));
    best.is_none_or(|(allow, _)| *allow)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// An address may be fetched if and only if the file permits it for our name.
    #[test]
    fn property_25_robots_txt_is_obeyed(
        groups in prop::collection::vec(any_group(), 0..5), hand in 0..18_usize,
        paths in prop::collection::vec("/[ab/]{0,6}", 1..8)
    ) {
        let file = written(&groups, hand);
        for path in paths {
            let expected = by_the_book(&groups, &path);
            prop_assert_eq!(may(&file, PRODUCT, &url(&path)), expected, "{} of {}", path, String::from_utf8_lossy(&file));
        }
    }

    #[test]
    fn no_bytes_do_harm(file in prop::collection::vec(any::<u8>(), 0..400), path in "/\\PC{0,40}") {
        let robots = Robots::parse(&file, PRODUCT);
        if let Ok(address) = Url::parse(&format!("https://example.com{path}")) {
            robots.deciding_rule(&address);
        }
        let stored = serde_json::to_string(&robots).unwrap();
        prop_assert!(!stored.contains("\\u0000"), "Postgres keeps no NUL");
    }

    #[test]
    fn an_address_may_be_spelled_in_any_way(path in "/[a-z0-9._~-]{1,12}", rest in "[a-z]{0,4}") {
        let escaped: String = path.bytes().map(|b| if b == b'/' { "/".to_owned() } else { format!("%{b:02x}") }).collect();
        for (rule, address) in [(&path, &escaped), (&escaped, &path)] {
            let file = format!("user-agent: *\ndisallow: {rule}");
            let address = url(&format!("{address}{rest}"));
            // A path of dots is another path altogether.
            if !path.trim_matches(['/', '.']).is_empty() {
                prop_assert!(!may(file.as_bytes(), PRODUCT, &address), "{}", address);
            }
        }
    }
}
