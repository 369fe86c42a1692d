use std::collections::BTreeMap;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::body::Body;
use super::group::group;
use super::key::{Place, company_key, role_key};
use super::merge::{Cluster, Known, Member};
use super::same::{Apart, Link, Rule, contradiction, judge};
use super::standing::{Standing, standing};
use super::*;

fn id(number: u128) -> ListingId {
    ListingId(Uuid::from_u128(number))
}

const BODY: &str = "We throw bowls, plates and jugs on the wheel, dry them for a week and fire them twice. You prepare the \
    clay in the morning, glaze in the afternoon, and load the kiln with two colleagues. We ask for three years at \
    the wheel and a steady hand; we offer a bright workshop near the river, paid holidays and a share of every fair.";

fn facts<'a>(number: u128, source: &'a str, url: &'a str, place: &'a Value) -> Facts<'a> {
    Facts {
        id: id(number),
        source,
        url,
        title: "Senior Potter (m/w/d) - Graz",
        company: Some("Kiln & Clay GmbH"),
        place: Some(place),
        remote: None,
        description: Some(BODY),
        requisition: None,
    }
}

fn judged(a: &Facts<'_>, b: &Facts<'_>) -> Result<Rule, Apart> {
    let body = |facts: &Facts<'_>| Body::of(facts.description.unwrap_or_default());
    let (one, other) = (Identity::of(a).unwrap(), Identity::of(b).unwrap());
    judge(&one, &body(a), &other, &body(b)).map(|link| link.rule)
}

#[test]
fn a_company_has_one_key_whatever_its_legal_form() {
    for name in [
        "Kiln & Clay GmbH",
        "KILN AND CLAY",
        "The Kiln & Clay Co., Ltd.",
        "Kiln & Clay s.r.o.",
        "Kiln & Cláy Sp. z o.o.",
    ] {
        assert_eq!(company_key(name), "kiln and clay", "{name}");
    }
    assert_ne!(company_key("Kiln"), company_key("Kiln Systems"));
    assert_eq!(company_key("SE"), "se", "a name that is nothing else stays");
}

#[test]
fn a_role_keeps_level_and_technology_and_loses_what_boards_add() {
    let graz = Place { city: Some("graz".into()), ..Place::default() };
    let key = |title: &str| role_key(title, &graz, "kiln and clay");
    let same = [
        "Senior Potter (m/w/d)",
        "Potter, Senior",
        "Sr. Potter - Graz",
        "Senior Potter | REMOTE",
        "senior potter R-12345",
        "Kiln Senior Potter",
    ];
    for title in same {
        assert_eq!(key(title), "potter senior", "{title}");
    }
    let differ = [
        "C Developer",
        "C++ Developer",
        "C# Developer",
        ".NET Developer",
        "Developer",
        "Developer II",
        "Developer III",
        "Go Developer",
        "R Developer",
        "Java Developer",
        "JavaScript Developer",
        "IT Developer",
    ];
    let keys: std::collections::BTreeSet<_> = differ.iter().map(|title| key(title)).collect();
    assert_eq!(keys.len(), differ.len(), "{keys:?}");
    assert!(!key("(m/w/d)").is_empty() && !key("Graz").is_empty());
}

#[test]
fn places_fit_unless_they_contradict() {
    let place = |value: Value| Place::of(Some(&value), None);
    let graz = place(json!({"city": "Graz", "country": "AT"}));
    let fits = [
        json!({"city": "GRAZ"}),
        json!({"city": "Graz", "state_region": "Steiermark", "country": "Österreich"}),
        json!({"country": "Austria", "raw": "Austria"}),
        json!({"raw": "Graz oder Umgebung"}),
        json!({}),
    ];
    for other in fits {
        assert!(graz.fits(&place(other.clone())) && place(other.clone()).fits(&graz), "{other}");
    }
    for other in [
        json!({"city": "Linz"}),
        json!({"city": "Graz", "country": "DE"}),
        json!({"raw": "Linz, Austria"}),
        json!({"country": "Germany"}),
    ] {
        assert!(!graz.fits(&place(other.clone())) && !place(other.clone()).fits(&graz), "{other}");
    }
    let (remote, on_site) = (Place::of(None, Some("remote")), Place::of(None, Some("on_site")));
    assert!(!remote.fits(&on_site) && remote.fits(&Place::default()));
}

#[test]
fn the_company_itself_is_first_party_and_a_collector_is_not() {
    let of = |source, host| standing(source, host, "kiln and clay");
    assert_eq!(of("web", "kilnandclay.wd5.myworkdayjobs.com"), Standing::FirstParty);
    assert_eq!(of("web", "boards.greenhouse.io"), Standing::FirstParty);
    assert_eq!(of("greenhouse:kiln", "kiln.example"), Standing::FirstParty);
    assert_eq!(of("web", "careers.kiln-and-clay.example"), Standing::FirstParty);
    assert_eq!(of("web", "at.indeed.com"), Standing::Aggregator);
    assert_eq!(of("indeed", ""), Standing::Aggregator);
    assert_eq!(of("web", "notgreenhouse.io.example"), Standing::Unknown);
    assert!(Standing::FirstParty > Standing::Unknown && Standing::Unknown > Standing::Aggregator);
}

#[test]
fn the_same_job_on_two_boards_is_linked_by_its_body() {
    let graz = json!({"city": "Graz", "country": "AT"});
    let own = facts(1, "web", "https://kiln.greenhouse.io/jobs/7", &graz);
    let short = &BODY[..BODY.len() / 2];
    let copy = Facts {
        title: "Potter Senior",
        description: Some(short),
        ..facts(2, "web", "https://indeed.com/viewjob?jk=ab", &graz)
    };
    assert_eq!(judged(&own, &copy), Ok(Rule::Body));
    assert_eq!(judged(&copy, &own), Ok(Rule::Body));
}

#[test]
fn what_contradicts_keeps_listings_apart() {
    let (graz, linz) = (json!({"city": "Graz"}), json!({"city": "Linz"}));
    let own = facts(1, "web", "https://kiln.greenhouse.io/jobs/7", &graz);
    let copy = facts(2, "web", "https://indeed.com/viewjob?jk=ab", &graz);
    let apart = |other: Facts<'_>| judged(&own, &other).unwrap_err();
    assert_eq!(apart(Facts { place: Some(&linz), ..copy }), Apart::Place);
    assert_eq!(apart(Facts { company: Some("Clay & Kiln"), ..copy }), Apart::Company);
    assert_eq!(apart(Facts { title: "Junior Potter", ..copy }), Apart::Role);
    assert_eq!(apart(Facts { description: Some("Come and work with us."), ..copy }), Apart::NoBody);
    let other = "Our shop in the old town sells what others throw: you greet people, wrap what they buy, keep the books and the \
        window in order, and open the doors at nine. Weekends are shared among five, and every second Monday is free for all.";
    assert_eq!(apart(Facts { description: Some(other), ..copy }), Apart::Body);
    // The company's own board lists both: two openings, however alike.
    assert_eq!(apart(facts(3, "web", "https://kiln.greenhouse.io/jobs/8", &graz)), Apart::SameBoard);
}

#[test]
fn a_number_that_the_board_states_apart_is_believed_before_texts() {
    let graz = json!({ "city": "Graz" });
    let own = Facts {
        requisition: Some("R-12345"),
        ..facts(1, "lever:kiln", "https://jobs.lever.co/kiln/1", &graz)
    };
    assert_eq!(
        Identity::of(&own).unwrap().requisition.map(|number| number.to_string()).as_deref(),
        Some("R12345")
    );
    let bare = Facts { requisition: None, ..own };
    assert_eq!(Identity::of(&bare).unwrap().requisition, None);
}

#[test]
fn the_companys_own_number_links_and_parts() {
    let graz = json!({"city": "Graz"});
    let own = facts(1, "web", "https://kiln.wd5.myworkdayjobs.com/job/Graz/Potter_R-12345", &graz);
    let told = "A short note. Requisition ID: R-12345";
    let copy = Facts {
        title: "Potter at the wheel",
        description: Some(told),
        ..facts(2, "web", "https://indeed.com/viewjob?jk=ab", &graz)
    };
    assert_eq!(judged(&own, &copy), Ok(Rule::Requisition));
    let other = Facts { description: Some("Requisition ID: R-54321"), ..copy };
    assert_eq!(judged(&own, &other), Err(Apart::Requisition));
    let boards_own = format!("{BODY}\nJob ID: 998877");
    let copy = Facts { title: "Senior Potter", description: Some(&boards_own), ..copy };
    assert_eq!(judged(&own, &copy), Ok(Rule::Body), "a bare number may be the board's own");
}

fn identity(number: u128, city: Option<&str>) -> Identity {
    Identity {
        id: id(number),
        company: "kiln".into(),
        role: "potter".into(),
        place: Place { city: city.map(str::to_owned), ..Place::default() },
        requisition: None,
        board: format!("board {number}"),
        standing: Standing::Unknown,
    }
}

#[test]
fn a_listing_without_a_place_never_ties_two_cities_together() {
    let members = [identity(1, Some("graz")), identity(2, Some("linz")), identity(3, None)];
    let links = [Link::new(id(1), id(3), Rule::Body, 0.9), Link::new(id(2), id(3), Rule::Body, 0.95)];
    let grouped = group(&members, &links, &[]);
    assert_eq!(grouped, BTreeMap::from([(id(1), id(1)), (id(2), id(2)), (id(3), id(2))]));
}

fn any_links() -> impl Strategy<Value = Vec<Link>> {
    let link = (0_u128..8, 0_u128..8, any::<bool>(), 0_u32..4).prop_map(|(a, b, by_number, score)| {
        let rule = if by_number { Rule::Requisition } else { Rule::Body };
        Link::new(id(a), id(b), rule, f64::from(score) / 4.0)
    });
    prop::collection::vec(link, 0..20)
}

fn any_splits() -> impl Strategy<Value = Vec<(ListingId, ListingId)>> {
    prop::collection::vec((0_u128..8, 0_u128..8), 0..6)
        .prop_map(|pairs| pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (id(a), id(b))).collect())
}

fn any_identities() -> impl Strategy<Value = Vec<Identity>> {
    prop::collection::vec(prop::option::of("[ab]"), 8)
        .prop_map(|cities| (0..8).zip(cities).map(|(n, city)| identity(n, city.as_deref())).collect())
}

fn any_member() -> impl Strategy<Value = Member> {
    let value = prop_oneof![
        Just(json!("x")),
        Just(json!("xx")),
        Just(json!({"a": 1, "b": null})),
        Just(json!({"a": 1, "b": 2})),
        Just(json!(["x"])),
        Just(json!(null)),
    ];
    let known = (value, prop::option::of("[ab]")).prop_map(|(value, method)| Known { value, method });
    let fields = prop::collection::btree_map("title|description|salary|place", known, 0..4);
    let standing = prop::sample::select(vec![Standing::Aggregator, Standing::Unknown, Standing::FirstParty]);
    (0_u128..5, "[ab]", standing, any::<bool>(), 0_i64..3, fields).prop_map(
        |(number, source, standing, is_active, at, fields)| Member {
            id: id(number),
            source,
            standing,
            is_active,
            seen_at: Timestamp::from_second(at).unwrap(),
            fields,
        },
    )
}

fn any_cluster() -> impl Strategy<Value = Cluster> {
    prop::collection::vec(any_member(), 0..5).prop_map(Cluster::of)
}

proptest! {
    #[test]
    fn merging_is_commutative(a in any_cluster(), b in any_cluster()) {
        let (one, other) = (a.clone().merge(&b), b.merge(&a));
        prop_assert_eq!(one.fields(), other.fields());
        prop_assert_eq!(one, other);
    }

    #[test]
    fn merging_is_associative(a in any_cluster(), b in any_cluster(), c in any_cluster()) {
        let left = a.clone().merge(&b).merge(&c);
        let right = a.merge(&b.merge(&c));
        prop_assert_eq!(left.fields(), right.fields());
        prop_assert_eq!(left, right);
    }

    #[test]
    fn merging_is_idempotent(a in any_cluster(), b in any_cluster()) {
        prop_assert_eq!(a.clone().merge(&a), a.clone());
        let both = a.merge(&b);
        prop_assert_eq!(both.clone().merge(&b), both);
    }

    /// Nothing is made up, nothing known is lost, and a value is the word of the member it is shown with.
    #[test]
    fn a_cluster_says_what_a_member_says(members in prop::collection::vec(any_member(), 1..6)) {
        let cluster = Cluster::of(members);
        let shown = cluster.fields();
        for member in cluster.members() {
            prop_assert!(member.fields.keys().all(|name| shown.contains_key(name)));
        }
        for (name, shown) in &shown {
            let who = cluster.members().find(|member| member.id == shown.listing_id).unwrap();
            prop_assert_eq!(&who.fields[name].value, &shown.value);
            prop_assert_eq!(&who.source, &shown.source);
        }
    }

    #[test]
    fn grouping_does_not_depend_on_the_order(
        members in any_identities(), links in any_links(), splits in any_splits(), seed in any::<u64>(),
    ) {
        let mixed = |length: usize| {
            let mut order: Vec<usize> = (0..length).collect();
            order.sort_by_key(|at| (*at as u64 + 1).wrapping_mul(seed | 1).rotate_left(17));
            order
        };
        let members_mixed: Vec<_> = mixed(members.len()).into_iter().map(|at| members[at].clone()).collect();
        let links_mixed: Vec<_> = mixed(links.len()).into_iter().map(|at| links[at]).collect();
        prop_assert_eq!(group(&members, &links, &splits), group(&members_mixed, &links_mixed, &splits));
    }

    #[test]
    fn what_contradicts_or_was_split_is_never_in_one_cluster(
        members in any_identities(), links in any_links(), splits in any_splits(),
    ) {
        let grouped = group(&members, &links, &splits);
        for (a, b) in &splits {
            prop_assert_ne!(grouped[a], grouped[b]);
        }
        for (at, a) in members.iter().enumerate() {
            prop_assert!(grouped[&a.id] <= a.id);
            for b in &members[at + 1..] {
                if contradiction(a, b).is_some() {
                    prop_assert_ne!(grouped[&a.id], grouped[&b.id]);
                }
            }
        }
    }

    /// With nothing in the way, whoever is linked is together.
    #[test]
    fn every_link_joins_when_nothing_contradicts(links in any_links()) {
        let members: Vec<_> = (0..8).map(|number| identity(number, None)).collect();
        let grouped = group(&members, &links, &[]);
        for link in &links {
            prop_assert_eq!(grouped[&link.a], grouped[&link.b]);
        }
    }

    #[test]
    fn any_text_has_keys(title in "\\PC{0,80}", company in "\\PC{0,60}", city in "\\PC{0,20}", raw in "\\PC{0,40}") {
        let place = json!({"city": city, "raw": raw});
        let one = Place::of(Some(&place), None);
        prop_assert!(one.fits(&one));
        let facts = Facts { title: &title, company: Some(&company), ..facts(1, "web", "https://a.example/", &place) };
        if let Some(identity) = Identity::of(&facts) {
            prop_assert!(!identity.role.is_empty() && !identity.company.is_empty());
            prop_assert_eq!(Identity::of(&facts).unwrap().block(), identity.block());
        }
    }

    #[test]
    fn agreement_is_symmetric_and_whole_with_itself(words in prop::collection::vec("[a-e]{1,2}", 0..80), other in prop::collection::vec("[a-e]{1,2}", 0..80)) {
        let (a, b) = (Body::of(&words.join(" ")), Body::of(&other.join(" ")));
        prop_assert_eq!(a.agreement(&b), b.agreement(&a));
        prop_assert!(a.agreement(&a).is_none_or(|score| score >= 1.0));
        prop_assert!(a.agreement(&b).is_none_or(|score| (0.0..=1.0).contains(&score)));
    }
}

#[test]
fn a_move_is_told_of_the_one_that_moved() {
    let grouping = |clusters: &[&[u128]]| -> BTreeMap<ListingId, ListingId> {
        clusters.iter().flat_map(|cluster| cluster.iter().map(|one| (id(*one), id(cluster[0])))).collect()
    };
    let told = |before: &[&[u128]], after: &[&[u128]]| -> Vec<(u128, &'static str)> {
        let moves = super::group::moves(&grouping(before), &grouping(after));
        moves.iter().map(|one| (one.id.0.as_u128(), one.event.word())).collect()
    };
    assert_eq!(told(&[&[1], &[2]], &[&[1, 2]]), [(1, "merged"), (2, "merged")]);
    assert_eq!(told(&[&[1, 2, 3], &[4]], &[&[1, 2, 3, 4]]), [(4, "merged")]);
    assert_eq!(told(&[&[1, 2, 3, 4]], &[&[1], &[2, 3, 4]]), [(1, "split")]);
    assert_eq!(told(&[&[1, 2, 3]], &[&[1, 2, 3]]), []);
    assert_eq!(told(&[&[1, 2], &[3, 4]], &[&[1], &[2, 3, 4]]), [(1, "split"), (2, "merged"), (2, "split")]);
}
