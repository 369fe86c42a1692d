use proptest::prelude::*;

use super::*;

fn key(title: &str) -> String {
    Title::read(title).key
}

#[track_caller]
fn same(a: &str, b: &str) {
    assert_eq!(key(a), key(b), "{a:?} and {b:?} are one role");
}

#[track_caller]
fn other(a: &str, b: &str) {
    assert_ne!(key(a), key(b), "{a:?} and {b:?} are two roles");
}

#[test]
fn what_an_advertisement_adds_is_gone() {
    for noisy in [
        "Senior Beekeeper",
        "Sr. Beekeeper (Remote)",
        "BEEKEEPER",
        "Beekeeper II",
        "Beekeeper - 12 month contract",
        "Beekeeper | Part-time | Onsite",
        "Urgently hiring: Beekeeper wanted",
        "Beekeeper, Lisbon, Portugal",
        "Beekeeper – Leeds",
        "Beekeeper at Honey & Sons",
        "Beekeeper with 3+ years of experience",
        "Beekeeper (w/m/d)",
        "Beekeeper [Ref 88213]",
        "Beekeeper #4411",
        "Lead Beekeeper, Level 4",
        "Beekeeper Intern",
        "Beekeepers",
    ] {
        assert_eq!(key(noisy), "beekeeper", "{noisy:?}");
    }
}

#[test]
fn seniority_is_kept_apart() {
    let said = |title| Title::read(title).seniority;
    assert_eq!(said("Senior Baker"), Some(Seniority::Senior));
    assert_eq!(said("Jr. Baker"), Some(Seniority::Junior));
    assert_eq!(said("Baker III"), Some(Seniority::Senior));
    assert_eq!(said("Baker Trainee"), Some(Seniority::Intern));
    assert_eq!(said("Staff Software Engineer"), Some(Seniority::Principal));
    assert_eq!(said("Baker"), None);
}

#[test]
fn a_word_of_rank_may_be_the_job_itself() {
    assert_eq!(key("School Principal"), "school principal");
    assert_eq!(key("Principal"), "principal");
    assert_eq!(key("Team Lead"), "team lead");
    other("Staff Nurse", "Nurse Manager");
    assert_eq!(key("Intern"), "intern");
}

#[test]
fn those_who_build_programs_have_one_head() {
    same("Kotlin Engineer", "Kotlin Programmer");
    same("Kotlin Software Engineer", "Kotlin Dev");
    same("Software Engineer", "Software Developer");
    same("Front-End Dev", "Frontend Engineer");
    same("Engineer, Software", "Software Engineer");
    same("Developer (Elixir)", "Elixir Developer");
    same("Software Engineer - Android", "Android Developer");
    other("Cloud Engineer", "Cloud Architect");
    other("Mechanical Engineer", "Mechanical Designer");
    other("Sales Engineer", "Software Engineer");
}

#[test]
fn technologies_are_never_confused() {
    other("Java Developer", "JavaScript Developer");
    other("C Developer", "C++ Developer");
    other("C Developer", "C# Developer");
    other("React Developer", "React Native Developer");
    other("SQL Developer", "NoSQL Developer");
    other("Developer (Java)", "Developer (Python)");
    other("Developer with Java", "Developer with Scala");
    same("Node Engineer", "NodeJS Developer");
    same("FastAPI Python Developer", "Python Developer");
    assert_eq!(Title::read("Java / Kotlin Developer").technologies.len(), 2);
}

#[test]
fn words_that_change_the_job_stay() {
    other("Teacher for Deaf Children", "Teacher");
    other("Manager in Training", "Manager");
    other("Securities Trader", "Security Trader");
    other("Virtual Assistant", "Assistant");
    other("Night Auditor", "Auditor");
    other("Bank Clerk", "Clerk");
    other("Assistant Teacher", "Teaching Assistant");
    same("Director of Engineering", "Engineering Director");
    same("Assistant to the Managing Director", "Assistant");
}

#[test]
fn a_name_reads_well_and_says_the_same() {
    for (title, name) in [
        ("SENIOR FLORIST (m/f/d)", "Florist"),
        ("sr. data engineer – remote", "Data Engineer"),
        ("Lead iOS Developer", "iOS Developer"),
        ("URGENT: Glass Blower needed", "Glass Blower"),
    ] {
        let read = Title::read(title);
        assert_eq!(read.name, name);
        assert_eq!(key(&read.name), read.key);
    }
}

#[test]
fn nothing_left_is_still_something() {
    assert_eq!(key(""), "");
    assert_eq!(key("Remote"), "remote");
    assert_eq!(key("(m/f/d)"), "(m/f/d)");
    assert!(!key("!!!").contains(' '));
}

#[test]
fn every_synonym_is_reached_and_none_goes_in_circles() {
    let lost: Vec<_> = WHOLE.iter().filter(|(from, to)| key(from) != key(to)).collect();
    assert_eq!(lost, [] as [&(&str, &str); 0]);
}

proptest! {
    /// Whatever the bytes, there is an answer, and it is bounded.
    #[test]
    fn any_text_has_a_key(text in "\\PC{0,400}") {
        let title = Title::read(&text);
        prop_assert!(title.key.chars().count() <= 40 * MAX_TITLE);
    }

    /// Noise changes nothing, in any order.
    #[test]
    fn noise_never_changes_the_key(
        role in prop::sample::select(vec!["Rust Developer", "Glazier", "Tax Advisor", "Data Engineer", "Wind Turbine Technician"]),
        before in prop::sample::select(vec!["", "Senior ", "URGENT: ", "Junior ", "Remote ", "Experienced "]),
        after in prop::sample::select(vec!["", " (Remote)", " - Contract", " | Hybrid", " III", ", Porto, Portugal", " at Acme", " #123456"]),
    ) {
        prop_assert_eq!(key(&format!("{before}{role}{after}")), key(role));
    }
}
