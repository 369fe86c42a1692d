//! States of invented sites, in the forms that frameworks write them.

use proptest::prelude::*;

use super::*;

const PROSE: &str = "Mend the nets of six boats, from October to March, in a dry loft above the harbour. \
    You bring patience and strong fingers; we bring twine, tea and a stove that draws well in any wind.";

fn found(html: &str, url: &str, names: &[&str]) -> State {
    let page = Page::parse(html.as_bytes(), None).unwrap();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    find(&page, url, &names).unwrap()
}

fn title(state: &State) -> Option<&str> {
    match state {
        State::Posting(posting) => posting["title"].as_str(),
        _ => None,
    }
}

#[test]
fn next_data_is_searched_for_the_object_that_looks_like_a_posting() {
    let data = json!({"props":{"pageProps":{"user":{"name":"x"},"job":{"id":77,"title":"Net Mender","descriptionHtml":PROSE,
        "company":{"name":"Seine & Co","id":3},"location":{"city":"Sligo","country":{"name":"Ireland"}},
        "publishedAt":1_793_000_000_000_i64,"employmentType":"FULL_TIME","salaryMin":28000,"salaryMax":31000,
        "currency":"EUR","isRemote":false}}}});
    let html = format!("<script id=__NEXT_DATA__ type=application/json>{data}</script>");
    let State::Posting(posting) = found(&html, "https://a.example/jobs/77", &[]) else { panic!() };
    assert_eq!(posting["hiringOrganization"], "Seine & Co");
    assert_eq!(posting["jobLocation"][0]["address"]["addressLocality"], "Sligo");
    assert_eq!(posting["datePosted"], "2026-10-26T07:33:20Z");
    assert_eq!(posting["baseSalary"]["value"]["maxValue"], 31000);
    assert_eq!(posting.get("jobLocationType"), None, "not remote is not on site");
}

#[test]
fn assignments_are_read_as_data_and_never_run() {
    let literal =
        format!("{{jobTitle:'Net Mender',jobDescription:\"{PROSE}\",city:'Sligo',x:undefined,y:!0,}}");
    for script in [
        format!("var a = 1; window.__INITIAL_STATE__ = {literal};(function(){{}})()"),
        format!("window.__APOLLO_STATE__={{\"Job:1\":{literal}}}"),
        format!(
            "self.data = JSON.parse({});",
            json!(json!({"title":"Net Mender","description":PROSE,"city":"Sligo"}).to_string())
        ),
    ] {
        let html = format!("<script>{script}</script>");
        assert_eq!(title(&found(&html, "https://a.example/1", &[])), Some("Net Mender"), "{script}");
    }
    let code =
        format!("<script>window.x = {{title:make('{PROSE}'),description:'{PROSE}',city:'Sligo'}}</script>");
    assert_eq!(found(&code, "https://a.example/1", &[]), State::Nothing);
}

#[test]
fn a_flattened_state_is_put_together_again() {
    let data = json!([["Reactive",1],{"job":2},{"title":3,"description":4,"company":5,"location":7},"Net Mender",PROSE,
        {"name":6},"Seine & Co",["Ref",8],"Sligo, Ireland",{"a":3,"b":4}]);
    let html = format!("<script type=application/json id=__NUXT_DATA__>{data}</script>");
    let State::Posting(posting) = found(&html, "https://a.example/1", &[]) else { panic!() };
    assert_eq!(
        (&posting["title"], &posting["hiringOrganization"]),
        (&json!("Net Mender"), &json!("Seine & Co"))
    );
    assert_eq!(posting["jobLocation"], json!(["Sligo, Ireland"]));
}

#[test]
fn of_many_only_the_page_s_own_is_taken() {
    let row = |at: usize| json!({"id":at,"title":format!("Role {at}"),"description":PROSE,"location":"Sligo","company":"Seine"});
    let rows: Vec<Value> = (1..=6).map(row).collect();
    let html = format!("<script type=application/json>{}</script>", json!({ "jobs": rows }));
    assert_eq!(found(&html, "https://a.example/jobs", &["Open roles"]), State::Many(6));
    assert_eq!(title(&found(&html, "https://a.example/jobs/4", &["Open roles"])), Some("Role 4"));
    assert_eq!(title(&found(&html, "https://a.example/x", &["Role 3 | Seine"])), Some("Role 3"));
}

#[test]
fn what_is_no_posting_is_left_alone() {
    let article =
        json!({"title":"Our loft","description":PROSE,"author":"x","image":"y","pad":"z".repeat(200)});
    let html = format!("<script type=application/json>{article}</script>");
    assert_eq!(found(&html, "https://a.example/1", &[]), State::Nothing);
}

proptest! {
    #[test]
    fn any_script_can_be_searched(text in ".{0,200}", data in "[\\[{]?[a-e\"':,0-9\\[\\]{}= ]{0,80}") {
        let pad = "title description ".repeat(12);
        for script in [&text, &data, &format!("x={data}/*{pad}*/"), &format!("JSON.parse({data}{pad}")] {
            let _ = found(&format!("<script>{script}</script><script type=application/json>{script}</script>"), "https://a.example/1", &["x"]);
        }
    }
}
