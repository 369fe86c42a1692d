//! Reading a page: the whole posting, beside what others need for less of it, and the SimHash of its text.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, ensure};
use html5ever::tendril::TendrilSink;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use shared::clock::Clock;
use shared::domain::extract::read_job_posting;
use shared::domain::fingerprint::simhash;
use shared::domain::notice::State;
use shared::domain::page::Page;

use super::peers::Peers;
use super::rounds::{Pair, in_turn};
use super::table::{Good, Table};
use super::{page, plain};

const PAGES: u64 = 64;
const ROUNDS: usize = 15;
const HTML: Option<&str> = Some("text/html; charset=utf-8");

/// A page with what the floors need of it.
struct Sample {
    url: String,
    html: String,
    parsed: Page,
    json_ld: String,
    words: Vec<String>,
}

pub fn measure(table: &mut Table) -> anyhow::Result<()> {
    let samples: Vec<Sample> = (0..PAGES).map(sample).collect::<anyhow::Result<_>>()?;
    let now = Clock::System.now();
    let read = || {
        each(&samples, |page| keep(read_job_posting(page.html.as_bytes(), HTML, &page.url, &page.url, now)))
    };
    let tokens = in_turn(ROUNDS, read, || each(&samples, |page| tokenize(&page.html)));
    table.row(
        "read a posting from a page",
        "µs/page",
        Good::Low,
        tokens,
        "html5gum, tokens counted and dropped",
    );
    let json = in_turn(ROUNDS, read, || {
        each(&samples, |page| keep(serde_json::from_str::<serde_json::Value>(&page.json_ld)))
    });
    table.row("  the same", "µs/page", Good::Low, json, "serde_json over its JSON-LD alone");
    beside_others(table, &samples)?;
    let shingles: Vec<Vec<&str>> =
        samples.iter().map(|page| page.words.iter().map(String::as_str).collect()).collect();
    let alone = || {
        let started = Instant::now();
        for words in &shingles {
            keep(simhash::simhash_stream(words.iter().copied()));
        }
        per_page(started)
    };
    let crate_alone = "the simhash crate over prepared shingles";
    let hash = in_turn(ROUNDS, || each(&samples, |page| keep(simhash(&page.parsed.visible_text()))), alone);
    table.row("SimHash of a parsed page: text and hash", "µs/page", Good::Low, hash, crate_alone);
    let whole = in_turn(
        ROUNDS,
        || {
            each(&samples, |page| {
                let parsed = Page::parse(page.html.as_bytes(), HTML);
                keep(parsed.map(|parsed| simhash(&parsed.visible_text())));
            })
        },
        alone,
    );
    table.row("  with parsing", "µs/page", Good::Low, whole, crate_alone);
    let bytes = samples.iter().map(|page| page.html.len()).sum::<usize>() / samples.len();
    let words = samples.iter().map(|page| page.words.len()).sum::<usize>() / samples.len();
    let json = samples.iter().map(|page| page.json_ld.len()).sum::<usize>() / samples.len();
    table.note(format!(
        "pages: {} KB on average, {:.1} KB of it JSON-LD, {words} shingles",
        bytes / 1024,
        json as f64 / 1024.0
    ));
    Ok(())
}

/// The same pages in front of selectolax, html5ever and extruct. Processor time, since one of them is another process.
fn beside_others(table: &mut Table, samples: &[Sample]) -> anyhow::Result<()> {
    let plain: Vec<(String, String)> = (0..PAGES).map(plain_sample).collect::<anyhow::Result<_>>()?;
    let folder = tempfile::tempdir()?;
    for (number, page) in samples.iter().enumerate() {
        std::fs::write(folder.path().join(format!("marked-{number:03}.html")), &page.html)?;
    }
    for (number, (_, html)) in plain.iter().enumerate() {
        std::fs::write(folder.path().join(format!("plain-{number:03}.html")), html)?;
    }
    let mut peers = Peers::start(folder.path())?;
    let now = Clock::System.now();
    let read = |url: &str, html: &str| keep(read_job_posting(html.as_bytes(), HTML, url, url, now));
    let marked = || cpu_per_page(|| samples.iter().for_each(|page| read(&page.url, &page.html)));
    let unmarked = || cpu_per_page(|| plain.iter().for_each(|(url, html)| read(url, html)));
    let parse = || cpu_per_page(|| plain.iter().for_each(|(_, html)| keep(html5ever_tree(html))));
    let (mut select, mut grow, mut extruct) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let selectolax = peers.round("selectolax")?;
        select.push((marked(), selectolax));
        let alone = parse();
        grow.push((unmarked(), alone));
        // Slow, and far away: a few rounds tell.
        if round % 5 == 0 {
            extruct.push((unmarked(), peers.round("extruct")?));
        }
    }
    let what = "read a page with JSON-LD whole (≤ 1.0 ×)";
    table.row(what, "µs/page", Good::Low, Pair::of(&select[1..]), "selectolax, parse and six selectors");
    let what = "read a page without markup whole (≤ 2.0 ×)";
    table.row(what, "µs/page", Good::Low, Pair::of(&grow[1..]), "html5ever, the tree alone");
    let pair = Pair::of(&extruct);
    table.row("  the same (≤ 0.05 ×)", "µs/page", Good::Low, pair, "extruct, all syntaxes");
    let bytes = plain.iter().map(|(_, html)| html.len()).sum::<usize>() / plain.len();
    table.note(format!(
        "pages without markup: {} KB on average, {} layouts; {:.0} × as fast as extruct (target ≥ 20 ×)",
        bytes / 1024,
        plain::LAYOUTS,
        1.0 / pair.ratio
    ));
    Ok(())
}

/// The address and the text of a page without markup, which is read in full.
fn plain_sample(number: u64) -> anyhow::Result<(String, String)> {
    let (url, said) = (format!("https://weir.example/jobs/{number}"), plain::job(number));
    let reading = read_job_posting(said.html.as_bytes(), HTML, &url, &url, Clock::System.now());
    let posting = reading.posting.with_context(|| format!("page {number} reads as {:?}", reading.verdict))?;
    ensure!(
        posting.job_title.as_deref() == Some(said.title.as_str())
            && posting.company_name.as_deref() == Some(said.company)
            && posting.location.is_some()
            && posting.description.is_some(),
        "page {number} is read as {posting:?}"
    );
    Ok((url, said.html))
}

fn html5ever_tree(html: &str) -> usize {
    let dom = html5ever::parse_document(markup5ever_rcdom::RcDom::default(), Default::default()).one(html);
    dom.document.children.borrow().len()
}

/// Microseconds of this thread a page.
fn cpu_per_page(work: impl FnOnce()) -> f64 {
    let clock = || rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let begin = clock();
    work();
    let end = clock();
    let nanos = (end.tv_sec - begin.tv_sec) as f64 * 1e9 + (end.tv_nsec - begin.tv_nsec) as f64;
    nanos / 1e3 / PAGES as f64
}

fn sample(number: u64) -> anyhow::Result<Sample> {
    let authority = "127.0.0.1:4444";
    let (url, html) = (format!("http://{authority}/jobs/{number}"), page::job(number, authority));
    let reading = read_job_posting(html.as_bytes(), HTML, &url, &url, Clock::System.now());
    // A page that is not read in full would be quick for the wrong reason.
    ensure!(reading.verdict.state == State::Active, "page {number} reads as {:?}", reading.verdict);
    let posting = reading.posting.context("a posting")?;
    ensure!(posting.job_title.is_some() && posting.salary.is_some() && posting.description.is_some());
    let parsed = Page::parse(html.as_bytes(), HTML)?;
    let json_ld = parsed.json_ld().first().context("a script")?.to_string();
    let text = parsed.visible_text().to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let words = words.windows(3).map(|three| three.join(" ")).collect();
    Ok(Sample { url, html, parsed, json_ld, words })
}

fn tokenize(html: &str) {
    let mut tokens = 0_u32;
    let mut emitter = CallbackEmitter::new(|_: CallbackEvent<'_>, _: Span<()>| {
        tokens += 1;
        None::<()>
    });
    emitter.naively_switch_states(true);
    keep(Tokenizer::new_with_emitter(html, emitter).next());
    keep(tokens);
}

/// Microseconds a page.
fn each(samples: &[Sample], work: impl Fn(&Sample)) -> f64 {
    let started = Instant::now();
    for page in samples {
        work(black_box(page));
    }
    per_page(started)
}

fn per_page(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e6 / PAGES as f64
}

/// Lets the compiler not notice that nobody looks at the result.
fn keep<T>(result: T) {
    black_box(result);
}
