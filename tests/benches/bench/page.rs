//! Job pages as careers sites serve them: about 67 KB, of which a tenth is the posting. The rest is
//! styles, scripts with state, navigation, other jobs and a footer. The same number gives the same page.

use std::fmt::Write;
use std::sync::LazyLock;

use serde_json::{Value, json};

/// The parts that all pages of a site share.
pub static SHELL: LazyLock<Shell> = LazyLock::new(Shell::draw);

pub struct Shell {
    pub style: String,
    pub nav: String,
    pub state: String,
    pub footer: String,
}

/// The page of one job.
pub fn job(number: u64, authority: &str) -> String {
    let mut dice = Dice(number);
    let title = title(&mut dice);
    let description = description(&mut dice);
    let markup = json_ld(number, authority, &title, &description, &mut dice);
    let mut others = String::new();
    for _ in 0..30 {
        let (to, name, blurb) = (dice.roll(1_000_000), self::title(&mut dice), dice.words(14));
        let _ = writeln!(
            others,
            "<li class=\"card card--job\"><a class=\"card__link\" href=\"/jobs/{to}?from={number}\">{name}</a>\
             <p class=\"card__text\">{blurb}</p></li>"
        );
    }
    let Shell { style, nav, state, footer } = &*SHELL;
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} | Weir &amp; Sons</title>\n\
         <link rel=\"canonical\" href=\"http://{authority}/jobs/{number}\">\n<style>{style}</style>\n\
         <script type=\"application/ld+json\">{markup}</script>\n<script>{state}</script></head>\n<body>\n{nav}\
         <main><article class=\"posting\"><h1>{title}</h1><p class=\"facts\">Weir &amp; Sons · Bristol</p>\n\
         {description}<a class=\"apply\" href=\"/apply/{number}\">Apply now</a></article>\n\
         <aside><h2>Other jobs</h2><ul>{others}</ul></aside></main>\n{footer}</body></html>\n"
    )
}

fn json_ld(number: u64, authority: &str, title: &str, description: &str, dice: &mut Dice) -> Value {
    let salary = 28_000 + dice.roll(60) * 500;
    json!({
        "@context": "https://schema.org/",
        "@type": "JobPosting",
        "title": title,
        "description": description,
        "identifier": { "@type": "PropertyValue", "name": "Weir & Sons", "value": number.to_string() },
        "url": format!("http://{authority}/jobs/{number}"),
        "datePosted": "2026-01-02",
        "validThrough": "2199-12-31T23:59:59Z",
        "employmentType": ["FULL_TIME"],
        "hiringOrganization": { "@type": "Organization", "name": "Weir & Sons", "sameAs": format!("http://{authority}/") },
        "jobLocation": { "@type": "Place", "address": { "@type": "PostalAddress",
            "addressLocality": "Bristol", "addressRegion": "England", "addressCountry": "GB" } },
        "baseSalary": { "@type": "MonetaryAmount", "currency": "GBP", "value": { "@type": "QuantitativeValue",
            "minValue": salary, "maxValue": salary + 6_000, "unitText": "YEAR" } },
    })
}

pub fn title(dice: &mut Dice) -> String {
    format!("{} {} keeper", dice.word(), dice.word())
}

pub fn description(dice: &mut Dice) -> String {
    let mut html = String::new();
    for heading in ["About us", "What you will do", "What we look for", "What we offer"] {
        let _ = write!(html, "<h2>{heading}</h2>\n<p>{}.</p>\n<ul>", dice.words(70));
        for _ in 0..6 {
            let _ = writeln!(html, "<li>{}</li>", dice.words(12));
        }
        html.push_str("</ul>\n");
    }
    html
}

impl Shell {
    fn draw() -> Shell {
        let mut dice = Dice(7);
        let mut style = String::new();
        while style.len() < 17_000 {
            let (class, gap, color) = (dice.word(), dice.roll(40), dice.roll(0xff_ffff));
            let _ =
                writeln!(style, ".{class}__item>a:hover{{margin:{gap}px;color:#{color:06x};display:flex}}");
        }
        let mut nav = String::from("<nav class=\"menu\"><ul>\n");
        for _ in 0..100 {
            let (to, name) = (dice.roll(9_999), dice.words(2));
            let _ = writeln!(
                nav,
                "<li class=\"menu__item\"><a href=\"/team/{to}\" data-track=\"nav-{to}\">{name}</a></li>"
            );
        }
        nav.push_str("</ul></nav>\n");
        let facets: Vec<Value> = (0..230)
            .map(|at| json!({ "id": at, "label": dice.words(3), "count": dice.roll(500), "slug": dice.word() }))
            .collect();
        let state = format!(
            "window.__STATE__={};window.dataLayer=window.dataLayer||[];",
            json!({ "facets": facets, "flags": dice.words(400) })
        );
        let mut footer = String::from("<footer>\n");
        for _ in 0..70 {
            let _ =
                writeln!(footer, "<a class=\"footer__link\" href=\"/{}\">{}</a>", dice.word(), dice.words(3));
        }
        footer.push_str("</footer>\n");
        Shell { style, nav, state, footer }
    }
}

/// Random enough, and the same for everyone (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }

    fn word(&mut self) -> &'static str {
        WORDS[usize::try_from(self.roll(WORDS.len() as u64)).unwrap_or_default()]
    }

    pub fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

const WORDS: [&str; 64] = [
    "sluice", "river", "boat", "team", "quality", "customer", "weir", "design", "pump", "safety", "report",
    "garden", "canal", "lock", "senior", "repair", "winter", "plan", "market", "training", "water", "engine",
    "schedule", "budget", "partner", "supply", "steel", "visitor", "records", "daily", "motor", "timber",
    "inspect", "support", "measure", "friendly", "region", "evening", "manage", "project", "tools", "field",
    "office", "bridge", "harbour", "flood", "station", "service", "young", "modern", "careful", "digital",
    "software", "driver", "manual", "health", "pension", "holiday", "salary", "benefit", "contract",
    "remote", "travel", "learn",
];
