//! A fuzzer that needs no nightly compiler and no instrumentation: it mutates a corpus and keeps every input whose
//! reading shows something that none showed before (which fields were found, by which rules, with which verdict).
//! So it climbs through behaviour instead of branches, and it is weaker for it: it does not see which code an input
//! reached, and a branch that no field or verdict tells of is found by luck only. libFuzzer and AFL, which do see it,
//! need a nightly compiler. The kept corpus (`corpus/<target>`) is what earlier runs found worth keeping.

mod addresses;
mod lists;
mod mutate;
mod targets;

use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;

use mutate::Mutator;
pub use targets::Target;

/// Every reader of foreign text.
pub fn all() -> impl Iterator<Item = &'static Target> {
    targets::TARGETS.iter().chain([&lists::FEEDS, &addresses::ROBOTS, &addresses::URLS])
}

/// What a run came to.
#[derive(Debug)]
pub struct Report {
    pub target: &'static str,
    pub executions: u64,
    pub corpus: usize,
    pub behaviours: usize,
    pub slowest: Duration,
    pub took: Duration,
    /// What broke, with the file that holds the input.
    pub found: Vec<(String, PathBuf)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<9} {:>10} executions in {:>4} s, {:>5} inputs kept, {:>5} behaviours, slowest {:>6} µs: ",
            self.target,
            self.executions,
            self.took.as_secs(),
            self.corpus,
            self.behaviours,
            self.slowest.as_micros()
        )?;
        if self.found.is_empty() {
            return f.write_str("found nothing");
        }
        for (what, file) in &self.found {
            write!(f, "\n  {what}: {}", file.display())?;
        }
        Ok(())
    }
}

/// One execution may take this long for the largest input, also on a busy machine and without optimisation.
const TOO_LONG: Duration = Duration::from_secs(5);
/// Inputs in memory; more only make the search broader, not deeper.
const MAX_CORPUS: usize = 4_000;

/// Runs one target until the time is over, starting from its corpus.
pub fn run(target: &'static Target, time: Duration, seed: u64, keep: bool) -> anyhow::Result<Report> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let mut corpus = read_corpus(target, &folder)?;
    let mut seen = HashSet::new();
    let mut mutator = Mutator::new(seed, target.words, target.most);
    let start = Instant::now();
    let mut report = Report {
        target: target.name,
        executions: 0,
        corpus: 0,
        behaviours: 0,
        slowest: Duration::ZERO,
        took: Duration::ZERO,
        found: Vec::new(),
    };
    let quiet = Quiet::begin();
    for input in &corpus {
        execute(target, input, &mut seen, &mut report)?;
    }
    while start.elapsed() < time && report.found.len() < 10 {
        let input = mutator.next(&corpus);
        let new = execute(target, &input, &mut seen, &mut report)?;
        if new && corpus.len() < MAX_CORPUS {
            if keep && input.len() <= 2_000 {
                std::fs::create_dir_all(&folder)?;
                std::fs::write(folder.join(name_of(&input)), &input)?;
            }
            corpus.push(input);
        }
    }
    drop(quiet);
    (report.corpus, report.behaviours, report.took) = (corpus.len(), seen.len(), start.elapsed());
    Ok(report)
}

/// Reads one input; true when its reading showed something new.
fn execute(
    target: &'static Target,
    input: &[u8],
    seen: &mut HashSet<u64>,
    report: &mut Report,
) -> anyhow::Result<bool> {
    let begin = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.read)(input)));
    let took = begin.elapsed();
    report.executions += 1;
    report.slowest = report.slowest.max(took);
    let broke = match outcome {
        Ok(Ok(_)) if took > TOO_LONG => format!("took {} ms for {} bytes", took.as_millis(), input.len()),
        Ok(Ok(shape)) => return Ok(seen.insert(hash(shape.as_bytes()))),
        Ok(Err(law)) => law,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            format!("panicked: {}", text.unwrap_or_default())
        }
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("found");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{}-{}", target.name, name_of(input)));
    std::fs::write(&file, input)?;
    report.found.push((broke, file));
    Ok(false)
}

/// Panics are counted, not printed.
struct Quiet;

impl Quiet {
    fn begin() -> Quiet {
        std::panic::set_hook(Box::new(|_| {}));
        Quiet
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        drop(std::panic::take_hook());
    }
}

fn read_corpus(target: &Target, folder: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut corpus: Vec<Vec<u8>> = target.seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/tests/fixtures/pages");
    let folders = [Some(folder.to_owned()), target.pages.then_some(pages)];
    for folder in folders.into_iter().flatten().filter(|folder| folder.is_dir()) {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        for file in files.iter().filter(|file| file.is_file()) {
            let mut bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
            bytes.truncate(target.most);
            corpus.push(bytes);
        }
    }
    Ok(corpus)
}

/// FNV-1a: quick, and the same on every machine.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn name_of(input: &[u8]) -> String {
    format!("{:016x}", hash(input))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a change must survive before it goes in: the kept corpus, and half a minute of new inputs in all.
    #[test]
    fn no_reader_breaks_on_the_corpus_or_on_half_a_minute_of_new_inputs() {
        let share = Duration::from_secs(30) / u32::try_from(all().count()).unwrap();
        for target in all() {
            let report = run(target, share, 7, false).unwrap();
            println!("{report}");
            assert!(report.found.is_empty(), "{report}");
            assert!(report.executions > 20 && report.behaviours > 3, "it fuzzes nothing: {report}");
        }
    }

    /// Small and ours: what is in git must stay readable by people.
    #[test]
    fn every_target_has_a_kept_corpus_of_small_inputs() {
        for target in all() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
            let sizes: Vec<u64> = std::fs::read_dir(&folder)
                .unwrap()
                .map(|file| file.unwrap().metadata().unwrap().len())
                .collect();
            assert!((5..=200).contains(&sizes.len()), "{}: {} inputs", target.name, sizes.len());
            assert!(sizes.iter().all(|size| *size <= 2_000), "{}", target.name);
        }
    }

    /// The fuzzer itself: a reader that panics on one word in a thousand is caught, with the input.
    #[test]
    fn a_reader_that_breaks_is_caught() {
        static FRAGILE: Target = Target {
            name: "fragile",
            seeds: &["a quiet text"],
            words: &["boom", "x"],
            most: 200,
            pages: false,
            read: |bytes| {
                let text = String::from_utf8_lossy(bytes);
                assert!(!text.contains("boom"), "it went off");
                Ok(format!("{}", text.contains('x')))
            },
        };
        let report = run(&FRAGILE, Duration::from_secs(5), 1, false).unwrap();
        let (what, file) = report.found.first().expect("it is found");
        assert!(what.contains("it went off"), "{what}");
        assert!(std::fs::read(file).unwrap().windows(4).any(|four| four == b"boom"));
        for (_, file) in report.found {
            drop(std::fs::remove_file(file));
        }
    }
}
