//! Jobs on a page for people: the links that look alike and lead to postings, and what stands around each. Learnt
//! from the page, or chosen by a selector. It reads what is there and never follows anything.

use std::collections::{HashMap, HashSet};

use url::Url;

use super::selector::Selector;
use super::{Listed, day};
use crate::page::{NodeId, Page};
use crate::plain_text::{fold, squeeze};
use crate::{page, tag, url as address};

/// Links of a page that are looked at.
const MAX_LINKS: usize = 20_000;
/// A card has this many nodes at most; more is a page, and is not searched once per link.
const MAX_CARD: u32 = 600;

/// Words in the address of a posting, in the languages we read.
const JOB_WORDS: &[&str] = &[
    "job",
    "jobs",
    "career",
    "careers",
    "position",
    "positions",
    "vacancy",
    "vacancies",
    "opening",
    "openings",
    "opportunity",
    "opportunities",
    "role",
    "roles",
    "requisition",
    "stelle",
    "stellen",
    "stellenangebot",
    "stellenangebote",
    "karriere",
    "emploi",
    "emplois",
    "offre",
    "offres",
    "poste",
    "postes",
    "carriere",
    "oferta",
    "ofertas",
    "empleo",
    "empleos",
    "trabajo",
    "praca",
    "oferty",
    "kariera",
    "prace",
    "nabidka",
    "pozice",
    "vaga",
    "vagas",
    "jobdetail",
    "jobdetails",
    "viewjob",
    "stellenanzeige",
    "vacature",
    "vacatures",
    "jobb",
    "lediga",
];
/// What a link says that is no title.
const BUTTONS: &[&str] = &[
    "apply",
    "apply now",
    "view",
    "view job",
    "view details",
    "details",
    "more",
    "read more",
    "learn more",
    "see more",
    "mehr",
    "mehr erfahren",
    "jetzt bewerben",
    "bewerben",
    "postuler",
    "en savoir plus",
    "voir l offre",
    "ver mas",
    "ver oferta",
    "aplikuj",
    "wiecej",
    "zobrazit",
    "detail",
    "vice",
    "see job",
    "view role",
    "job details",
];
const NEXT_WORDS: &[&str] = &[
    "next",
    "next page",
    "weiter",
    "nachste",
    "nachste seite",
    "suivant",
    "siguiente",
    "nastepna",
    "dalsi",
    "volgende",
];

/// The links a reader sees.
pub fn anchors(page: &Page) -> impl Iterator<Item = NodeId> + '_ {
    page.elements(Page::ROOT)
        .filter(|&id| page.tag(id) == "a" && page.attribute(id, "href").is_some())
        .take(MAX_LINKS)
}

/// Where a link leads.
pub fn target(page: &Page, anchor: NodeId, base: &Url) -> Option<Url> {
    let mut url = base.join(page.attribute(anchor, "href")?.trim()).ok()?;
    url.set_fragment(None);
    (matches!(url.scheme(), "http" | "https") && url.as_str().len() <= address::MAX_LENGTH).then_some(url)
}

/// The first heading inside.
pub fn heading_in(page: &Page, node: NodeId) -> Option<String> {
    page.elements(node)
        .filter(|&id| tag::heading_level(page.tag(id)).is_some())
        .map(|id| page.text_of(id))
        .find(|text| !text.is_empty())
}

/// The nearest element around a node that is what we look for.
pub fn around(page: &Page, node: NodeId, is: impl Fn(NodeId) -> bool) -> Option<NodeId> {
    page.ancestors(node).find(|&id| is(id))
}

/// Whether a node is small enough to be one job's.
pub fn is_card(page: &Page, node: NodeId) -> bool {
    page.nodes[node.index()].end.saturating_sub(node.0) <= MAX_CARD
}

pub fn any_class(page: &Page, is: impl Fn(&str) -> bool) -> bool {
    page.elements(Page::ROOT).any(|id| page.attribute(id, "class").is_some_and(&is))
}

/// The text that follows a label in a card.
pub fn labelled(page: &Page, card: NodeId, labels: &[&str]) -> Option<String> {
    if !is_card(page, card) {
        return None;
    }
    let mut texts: Vec<String> = Vec::new();
    page.walk(
        card,
        |_| false,
        |piece, _| {
            if let page::Piece::Text(text) = piece {
                let text = squeeze(text);
                if !text.is_empty() {
                    texts.push(text);
                }
            }
        },
    );
    let is_label = |text: &String| labels.contains(&fold(text).as_str());
    let at = texts.iter().position(is_label)?;
    texts.get(at + 1).cloned()
}

/// What was found on a page of links.
#[derive(Debug, Default)]
pub struct Found {
    pub jobs: Vec<Listed>,
    pub next: Option<String>,
    /// Other links look like postings too, or the page has more to show than it shows.
    pub partly: bool,
}

/// The postings a page links to, by a selector or as the page shows them.
pub fn jobs(page: &Page, base: &Url, selector: Option<&Selector>) -> Found {
    let (chosen, alone): (Vec<NodeId>, bool) = match selector {
        Some(selector) => (anchors(page).filter(|&id| selector.chooses(page, id)).collect(), true),
        None => learnt(page, base),
    };
    let group: HashSet<NodeId> = chosen.iter().copied().collect();
    let mut jobs: Vec<Listed> = Vec::new();
    let mut place: HashMap<String, usize> = HashMap::new();
    for anchor in chosen {
        let Some(url) = target(page, anchor, base) else { continue };
        let Ok(id) = address::normalise(url.as_str()) else { continue };
        let Some(job) = job(page, anchor, &group, url, id.clone()) else { continue };
        match place.get(&id).and_then(|at| jobs.get_mut(*at)) {
            Some(twin) => twin.merge(job),
            None => {
                place.insert(id, jobs.len());
                jobs.push(job);
            }
        }
    }
    let next = next(page, base);
    Found { partly: !alone || (next.is_none() && loads_more(page)), jobs, next }
}

/// The group of links that most look like postings: alike in their place, alike in their address. And whether it is
/// the only one.
fn learnt(page: &Page, base: &Url) -> (Vec<NodeId>, bool) {
    struct Group {
        links: Vec<NodeId>,
        urls: HashSet<String>,
        telling: usize,
        /// Telling, and not another page of the list itself.
        rival: bool,
        titled: usize,
    }
    let own = address::normalise(base.as_str()).unwrap_or_default();
    let mut groups: HashMap<String, Group> = HashMap::new();
    for anchor in anchors(page) {
        let unseen = page.is_unseen(anchor) || page.ancestors(anchor).any(|id| page.is_unseen(id));
        let Some(url) = target(page, anchor, base).filter(|_| !unseen) else { continue };
        let normal = address::normalise(url.as_str()).unwrap_or_default();
        if normal == own || normal.is_empty() || url.path().len() < 2 {
            continue;
        }
        let group = groups.entry(place_of(page, anchor)).or_insert_with(|| Group {
            links: Vec::new(),
            urls: HashSet::new(),
            telling: 0,
            rival: false,
            titled: 0,
        });
        group.links.push(anchor);
        if group.urls.insert(normal) {
            group.telling += usize::from(is_posting(&url));
            group.rival |= is_posting(&url) && url.path() != base.path();
            let text = page.text_of(anchor);
            group.titled += usize::from((4..=160).contains(&text.chars().count()));
        }
    }
    let best = groups.values().filter(|group| {
        let count = group.urls.len();
        count >= 2 && group.telling * 10 >= count * 7 && group.titled * 10 >= count * 5
    });
    let best = best.max_by_key(|group| {
        (group.urls.len() * group.titled, group.links.first().map(|id| std::cmp::Reverse(*id)))
    });
    let Some(best) = best else { return (Vec::new(), true) };
    // A link elsewhere on the page that reads like a posting and leads to none of these may be one.
    let others = groups.values().filter(|group| !std::ptr::eq(*group, best));
    let alone = !others.into_iter().any(|group| group.rival && !group.urls.is_subset(&best.urls));
    (best.links.clone(), alone)
}

/// A button that brings more of the list into the same page.
fn loads_more(page: &Page) -> bool {
    const WORDS: &[&str] = &[
        "load more",
        "load more jobs",
        "show more",
        "show more jobs",
        "view more jobs",
        "see more jobs",
        "more jobs",
        "mehr laden",
        "mehr anzeigen",
        "weitere stellen",
        "voir plus",
        "charger plus",
        "plus d offres",
        "cargar mas",
        "ver mas ofertas",
        "pokaz wiecej",
        "zaladuj wiecej",
        "nacist dalsi",
        "zobrazit dalsi",
    ];
    page.elements(Page::ROOT)
        .filter(|&id| matches!(page.tag(id), "button" | "a"))
        .any(|id| is_card(page, id) && WORDS.contains(&fold(&page.text_of(id)).as_str()))
}

/// Where a link stands: names and first classes of what is around it.
fn place_of(page: &Page, anchor: NodeId) -> String {
    let mut place = String::new();
    for id in std::iter::once(anchor).chain(page.ancestors(anchor)).take(4) {
        place.push_str(page.tag(id));
        if let Some(class) =
            page.attribute(id, "class").and_then(|class| class.split_ascii_whitespace().next())
        {
            place.push('.');
            place.push_str(class);
        }
        place.push('<');
    }
    place
}

/// The address of a posting has a word for it and something of its own after that, or an id.
pub fn is_posting(url: &Url) -> bool {
    let Some(parts) = url.path_segments() else { return false };
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let word = parts.iter().position(|part| fold(part).split(' ').any(|word| JOB_WORDS.contains(&word)));
    let id = |text: &str| text.bytes().filter(u8::is_ascii_digit).count() >= 3;
    let named = word.is_some_and(|at| at + 1 < parts.len());
    let numbered = parts.last().is_some_and(|last| id(last)) || url.query().is_some_and(id);
    named
        || (word.is_some() && numbered)
        || (url.host_str().is_some_and(|host| host.contains("job")) && numbered)
}

fn job(page: &Page, anchor: NodeId, group: &HashSet<NodeId>, url: Url, id: String) -> Option<Listed> {
    let card = card(page, anchor, group);
    let own = page.text_of(anchor);
    let is_title = |text: &String| !text.is_empty() && !BUTTONS.contains(&fold(text).as_str());
    let title = heading_in(page, anchor)
        .or_else(|| Some(own).filter(is_title))
        .or_else(|| heading_in(page, card))
        .filter(is_title);
    let mut job = Listed::new(Some(id), title)?.with_url(Some(url.into()));
    if card != anchor || page.elements(card).next().is_some() {
        job.add_place(labelled(
            page,
            card,
            &["location", "locations", "job location", "ort", "standort", "lieu", "place"],
        ));
        if job.places.is_empty() {
            job.add_place(by_class(page, card, &["location", "place", "city", "standort"]));
        }
        job.department = by_class(page, card, &["department", "team", "category"]);
        job.posted = page
            .elements(card)
            .filter(|&id| page.tag(id) == "time")
            .find_map(|id| page.attribute(id, "datetime").and_then(day::iso));
    }
    Some(job)
}

/// The widest element around a link that holds no other link of its group.
fn card(page: &Page, anchor: NodeId, group: &HashSet<NodeId>) -> NodeId {
    let mut card = anchor;
    for above in page.ancestors(anchor).take(8) {
        let small = is_card(page, above);
        let href = page.attribute(anchor, "href");
        let alone = small
            && page.elements(above).all(|id| !group.contains(&id) || page.attribute(id, "href") == href);
        if !alone || above == Page::ROOT {
            break;
        }
        card = above;
    }
    card
}

fn by_class(page: &Page, card: NodeId, words: &[&str]) -> Option<String> {
    page.elements(card)
        .filter(|&id| {
            page.attribute(id, "class").is_some_and(|class| {
                let class = class.to_ascii_lowercase();
                class.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| words.contains(&part))
            })
        })
        .map(|id| page.text_of(id))
        .find(|text| !text.is_empty() && text.chars().count() <= 120)
}

/// The page that follows, as the page says it.
fn next(page: &Page, base: &Url) -> Option<String> {
    let by_rel = page.elements(Page::ROOT).find(|&id| {
        let rel = page.attribute(id, "rel").unwrap_or_default();
        matches!(page.tag(id), "a" | "link")
            && rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("next"))
    });
    let by_word = || anchors(page).find(|&id| NEXT_WORDS.contains(&fold(&page.text_of(id)).as_str()));
    let url = target(page, by_rel.or_else(by_word)?, base)?;
    (url.host_str() == base.host_str() && url != *base).then(|| url.into())
}
