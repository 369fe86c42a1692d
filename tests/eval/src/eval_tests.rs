//! The measure itself, on a small folder of invented pages: what is right is counted right, and what is wrong wrong.

use super::*;

const GREENHOUSE: &str = r#"{"jobs": [
    {"id": 41, "title": "Lamp maker", "absolute_url": "https://job-boards.greenhouse.io/lantern/jobs/41",
     "location": {"name": "Graz, Austria"}, "first_published": "2026-11-02T02:52:26-04:00", "updated_at": "2026-11-10T05:04:22-04:00"}],
    "meta": {"total": 1}}"#;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn figure(wish: &Wish, name: &str) -> (usize, usize, usize, usize) {
    let count = wish.figures.borrow().get(name).copied().unwrap_or_default();
    (count.carried, count.right, count.wrong, count.missing)
}

#[test]
fn a_board_is_held_against_what_its_file_says() {
    let folder = folder(&[("ats_api/greenhouse/a.json", GREENHOUSE)]);
    let wish = Wish::default();
    ats::report(folder.path(), &wish).unwrap();
    for field in ["id", "title", "place", "url", "date"] {
        assert_eq!(figure(&wish, &format!("ats_api.{field}")), (1, 1, 0, 0), "{field}");
    }
}

/// The adapter is right here, so the row is changed: what it says is then not what the file says.
#[test]
fn a_value_that_the_file_does_not_have_is_wrong() {
    use domain::boards::Listed;
    let rows = facts::rows(GREENHOUSE.as_bytes());
    let mut job = Listed::new(Some("41".into()), Some("Lamp maker".into())).unwrap();
    job.places = vec!["Linz, Austria".into()];
    job.posted = Some("2026-01-01".parse().unwrap());
    job.url = Some("https://elsewhere.example/7".into());
    let judged: BTreeMap<_, _> = facts::judge(&job, &rows).into_iter().collect();
    for field in ["place", "url", "date"] {
        assert_eq!((judged[field].right, judged[field].wrong), (0, 1), "{field}");
    }
    assert_eq!(judged["title"].right, 1);
    job.title = "Glass maker".into();
    let judged: BTreeMap<_, _> = facts::judge(&job, &rows).into_iter().collect();
    assert_eq!((judged["title"].right, judged["title"].wrong), (0, 1));
    job.title = "Lamp maker".into();
    (job.places, job.posted) = (Vec::new(), None);
    let judged: BTreeMap<_, _> = facts::judge(&job, &rows).into_iter().collect();
    assert_eq!((judged["place"].missing, judged["date"].missing), (1, 1));
}

#[test]
fn job_pages_and_company_pages_are_counted_and_thresholds_hold() {
    let posting = r#"<html><head><title>Cook - Lantern</title><script type="application/ld+json">{"@context": "https://schema.org",
        "@type": "JobPosting", "title": "Cook", "datePosted": "2026-11-02", "description": "Soup for forty.",
        "hiringOrganization": {"@type": "Organization", "name": "Lantern"}}</script></head><body><h1>Cook</h1></body></html>"#;
    let company = r#"<html><head><meta property="og:site_name" content="Lantern Ltd"></head>
        <body><p>Hello</p><a href="mailto:hi@lantern.example">Write</a></body></html>"#;
    let folder = folder(&[
        ("job_pages/a/1.html", posting),
        (
            "job_pages/expected.jsonl",
            r#"{"file": "a/1.html", "site": "a", "expected": {"title": "Cook", "company": "Somebody else", "date_posted": "2026-11-02"}}"#,
        ),
        ("company_pages/set/1.html", company),
        (
            "company_pages/set_entities.jsonl",
            r#"{"file": "company_pages/set/1.html", "host": "lantern.example", "entities": [["ORG", "Lantern"], ["EMAIL", "sales@lantern.example"], ["TEL", "+43 316 123456"]]}"#,
        ),
    ]);
    let mut wish = Wish::default();
    job_pages::measure(folder.path(), &wish).unwrap();
    company_pages::measure(folder.path(), &wish).unwrap();
    assert_eq!(figure(&wish, "job_pages.title"), (1, 1, 0, 0));
    assert_eq!(figure(&wish, "job_pages.company"), (1, 0, 1, 0), "a wrong answer is wrong");
    assert_eq!(figure(&wish, "company_pages.company_name"), (1, 1, 0, 0));
    assert_eq!(figure(&wish, "company_pages.contact_email"), (1, 0, 1, 0));
    assert_eq!(figure(&wish, "company_pages.contact_phone"), (1, 0, 0, 1));

    wish.at_least = vec![("title".into(), 0.95), ("job_pages.date".into(), 1.0)];
    assert!(wish.missed().is_empty());
    wish.at_least = vec![("company".into(), 0.95), ("shoe_size".into(), 0.1)];
    assert_eq!(
        wish.missed(),
        ["job_pages.company: 0.000 right, wanted 0.95", "shoe_size: nothing was measured"]
    );
}
