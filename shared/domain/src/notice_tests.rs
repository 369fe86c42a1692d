use super::*;

const URL: &str = "https://kiln.example/jobs/4711";

fn judged(html: &str, posting: Option<&Posting>, last: &str) -> Verdict {
    let page = Page::parse(html.as_bytes(), None).unwrap();
    let subject = posting.map_or(Subject::Nobody, Subject::Posting);
    let fetched_at = "2026-11-16T00:00:00Z".parse().unwrap();
    judge(&page, subject, &Visit { requested_url: URL, final_url: last, fetched_at })
}

fn potter() -> Posting {
    Posting { job_title: Some("Potter".into()), ..Posting::default() }
}

/// The code for a page with the heading `Potter` and this around it.
fn code(before: &str, after: &str) -> &'static str {
    let html =
        format!("<nav>x</nav><div id=page>{before}<div><h1>Potter</h1></div>{after}</div><footer>y</footer>");
    judged(&html, Some(&potter()), URL).code
}

const NOTICE: &str = "This job is no longer available";

#[test]
fn a_notice_in_the_posting_s_own_block_closes_it() {
    for (before, after) in [
        (format!("<div class=alert>{NOTICE}</div>"), String::new()),
        (String::new(), format!("<p>{NOTICE}.</p><p>Make bowls.</p>")),
        (String::new(), format!("<div><span>Kiln</span><span>{NOTICE}</span></div>")),
        (String::new(), format!("<p><b>{NOTICE}.</b> See <a href=/jobs>other jobs</a>.</p>")),
        (String::new(), "<button disabled>Applications closed</button>".to_owned()),
        (format!("<div><h3>{NOTICE}</h3><a href=/jobs>Other jobs</a></div>"), String::new()),
    ] {
        assert_eq!(code(&before, &after), "closed_notice", "{before} {after}");
    }
    assert_eq!(judged(&format!("<h1>{NOTICE}</h1>"), None, URL).state, State::Expired);
    assert_eq!(judged(&format!("<body>{NOTICE}"), None, URL).state, State::Expired);
}

/// Incident 14: "no longer accepting applications" stood elsewhere on the page.
#[test]
fn incident_14_a_notice_elsewhere_closes_nothing() {
    for elsewhere in [
        format!("<aside>{NOTICE}</aside>"),
        format!("<nav>{NOTICE}</nav>"),
        format!("<footer>{NOTICE}</footer>"),
        format!("<script>{NOTICE}</script>"),
        format!("<noscript>{NOTICE}</noscript>"),
        format!("<template><p>{NOTICE}</p></template>"),
        format!("<div hidden>{NOTICE}</div>"),
        format!("<div style='display:none'>{NOTICE}</div>"),
        format!("<div class='expired d-none'>{NOTICE}</div>"),
        format!("<dialog>{NOTICE}</dialog>"),
        format!("<div class=related-jobs><p>{NOTICE}</p></div>"),
        format!("<div id=similarJobs><p>{NOTICE}</p></div>"),
        format!("<div itemprop=description><p>{NOTICE}</p></div>"),
        format!("<div class=job__description><p>{NOTICE}</p></div>"),
        format!("<article><h2>Cook</h2><p>{NOTICE}</p></article>"),
        format!("<ul><li><a href=/8>Cook</a> {NOTICE}</li></ul>"),
        format!("<table><tr><td><a href=/8>Cook</a><td>{NOTICE}</table>"),
        format!(
            "<div><div><h3><a href=/8>Cook</a></h3>{NOTICE}</div><div><h3><a href=/9>Smith</a></h3></div></div>"
        ),
        format!("<div><a href=/8><h3>Cook</h3>{NOTICE}</a></div>"),
        format!("<h2>Similar jobs</h2><div>Cook</div><div>{NOTICE}</div>"),
        format!("<div><h2>Ähnliche Stellen</h2></div><div><p>{NOTICE}</p></div>"),
        format!("<label>{NOTICE}</label>"),
        format!("<button>{NOTICE}</button>"),
        format!("<select><option>{NOTICE}</select>"),
        format!("<p>{} {NOTICE}</p>", "We make bowls and fire them. ".repeat(8)),
    ] {
        assert_eq!(code("", &elsewhere), "live", "{elsewhere}");
    }
}

#[test]
fn a_line_of_the_posting_s_own_description_is_prose() {
    let html = format!("<main><h1>Potter</h1><p>{NOTICE}</p></main>");
    let quoted = Posting { description: Some(format!("Old text: {NOTICE}.")), ..potter() };
    assert_eq!(judged(&html, Some(&quoted), URL).code, "live");
    assert_eq!(
        judged(&html, Some(&potter()), URL).code,
        "closed_notice",
        "the control: without the description"
    );
}

/// Incident 13: an expired job id redirected to a similar live job, or to one that is closed itself.
#[test]
fn incident_13_another_posting_does_not_speak_for_ours() {
    let live = "<main><h1>Potter</h1></main>";
    let closed = format!("<main><h1>Potter</h1><p>{NOTICE}</p></main>");
    for (html, last) in [
        (live, "https://kiln.example/jobs/4712"),
        (&*closed, "https://kiln.example/jobs/4712"),
        (&*closed, "https://kiln.example/jobs"),
    ] {
        let verdict = judged(html, Some(&potter()), last);
        assert_eq!((verdict.state, verdict.code), (State::Uncertain, "identity_lost"));
    }
    assert_eq!(
        judged(&closed, Some(&potter()), URL).code,
        "closed_notice",
        "the control: without the redirect"
    );
}

/// Incident 15: a bot wall answered 200.
#[test]
fn incident_15_a_wall_is_not_a_closed_posting() {
    for html in [
        format!("<title>Just a moment...</title><h1>Wait</h1><p>{NOTICE}</p>"),
        format!("<h1>Access denied</h1><p>{NOTICE}</p>"),
        format!("<h1>Hello</h1><div class=g-recaptcha></div><p>{NOTICE}</p>"),
    ] {
        let verdict = judged(&html, None, URL);
        assert_eq!((verdict.state, verdict.code), (State::Uncertain, "bot_wall"), "{html}");
    }
    let long = format!("<title>Just a moment</title><h1>Potter</h1><p>{}</p>", "We make bowls. ".repeat(200));
    assert_eq!(judged(&long, None, URL).code, "no_posting", "a long page is no wall");
    let posting = "<h1>Potter</h1><p>Protected by captcha</p>";
    assert_eq!(judged(posting, Some(&potter()), URL).code, "live", "a page with its posting is no wall");
}

#[test]
fn time_makes_uncertain_and_never_expired() {
    let until = |text: &str| Posting {
        valid_through: Some(crate::posting::ValidThrough::Moment(text.parse().unwrap())),
        ..potter()
    };
    let html = "<main><h1>Potter</h1></main>";
    let passed = judged(html, Some(&until("2026-11-15T23:59:59Z")), URL);
    assert_eq!((passed.state, passed.code), (State::Uncertain, "valid_through_passed"));
    assert_eq!(judged(html, Some(&until("2026-11-16T00:00:01Z")), URL).state, State::Active);
}

#[test]
fn without_a_posting_or_its_title_we_do_not_know() {
    assert_eq!(judged("<h1>Potter</h1>", None, URL).code, "no_posting");
    assert_eq!(judged("", None, URL).code, "no_posting");
    assert_eq!(judged("<h1>Potter</h1>", Some(&Posting::default()), URL).code, "no_posting");
}
