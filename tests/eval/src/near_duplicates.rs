//! How well changes and copies are told apart, measured on a folder of page pairs. The folder holds `near_duplicates/pairs.csv` and the
//! pages it names; `job_pages`, `strings` and `conformance` beside it are measured too where they are there.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use domain::change::{Look, What, block, compare, spares_dear_work};
use domain::charset;
use domain::cluster::body::{AGREES, Body};
use domain::cluster::same::{Apart, Glance, glance};
use domain::cluster::{Facts, Identity};
use domain::extract::read_job_posting;
use domain::fingerprint::{distance, page_simhash};
use domain::identity::requisition;
use domain::ids::ListingId;
use domain::page::Page;
use domain::plain_text::from_html;
use domain::url::normalise;
use serde_json::{Value, json};

/// Everything that can be measured in the folder, as text.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    let mut out = String::new();
    if folder.join("near_duplicates/pairs.csv").is_file() {
        pairs(folder, &mut out)?;
    }
    if folder.join("job_pages").is_dir() {
        noise(folder, &mut out)?;
    }
    if folder.join("strings/listings_getjobs.tsv").is_file() {
        listings(folder, &mut out)?;
    }
    if folder.join("conformance").is_dir() {
        addresses(folder, &mut out)?;
    }
    Ok(out)
}

/// All that a page says, line by line.
fn text_of(bytes: &[u8]) -> Vec<String> {
    let text = from_html(&charset::decode(bytes, None));
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The pairs of the folder: how far SimHash is, whether the own block is the same, how much of the bodies agrees.
fn pairs(folder: &Path, out: &mut String) -> anyhow::Result<()> {
    let root = folder.join("near_duplicates");
    let table = std::fs::read_to_string(root.join("pairs.csv"))?;
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mut pages: HashMap<&str, Vec<u8>> = HashMap::new();
    for row in &rows {
        for file in [row[2], row[3]] {
            if !pages.contains_key(file) {
                pages.insert(file, std::fs::read(root.join(file)).with_context(|| file.to_owned())?);
            }
        }
    }
    let lines = |file: &str| -> Vec<String> {
        let Ok(page) = Page::parse(&pages[file], None) else { return Vec::new() };
        page.own_lines(None)
    };
    // A line that every third page of a site has is the site's, not the posting's.
    let mut own: HashMap<&str, Vec<String>> = HashMap::new();
    let mut whole: HashMap<&str, Vec<String>> = HashMap::new();
    let mut common: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut sites: BTreeMap<String, usize> = BTreeMap::new();
    for file in pages.keys() {
        let found = text_of(&pages[file]);
        let site = site_of(file);
        *sites.entry(site.clone()).or_default() += 1;
        for line in found.iter().collect::<std::collections::BTreeSet<_>>() {
            *common.entry((site.clone(), line.clone())).or_default() += 1;
        }
        whole.insert(file, found);
        own.insert(file, lines(file));
    }
    let body = |file: &str| {
        let site = site_of(file);
        let kept = whole[file]
            .iter()
            .filter(|line| 3 * common[&(site.clone(), (*line).clone())] < sites[&site].max(3));
        Body::of(&kept.map(String::as_str).collect::<Vec<_>>().join("\n"))
    };
    #[derive(Default)]
    struct Found {
        bits: Vec<u32>,
        same_block: usize,
        scores: Vec<f64>,
        short: usize,
    }
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for row in &rows {
        let label = found.entry(format!("{} {}", row[0], row[1])).or_default();
        let hash = |file: &str| page_simhash(&pages[file], None);
        if let (Some(a), Some(b)) = (hash(row[2]), hash(row[3])) {
            label.bits.push(distance(a, b));
        }
        let of = |file: &str| block::of_lines(own[file].iter().map(String::as_str));
        label.same_block += usize::from(of(row[2]).is_some() && of(row[2]) == of(row[3]));
        match body(row[2]).agreement(&body(row[3])) {
            Some(score) => label.scores.push(score),
            None => label.short += 1,
        }
    }
    writeln!(out, "PAGE PAIRS: bits of SimHash that differ, the same own block, bodies that agree")?;
    writeln!(
        out,
        "{:<40} {:>5} {:>6} {:>6} {:>6} {:>7} {:>7} {:>22}",
        "label", "pairs", "= 0", "<= 3", "<= 8", "median", "block =", "body >= .5 .6 .7 .8 .9"
    )?;
    for (label, mut one) in found {
        one.bits.sort_unstable();
        let within = |most: u32| one.bits.iter().filter(|bits| **bits <= most).count();
        let agree = |least: f64| one.scores.iter().filter(|score| **score >= least).count();
        writeln!(
            out,
            "{label:<40} {:>5} {:>6} {:>6} {:>6} {:>7} {:>7} {:>6} {:>3} {:>3} {:>3} {:>3}  short {}",
            one.bits.len(),
            within(0),
            within(3),
            within(8),
            one.bits.get(one.bits.len() / 2).copied().unwrap_or_default(),
            one.same_block,
            agree(0.5),
            agree(0.6),
            agree(0.7),
            agree(0.8),
            agree(0.9),
            one.short
        )?;
    }
    decisions(&rows, &body, out)
}

fn site_of(file: &str) -> String {
    file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
}

/// What clusters would do with the pairs of postings: title, company and place agree or differ as their label says, and
/// the bodies decide where they must.
fn decisions(rows: &[Vec<&str>], body: &dyn Fn(&str) -> Body, out: &mut String) -> anyhow::Result<()> {
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for row in rows.iter().filter(|row| row[0] == "swde") {
        let (title, place) = match row[1] {
            "same_title_company_location" => ("Keeper", "York"),
            "same_title_company_other_location" => ("Keeper", "Leeds"),
            "same_company_other_title" => ("Clerk", "York"),
            _ => continue,
        };
        let (here, there) = (json!({ "city": "York" }), json!({ "city": place }));
        let one = identity(1, "Keeper", &here).context("an identity")?;
        let other = identity(2, title, &there).context("an identity")?;
        let says_same = match glance(&one, &other) {
            Glance::Linked(_) => Some(true),
            Glance::Apart(Apart::NoBody) => None,
            Glance::Apart(_) => Some(false),
            Glance::AskBodies => body(row[2]).agreement(&body(row[3])).map(|score| score >= AGREES),
        };
        let wanted = row[1] == "same_title_company_location";
        let at = match (says_same, wanted) {
            (Some(true), true) | (Some(false) | None, false) => 0,
            (Some(true), false) => 1,
            (Some(false), true) => 2,
            (None, true) => 3,
        };
        counts.entry(row[1]).or_default()[at] += 1;
    }
    writeln!(out, "\nCLUSTERS: pairs of postings (fields as labelled, bodies from the pages)")?;
    writeln!(
        out,
        "{:<40} {:>6} {:>6} {:>14} {:>18}",
        "label", "right", "wrong", "bodies differ", "too little text"
    )?;
    for (label, [right, wrong, missed, short]) in counts {
        writeln!(out, "{label:<40} {right:>6} {wrong:>6} {missed:>14} {short:>18}")?;
    }
    Ok(())
}

fn identity(number: usize, title: &str, place: &Value) -> Option<Identity> {
    Identity::of(&Facts {
        id: nth(number),
        source: if number == 1 { "one" } else { "other" },
        url: "https://board.example/7",
        title,
        company: Some("Canal Trust"),
        place: Some(place),
        remote: None,
        description: None,
        requisition: None,
    })
}

/// What a page is, to be compared with the same page later.
fn look(bytes: &[u8]) -> Look {
    let (url, at) = ("https://site.example/jobs/7", jiff::Timestamp::UNIX_EPOCH);
    let reading = read_job_posting(bytes, None, url, url, at);
    reading.look(page_simhash(bytes, None))
}

/// Job pages under noise that means nothing, and under changes that matter.
fn noise(folder: &Path, out: &mut String) -> anyhow::Result<()> {
    let mut files = Vec::new();
    let mut folders = vec![folder.join("job_pages")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "htm" || end == "html") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut chance = Chance(7);
    let mut table: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    let mut read = 0_usize;
    for file in &files {
        let bytes = std::fs::read(file)?;
        let html = charset::decode(&bytes, None).into_owned();
        let before = look(html.as_bytes());
        read += usize::from(before.fields.is_some());
        for (name, changed) in variants(&html, &mut chance) {
            let now = look(changed.as_bytes());
            let row = table.entry(name).or_default();
            row[0] += 1;
            let bits = before.simhash.zip(now.simhash).map(|(a, b)| distance(a, b));
            row[1] += usize::from(bits.is_some_and(|bits| bits > 3));
            row[2] += usize::from(before.block != now.block);
            row[3] += usize::from(before.fields.is_some());
            row[4] += usize::from(before.fields.is_some() && compare(&before, &now) != What::Nothing);
            row[5] += usize::from(spares_dear_work(&before, &now));
        }
    }
    writeln!(
        out,
        "\nNOISE AND CHANGE on {} job pages, {read} of them read as a posting: how many are called changed",
        files.len()
    )?;
    writeln!(
        out,
        "{:<34} {:>6} {:>12} {:>8} {:>18} {:>12}",
        "what was done", "pages", "SimHash > 3", "block", "notice and fields", "work spared"
    )?;
    for (name, [pages, simhash, block, with, fields, spared]) in table {
        writeln!(
            out,
            "{name:<34} {pages:>6} {simhash:>12} {block:>8} {:>18} {spared:>12}",
            format!("{fields} of {with}")
        )?;
    }
    Ok(())
}

/// The page with something done to it. Names of noise begin with `noise`, of changes with `change`.
fn variants(html: &str, chance: &mut Chance) -> Vec<(&'static str, String)> {
    let mut made = Vec::new();
    let lower = html.to_ascii_lowercase();
    let end = lower.rfind("</body>").unwrap_or(html.len());
    let body =
        lower.find("<body").and_then(|at| lower[at..].find('>').map(|close| at + close + 1)).unwrap_or(0);
    let heading = lower.find("</h1>").map(|at| at + 5);
    let insert = |at: usize, what: &str| format!("{}{what}{}", &html[..at], &html[at..]);
    let number = |chance: &mut Chance| 2 + chance.below(900);
    let at = heading.unwrap_or(body);
    made.push((
        "noise: token in a form",
        insert(
            end,
            &format!(
                "<input type=hidden name=csrf value={:032x}><p>{:032x}</p>",
                chance.token(),
                chance.token()
            ),
        ),
    ));
    made.push((
        "noise: age beside the title",
        insert(at, &format!("<p>Posted {} days ago</p>", number(chance))),
    ));
    made.push((
        "noise: counter beside the title",
        insert(at, &format!("<p>{} applicants</p>", number(chance))),
    ));
    let others: String = (0..8)
        .map(|_| {
            format!(
                "<li><a href=/jobs/{}>{} {} in {}</a></li>",
                number(chance),
                pick(chance, LEVELS),
                pick(chance, TRADES),
                pick(chance, TOWNS)
            )
        })
        .collect();
    made.push((
        "noise: other postings below",
        insert(end, &format!("<section class=related-jobs><h2>Similar jobs</h2><ul>{others}</ul></section>")),
    ));
    if let Some(at) = heading {
        made.push(("change: closed notice", insert(at, "<p>This position is no longer available.</p>")));
    }
    // Changes are made to what the posting says, in its data and in its text.
    let reading = read_job_posting(
        html.as_bytes(),
        None,
        "https://site.example/jobs/7",
        "https://site.example/jobs/7",
        jiff::Timestamp::UNIX_EPOCH,
    );
    let Some(posting) = reading.posting else { return made };
    let mut swap = |name, from: Option<&str>, to: &str| {
        if let Some(from) = from.filter(|from| from.len() > 3 && html.contains(*from)) {
            made.push((name, html.replace(from, to)));
        }
    };
    if let Some(title) = &posting.job_title {
        swap("change: a word of the title", Some(title), &format!("Assistant {title}"));
    }
    swap("change: the company", posting.company_name.as_deref(), "Another Canal Trust");
    let city = posting.location.as_ref().and_then(|place| place.city.clone().or_else(|| place.raw.clone()));
    swap("change: the place", city.as_deref(), "Tewkesbury");
    if let Some(text) = &posting.description
        && let Some(sentence) = text
            .split(['.', '\n'])
            .map(str::trim)
            .find(|part| part.split(' ').count() > 5 && html.contains(*part))
    {
        swap("change: a sentence", Some(sentence), "The weir is mended by all of us together each spring");
    }
    if let Some(amount) =
        posting.salary.as_ref().and_then(|salary| salary.min).map(|amount| amount.to_string())
    {
        let plain = amount.trim_end_matches(".0").to_owned();
        swap("change: the salary", Some(&plain), "31415");
    }
    made
}

/// The same chance on every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or_default()
    }

    fn token(&mut self) -> u128 {
        (0..3).fold(0, |token, _| (token << 44) | u128::from(self.next()))
    }
}

fn nth(number: usize) -> ListingId {
    format!("00000000-0000-7000-8000-{number:012x}").parse().unwrap_or_else(|_| ListingId::fresh())
}

const LEVELS: &[&str] = &["Senior", "Junior", "Lead", "Trainee", "Chief", "Night"];
const TRADES: &[&str] = &["keeper", "clerk", "diver", "carpenter", "boatman", "surveyor", "cook", "mason"];
const TOWNS: &[&str] = &["York", "Leeds", "Goole", "Selby", "Hull", "Ripon", "Thirsk"];

fn pick<'a>(chance: &mut Chance, of: &[&'a str]) -> &'a str {
    of[chance.below(of.len())]
}

/// Rows of real listings: how large the blocks are in which likes are looked up, and how many carry a requisition.
fn listings(folder: &Path, out: &mut String) -> anyhow::Result<()> {
    let table = std::fs::read_to_string(folder.join("strings/listings_getjobs.tsv"))?;
    let (mut rows, mut numbered) = (0_usize, 0_usize);
    let mut blocks: HashMap<(i64, Option<i64>), usize> = HashMap::new();
    let mut wide: HashMap<i64, usize> = HashMap::new();
    for (number, line) in table.lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [company, title, location, url, ..] = cells[..] else { continue };
        let city = location.split(',').next().unwrap_or_default();
        let place = json!({ "city": city, "raw": location });
        let facts = Facts {
            id: nth(number),
            source: "web",
            url,
            title,
            company: Some(company),
            place: Some(&place),
            remote: None,
            description: None,
            requisition: None,
        };
        let Some(identity) = Identity::of(&facts) else { continue };
        rows += 1;
        numbered += usize::from(identity.requisition.is_some());
        *blocks.entry((identity.block(), identity.city_block())).or_default() += 1;
        *wide.entry(identity.block()).or_default() += 1;
    }
    let largest = |sizes: Vec<usize>| {
        let mut sizes = sizes;
        sizes.sort_unstable();
        (
            sizes.last().copied().unwrap_or_default(),
            sizes.iter().filter(|size| **size == 1).count(),
            sizes.len(),
        )
    };
    let (most, alone, all) = largest(blocks.into_values().collect());
    writeln!(out, "\nLISTINGS: {rows} rows, {numbered} with a requisition in the address")?;
    writeln!(out, "blocks of company, role and city: {all}, {alone} with one row, the largest {most}")?;
    let (most, alone, all) = largest(wide.into_values().collect());
    writeln!(out, "blocks of company and role: {all}, {alone} with one row, the largest {most}")?;
    Ok(())
}

/// Addresses: the parameters that a public rule set removes everywhere, and the spellings of the URL standard's tests.
fn addresses(folder: &Path, out: &mut String) -> anyhow::Result<()> {
    let root = folder.join("conformance");
    writeln!(out, "\nADDRESSES")?;
    if let Ok(text) = std::fs::read_to_string(root.join("clearurls_data.min.json")) {
        let rules: Value = serde_json::from_str(&text)?;
        let patterns = rules["providers"]["globalRules"]["rules"].as_array().cloned().unwrap_or_default();
        let (mut gone, mut kept) = (0_usize, Vec::new());
        for pattern in patterns.iter().filter_map(Value::as_str) {
            let names = examples(pattern);
            let removed = |name: &String| {
                normalise(&format!("https://a.example/j?{name}=x&id=7"))
                    .is_ok_and(|url| url == "https://a.example/j?id=7")
            };
            if names.iter().all(removed) { gone += 1 } else { kept.push(names.join("|")) }
        }
        writeln!(
            out,
            "of {} parameters another rule set removes everywhere, {gone} go and {} stay: {}",
            patterns.len(),
            kept.len(),
            kept.join(", ")
        )?;
    }
    if let Ok(text) = std::fs::read_to_string(root.join("whatwg_urltestdata.json")) {
        let cases: Value = serde_json::from_str(&text)?;
        let (mut tested, mut same, mut idempotent, mut refused) = (0, 0, 0, 0);
        for case in cases.as_array().into_iter().flatten() {
            let Some(input) = case["input"].as_str().filter(|_| case["base"].is_null()) else { continue };
            match (normalise(input), case["href"].as_str()) {
                (Ok(one), Some(href)) => {
                    tested += 1;
                    same += usize::from(normalise(href).is_ok_and(|other| other == one));
                    idempotent += usize::from(normalise(&one).is_ok_and(|again| again == one));
                }
                _ => refused += 1,
            }
        }
        writeln!(
            out,
            "of the URL standard's cases {tested} are web addresses: {same} equal their canonical spelling, {idempotent} stay what they are; {refused} are refused"
        )?;
    }
    let text = "Requisition ID: R-12345";
    anyhow::ensure!(requisition::in_text(text).is_some(), "the finder of requisitions is there");
    Ok(())
}

/// A name or two that a pattern of theirs means.
fn examples(pattern: &str) -> Vec<String> {
    let plain = pattern
        .replace("(?:%3F)?", "")
        .replace("(?:_[a-z_]*)?", "_x")
        .replace("[a-z_]+", "x")
        .replace("[a-z_]*", "x");
    let plain = plain.replace("(?:_[a-z]*)+", "_x").replace("_?z?", "_").replace("[a-z]?", "");
    match (plain.find("(?:"), plain.find(')')) {
        (Some(open), Some(close)) if open < close => plain[open + 3..close]
            .split('|')
            .map(|word| format!("{}{word}{}", &plain[..open], &plain[close + 1..]))
            .collect(),
        _ => vec![plain],
    }
}
