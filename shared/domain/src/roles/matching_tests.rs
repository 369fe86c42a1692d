use jiff::SignedDuration;
use proptest::prelude::*;

use super::*;

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn person() -> Person {
    Person {
        titles: vec![Title::read("Senior Rust Developer")],
        skills: skills(["Rust", "Postgres", "k8s", "Linux"]),
        seniority: Some(Seniority::Senior),
        places: vec!["Porto, Portugal".into()],
        remote: Some(true),
        salary: Some(Money { least: Some(60_000.0), most: None, currency: Some("EUR".into()) }),
    }
}

fn job() -> Job {
    Job {
        title: Title::read("Senior Rust Engineer"),
        skills: skills(["rust", "PostgreSQL", "Kubernetes"]),
        places: vec!["Porto, Portugal".into()],
        remote: Some(false),
        salary: Some(Money { least: Some(55_000.0), most: Some(70_000.0), currency: Some("EUR".into()) }),
        since: Some(now()),
    }
}

fn total(person: &Person, job: &Job) -> f32 {
    score(person, job, &Rarity::default(), &Weights::default(), now()).unwrap().total
}

#[test]
fn a_job_that_fits_scores_high_and_says_why() {
    let score = score(&person(), &job(), &Rarity::default(), &Weights::default(), now()).unwrap();
    assert!(score.total > 90.0, "{score:?}");
    assert_eq!(score.parts.len(), 6);
    assert!((score.parts.iter().map(|part| part.weight).sum::<f32>() - 1.0).abs() < 0.001);
    let skills = score.parts.iter().find(|part| part.factor == "skills").unwrap();
    assert_eq!(skills.words, ["kubernetes", "postgresql", "rust"], "aliases count as what they stand for");
}

#[test]
fn a_job_that_does_not_fit_is_not_worth_storing() {
    let other = Job { title: Title::read("Pastry Chef"), skills: skills(["baking", "chocolate"]), ..job() };
    assert!(total(&person(), &other) < WORTH);
}

#[test]
fn what_is_unknown_neither_helps_nor_hurts() {
    let bare = Job { places: Vec::new(), remote: None, salary: None, since: None, ..job() };
    let score = score(&person(), &bare, &Rarity::default(), &Weights::default(), now()).unwrap();
    let factors: Vec<&str> = score.parts.iter().map(|part| part.factor.as_str()).collect();
    assert_eq!(factors, ["skills", "role", "seniority"]);
    assert!((score.parts.iter().map(|part| part.weight).sum::<f32>() - 1.0).abs() < 0.001);
    let nothing = Person::default();
    let unknown = super::score(&nothing, &job(), &Rarity::default(), &Weights::default(), now());
    assert_eq!(unknown, None, "nobody is known");
}

#[test]
fn another_currency_says_nothing_about_pay() {
    let dollars = Money { currency: Some("USD".into()), ..job().salary.unwrap() };
    assert_eq!(factors::salary(person().salary.as_ref(), Some(&dollars)), None);
    let unknown = Money { currency: None, ..dollars };
    assert_eq!(factors::salary(person().salary.as_ref(), Some(&unknown)), None);
    assert_eq!(factors::salary(Some(&unknown), Some(&unknown)), None, "nor do two that nobody named");
}

#[test]
fn places_are_told_apart() {
    let at = |place: &str| Job { places: vec![place.into()], remote: None, ..job() };
    let near = |place: &str| factors::place(&person(), &at(place)).map(|answer| answer.score);
    assert_eq!(near("Porto, Portugal"), Some(1.0));
    assert_eq!(near("Lisbon, Portugal"), Some(0.0));
    assert_eq!(near("Berlin, Germany"), Some(0.0));
    let wide = Person { places: vec!["Portugal".into()], ..person() };
    assert_eq!(factors::place(&wide, &at("Lisbon, Portugal")).map(|answer| answer.score), Some(1.0));
    let several = Job { places: vec!["Berlin, Germany".into(), "Porto, Portugal".into()], ..at("") };
    assert_eq!(
        factors::place(&person(), &several).map(|answer| answer.score),
        Some(1.0),
        "any of them will do"
    );
    let remote = Job { remote: Some(true), ..at("Berlin, Germany") };
    assert_eq!(factors::place(&person(), &remote).map(|answer| answer.score), Some(1.0));
}

#[test]
fn a_rare_skill_counts_more_than_a_common_one() {
    let rarity = Rarity::of_counts([("email".to_owned(), 900), ("solidity".to_owned(), 3)], 1_000);
    let job = skills(["email", "solidity"]);
    let common = factors::skills(&skills(["email"]), &job, &rarity).unwrap().score;
    let rare = factors::skills(&skills(["solidity"]), &job, &rarity).unwrap().score;
    assert!(rare > 1.5 * common, "{rare} {common}");
}

#[test]
fn weights_are_read_from_text() {
    assert_eq!(Weights::parse("0.4, 0.27,0.1,0.1,0.08,0.05"), Ok(Weights::default()));
    for wrong in ["", "1,1,1,1,1", "1,1,1,1,1,x", "0,0,0,0,0,0", "-1,1,1,1,1,1", "NaN,1,1,1,1,1"] {
        assert!(Weights::parse(wrong).is_err(), "{wrong:?}");
    }
}

proptest! {
    #[test]
    fn a_score_is_between_0_and_100(
        titles in prop::collection::vec("\\PC{0,40}", 0..3),
        theirs in prop::collection::vec("[a-z]{1,3}", 0..6),
        asked in prop::collection::vec("[a-z]{1,3}", 0..6),
        title in "\\PC{0,40}",
        place in prop::option::of("\\PC{0,30}"),
        least in prop::option::of(-10.0f64..1e12),
        most in prop::option::of(-10.0f64..1e12),
        days in -100i64..1_000,
    ) {
        let person = Person {
            titles: titles.iter().map(|title| Title::read(title)).collect(),
            skills: skills(theirs.iter().map(String::as_str)),
            salary: Some(Money { least, most, currency: None }),
            places: place.as_deref().into_iter().map(Into::into).collect(),
            ..Person::default()
        };
        let job = Job {
            title: Title::read(&title),
            skills: skills(asked.iter().map(String::as_str)),
            places: place.as_deref().into_iter().map(Into::into).collect(),
            remote: None,
            salary: Some(Money { least: most, most: least, currency: None }),
            since: Some(now() - SignedDuration::from_hours(24 * days)),
        };
        if let Some(score) = score(&person, &job, &Rarity::default(), &Weights::default(), now()) {
            prop_assert!((0.0..=100.0).contains(&score.total), "{}", score.total);
            for part in &score.parts {
                prop_assert!((0.0..=1.0).contains(&part.score), "{part:?}");
            }
        }
    }

    /// One more skill that the job asks for never lowers the score.
    #[test]
    fn a_skill_more_never_hurts_when_it_is_asked_for(held in prop::collection::btree_set("[a-f]", 1..5)) {
        let asked = skills(["a", "b", "c", "d", "e", "f"]);
        let before = factors::skills(&held, &asked, &Rarity::default()).unwrap().score;
        for more in &asked {
            let mut held = held.clone();
            held.insert(more.clone());
            let after = factors::skills(&held, &asked, &Rarity::default()).unwrap().score;
            prop_assert!(after >= before - 1e-6);
        }
    }
}
