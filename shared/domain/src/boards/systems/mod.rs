//! The adapters: one file per system, each a table of what its board needs.

use super::answer::{Answer, ListPage, Misfit};
use super::ask::Ask;
use super::liveness::Liveness;
use super::paging::{Paging, Step};
use super::{Board, Listed, System};

mod amazon;
mod apple;
mod ashby;
mod bamboohr;
mod breezy;
mod eightfold;
mod feeds;
mod gem;
mod google;
mod greenhouse;
mod icims;
mod jazzhr;
mod jibe;
mod lever;
mod list_page;
mod oracle;
mod paylocity;
mod personio;
mod phenom;
mod pinpoint;
mod recruitee;
mod rippling;
mod roblox;
mod sitemap;
mod smartrecruiters;
mod teamtailor;
mod tiktok;
mod ukg;
mod workable;
mod workday;

/// What a system needs to be read. Adding a system is adding one of these.
pub struct Adapter {
    pub paging: Paging,
    /// The request for one page of one part of the list.
    pub ask: fn(&Board, Step<'_>) -> Ask,
    pub read: fn(&Board, &Answer<'_>) -> Result<ListPage, Misfit>,
    pub detail: Detail,
    pub liveness: Liveness,
}

/// Where the rest of a job stands.
#[derive(Clone, Copy)]
pub enum Detail {
    /// In the list already.
    InList,
    /// Behind a request of its own; what it says is added to what the list said.
    Behind {
        ask: fn(&Board, &Listed) -> Option<Ask>,
        read: fn(&Board, &Answer<'_>, &mut Listed) -> Result<(), Misfit>,
    },
    /// On the job's own page, for the reader of postings.
    OnPage,
}

pub fn adapter(system: System) -> &'static Adapter {
    match system {
        System::Workday => &workday::ADAPTER,
        System::SmartRecruiters => &smartrecruiters::ADAPTER,
        System::Oracle => &oracle::ADAPTER,
        System::Greenhouse => &greenhouse::ADAPTER,
        System::Ukg => &ukg::ADAPTER,
        System::Icims => &icims::ADAPTER,
        System::IcimsJibe => &jibe::ADAPTER,
        System::Ashby => &ashby::ADAPTER,
        System::Phenom => &phenom::ADAPTER,
        System::BambooHr => &bamboohr::ADAPTER,
        System::Lever => &lever::ADAPTER,
        System::Workable => &workable::ADAPTER,
        System::Recruitee => &recruitee::ADAPTER,
        System::Teamtailor => &teamtailor::ADAPTER,
        System::Personio => &personio::ADAPTER,
        System::JazzHr => &jazzhr::ADAPTER,
        System::Paylocity => &paylocity::ADAPTER,
        System::Breezy => &breezy::ADAPTER,
        System::Eightfold => &eightfold::CLASSIC,
        System::EightfoldPcsx => &eightfold::PCSX,
        System::Jobvite => &feeds::JOBVITE,
        System::Rippling => &rippling::ADAPTER,
        System::Pinpoint => &pinpoint::ADAPTER,
        System::Gem => &gem::ADAPTER,
        System::Amazon => &amazon::ADAPTER,
        System::Google => &google::ADAPTER,
        System::Apple => &apple::ADAPTER,
        System::TikTok => &tiktok::ADAPTER,
        System::Roblox => &roblox::ADAPTER,
        System::Feed => &feeds::FEED,
        System::Sitemap => &sitemap::ADAPTER,
        System::ListPage => &list_page::ADAPTER,
    }
}
