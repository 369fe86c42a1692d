//! What Freshet remembers, in Postgres. One file per table family; SQL lives here and nowhere else.
//! This layer remembers and carries; it decides nothing, and it never asks for the time.

pub mod again;
pub mod ai;
pub mod args;
pub mod batches;
pub mod candidates;
pub mod checks;
pub mod clusters;
pub mod day_marks;
pub mod dead_letters;
pub mod deadlines;
pub mod figures;
pub mod idempotency;
pub mod import_figures;
pub mod imports;
pub mod intake;
pub mod jobs;
pub mod lineages;
pub mod listings;
pub mod matches;
pub mod migrate;
pub mod pages;
pub mod policies;
pub mod pool;
pub mod renderers;
pub mod rendering;
pub mod replays;
pub mod robots;
pub mod role_queue;
pub mod roles;
pub mod scraper_keys;
pub mod sightings;
pub mod sources;
pub mod sweep;
pub mod tasks;
pub mod webhooks;
pub mod workload;

pub use args::Db;
pub use pool::Pool;

/// Every statement of the store, so that one test can prepare them all against the real schema.
pub fn statements() -> impl Iterator<Item = (&'static str, &'static str)> {
    [
        ai::ALL,
        batches::ALL,
        candidates::ALL,
        checks::ALL,
        dead_letters::ALL,
        deadlines::ALL,
        figures::ALL,
        idempotency::ALL,
        import_figures::ALL,
        imports::ALL,
        intake::ALL,
        jobs::ALL,
        lineages::ALL,
        listings::ALL,
        clusters::ALL,
        clusters::VIEW_STATEMENTS,
        replays::ALL,
        matches::ALL,
        pages::ALL,
        policies::ALL,
        renderers::ALL,
        rendering::ALL,
        robots::ALL,
        sources::ALL,
        sightings::ALL,
        day_marks::ALL,
        role_queue::ALL,
        roles::ALL,
        scraper_keys::ALL,
        sweep::ALL,
        tasks::ALL,
        webhooks::ALL,
        workload::ALL,
        crate::queue::STATEMENTS,
        crate::gate::STATEMENTS,
        crate::gate::NOTE_STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
