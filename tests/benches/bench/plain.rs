//! Job pages that carry no markup for machines, in four layouts as boards have them: a table of facts, lines with labels,
//! a list of terms, and a head of short lines. Each is 40 to 80 KB, most of it not the posting.

use std::fmt::Write;

use super::page::{Dice, SHELL, Shell, description, title};

pub const LAYOUTS: u64 = 4;

const PLACES: [&str; 4] = ["Bristol, England", "Graz, Austria", "Austin, TX", "Galway, Ireland"];

/// What the page says of its job.
pub struct Said {
    pub html: String,
    pub title: String,
    pub company: &'static str,
}

/// The page of one job, in the layout of its number.
pub fn job(number: u64) -> Said {
    let company = "Weir and Sons";
    let mut dice = Dice(number + 1_000_000);
    let (title, description) = (title(&mut dice), description(&mut dice));
    let place = PLACES[usize::try_from(dice.roll(4)).unwrap_or_default()];
    let pay = 28_000 + dice.roll(60) * 500;
    let facts = [
        ("Company", company.to_owned()),
        ("Location", place.to_owned()),
        ("Date posted", format!("November {}, 2026", 1 + dice.roll(15))),
        ("Salary", format!("${pay} - ${} per year", pay + 6_000)),
        ("Job type", "Full-time".to_owned()),
        ("Reference", format!("R-{number}")),
    ];
    let head = match number % LAYOUTS {
        0 => {
            let rows: String = facts
                .iter()
                .map(|(label, value)| format!("<tr><th>{label}</th><td>{value}</td></tr>\n"))
                .collect();
            format!("<h1>{title}</h1><table class=\"facts\">{rows}</table>")
        }
        1 => {
            let lines: String =
                facts.iter().map(|(label, value)| format!("<p><b>{label}:</b> {value}</p>\n")).collect();
            format!("<h1>{title}</h1>{lines}")
        }
        2 => {
            let terms: String =
                facts.iter().map(|(label, value)| format!("<dt>{label}</dt><dd>{value}</dd>\n")).collect();
            format!("<div class=\"head\"><h1>{title}</h1></div><dl>{terms}</dl>")
        }
        _ => {
            let [(_, company), (_, place), (_, day), (_, pay), (_, kind), _] = &facts;
            format!(
                "<h1 class=\"job-title\">{title}</h1><div class=\"company-name\">{company}</div>\
                 <div class=\"job-location\">{place}</div><div class=\"posted\">Posted {day}</div>\
                 <div>{pay}</div><div>{kind}</div>"
            )
        }
    };
    let mut others = String::new();
    for _ in 0..20 + dice.roll(60) {
        let (to, name, blurb) = (dice.roll(1_000_000), self::title(&mut dice), dice.words(14));
        let _ = writeln!(
            others,
            "<li class=\"card\"><a href=\"/jobs/{to}?from={number}\">{name}</a><p>{blurb}</p></li>"
        );
    }
    let Shell { style, nav, state, footer } = &*SHELL;
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} - {company}</title>\n\
         <style>{style}</style>\n<script>{state}</script></head>\n<body>\n{nav}<main><div class=\"content\">{head}\n\
         <h2>Description</h2>{description}<a class=\"apply\" href=\"/apply/{number}\">Apply now</a></div>\n\
         <aside><h2>Similar jobs</h2><ul>{others}</ul></aside></main>\n{footer}</body></html>\n"
    );
    Said { html, title, company }
}
