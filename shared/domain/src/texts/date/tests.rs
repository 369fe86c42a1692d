use jiff::civil::date as ymd;
use proptest::prelude::*;

use super::*;

/// A Monday.
fn now() -> Timestamp {
    "2026-11-16T14:30:00Z".parse().unwrap()
}

fn read(text: &str) -> Option<(String, Precision)> {
    day(text, now(), Hint::default()).map(|found| (found.date.to_string(), found.precision))
}

fn exactly(text: &str) -> Option<String> {
    read(text).filter(|(_, precision)| *precision == Precision::Day).map(|(date, _)| date)
}

#[test]
fn a_day_is_read_as_people_write_it() {
    for text in [
        "2026-11-02",
        "2026-11-02T09:15:00Z",
        "2026-11-02 09:15:00.123+01:00",
        "2026/11/02",
        "2026.11.2",
        "20261102",
        "1793620800",
        "1793620800000",
        "Nov 2, 2026",
        "November 2nd, 2026",
        "Nov. 2 2026",
        "2 November 2026",
        "2nd of November 2026",
        "02-Nov-2026",
        "02/Nov/26",
        "Mon, 02 Nov 2026 08:00:00 GMT",
        "Posted on Monday, November 2, 2026 at 10:30 AM",
        "2. November 2026",
        "2. Nov. 2026",
        "Veröffentlicht am 02.11.2026",
        "2.11.26",
        "le 2 novembre 2026",
        "2 de noviembre de 2026",
        "2 listopada 2026 r.",
        "2. listopadu 2026",
        "2 novembre 2026",
        "2 de novembro de 2026",
        "2026年11月2日",
        "Nov 2",
        "2 Nov",
        "2026-Nov-02",
    ] {
        assert_eq!(exactly(text).as_deref(), Some("2026-11-02"), "{text}");
    }
    assert_eq!(exactly("1. März 2026").as_deref(), Some("2026-03-01"));
    assert_eq!(exactly("1er août 2026").as_deref(), Some("2026-08-01"));
    assert_eq!(exactly("5 września 2026").as_deref(), Some("2026-09-05"));
    assert_eq!(exactly("5. září 2026").as_deref(), Some("2026-09-05"));
    assert_eq!(exactly("Dec 24").as_deref(), Some("2025-12-24"), "the latest that was");
    assert_eq!(read("November 2026"), Some(("2026-11-01".into(), Precision::Month)));
}

#[test]
fn the_order_of_numbers_is_known_or_the_day_is_not() {
    assert_eq!(exactly("25/12/2025").as_deref(), Some("2025-12-25"));
    assert_eq!(exactly("12/25/2025").as_deref(), Some("2025-12-25"));
    assert_eq!(exactly("5/5/2026").as_deref(), Some("2026-05-05"));
    assert_eq!(exactly("02/11/2026"), None);
    let at = |hint| day("02/11/2026", now(), hint).map(|found| found.date);
    assert_eq!(at(Hint::of_country("us")), Some(ymd(2026, 2, 11)));
    assert_eq!(at(Hint::of_country("GB")), Some(ymd(2026, 11, 2)));
    assert_eq!(at(Hint::of_language("en-US")), Some(ymd(2026, 2, 11)));
    assert_eq!(at(Hint::of_language("fr")), Some(ymd(2026, 11, 2)));
    assert_eq!(at(Hint::of_language("en")), None);
    assert_eq!(at(Hint::of_country("CA")), None);
}

#[test]
fn a_day_is_counted_back_in_many_languages() {
    for text in [
        "3 days ago",
        "Posted 3 days ago",
        "3d ago",
        "3d",
        "72 hours ago",
        "vor 3 Tagen",
        "vor drei Tagen",
        "il y a 3 jours",
        "hace 3 días",
        "3 dni temu",
        "před 3 dny",
        "3 giorni fa",
        "há 3 dias",
        "3 dagen geleden",
        "3 dagar sedan",
    ] {
        assert_eq!(exactly(text).as_deref(), Some("2026-11-13"), "{text}");
    }
    for text in [
        "today",
        "Just posted",
        "heute",
        "Aujourd'hui",
        "aujourd’hui",
        "hoy",
        "dzisiaj",
        "dnes",
        "5 minutes ago",
        "2h ago",
        "Posted today at 9:15",
        "vor einer Stunde",
        "godzinę temu",
    ] {
        let (date, _) = read(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(date, "2026-11-16", "{text}");
    }
    for text in
        ["yesterday", "Gestern", "hier", "ayer", "wczoraj", "včera", "1 day ago", "a day ago", "15 hours ago"]
    {
        assert_eq!(exactly(text).as_deref(), Some("2026-11-15"), "{text}");
    }
    for text in ["2 weeks ago", "hace 2 semanas", "vor 2 Wochen", "2 tygodnie temu", "před dvěma týdny", "2w"]
    {
        assert_eq!(read(text), Some(("2026-11-02".into(), Precision::About)), "{text}");
    }
    for text in ["a month ago", "il y a un mois", "miesiąc temu", "před měsícem", "vor einem Monat"] {
        assert_eq!(read(text), Some(("2026-10-16".into(), Precision::About)), "{text}");
    }
}

#[test]
fn a_bound_is_told_as_a_bound() {
    for text in [
        "30+ days ago",
        "Posted over 30 days ago",
        "more than 30 days ago",
        "vor mehr als 30 Tagen",
        "30d+",
        "il y a plus de 30 jours",
        "hace más de 30 días",
        "ponad 30 dni temu",
    ] {
        assert_eq!(read(text), Some(("2026-10-17".into(), Precision::NoLater)), "{text}");
    }
}

#[test]
fn what_is_no_day_or_two_is_none() {
    for text in [
        "",
        "soon",
        "3 days a week",
        "5 years of experience",
        "in 3 days",
        "a week",
        "less than 3 days ago",
        "within the last 7 days",
        "24/7",
        "10.0.20.2026",
        "31/31/2026",
        "30 February 2026",
        "2026-13-01",
        "Nov 2, 2026 – Nov 30, 2026",
        "0000-00-00",
        "99999999999999999999999999",
        "12345",
        "Room 5 / 10",
        "ref 1-2-3",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    assert_eq!(exactly("3 days ago, 10:30").as_deref(), Some("2026-11-13"));
    assert_eq!(exactly("Nov 2, 2026 (2026-11-02)").as_deref(), Some("2026-11-02"));
}

proptest! {
    #[test]
    fn any_text_can_be_asked_for_its_day(
        text in ".{0,80}",
        near in "[0-9]{0,20}[-/. +]{0,3}[0-9]{0,5} ?(days|Tage|vor|ago|Nov|il y a|de|年|月)?[ .0-9]{0,8}(ago|temu)?",
        seconds in -62_135_596_800i64..253_402_207_200,
    ) {
        let at = Timestamp::from_second(seconds).unwrap();
        for text in [&text, &near] {
            if let Some(found) = day(text, at, Hint::of_country("DE")) {
                prop_assert!((1989..=2101).contains(&found.date.year()) || found.rule == "relative");
            }
        }
    }

    #[test]
    fn every_day_reads_back_in_every_form(days in 0i32..20_000) {
        let date = ymd(1995, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
        for form in ["%Y-%m-%d", "%b %d, %Y", "%d %B %Y", "%d.%m.%Y", "%a, %d %b %Y 10:00:00 GMT", "%d-%b-%Y"] {
            let text = date.strftime(form).to_string();
            prop_assert_eq!(exactly(&text), Some(date.to_string()), "{}", text);
        }
    }
}
