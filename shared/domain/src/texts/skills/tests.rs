use proptest::prelude::*;

use super::*;

fn names(text: &str) -> String {
    find(text).iter().map(|skill| skill.name()).collect::<Vec<_>>().join(",")
}

#[test]
fn names_and_aliases_are_found_whole() {
    assert_eq!(names("Three years of Java 21, Spring and Postgres"), "Java,Spring,PostgreSQL");
    assert_eq!(names("You know javascript; TypeScript a plus"), "JavaScript,TypeScript");
    assert_eq!(names("Javanese cooking, scalable kitchens, a redistribution plan"), "");
    assert_eq!(names("HTML5/CSS3, C++17 and vue.js"), "HTML,CSS,C++,Vue.js");
    assert_eq!(names("ASP.NET, VB.NET and .NET 8"), ".NET,Visual Basic");
    assert_eq!(names("Spring Boot on k8s (GCP)"), "Spring Boot,Kubernetes,Google Cloud");
    assert_eq!(names("write to me@java.example or see python.org"), "");
    assert_eq!(names("Python, python and PYTHON"), "Python");
}

#[test]
fn everyday_words_need_company() {
    for (text, expected) in [
        ("Languages we use: C, C#, R and Go", "C,C#,R,Go"),
        ("Firmware written in C", "C"),
        ("Go developer wanted", "Go"),
        ("Backend Engineer (Go)", "Go"),
        ("Our Rust-based proxy", ""),
        ("Data science with R or MATLAB", "R,MATLAB"),
        ("python, go, docker", "Python,Go,Docker"),
        ("Two years of experience with Unity", "Unity"),
        ("Advanced Excel", "Excel"),
        ("Go-Entwickler gesucht", "Go"),
        ("Programming in Swift or Rust", "Swift,Rust"),
        ("Ansible, Puppet and Chef", "Ansible,Puppet,Chef"),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn everyday_words_alone_are_words() {
    for text in [
        "Go home early on Fridays",
        "We go for C-suite deals, R&D budgets and series C rounds",
        "R & D lead",
        "A swift reply is certain",
        "Swift delivery of parcels",
        "Rust removal and painting",
        "Excel at what you do",
        "React to alarms at night",
        "Sous Chef with ten years of experience",
        "Spring 2027 internship",
        "Express checkout cashier",
        "Julia and Jasmine look forward to meeting you",
        "Take a rest, use soap, switch the lamp off",
        "Reports to Julia.",
        "Vitamin C and B12",
        "Unity in diversity",
        "python hunting, go there",
        "I go, java in hand, to work",
        "No lecture: bootstrap, spark, sketch and jest",
        "SAP Go Live support",
    ] {
        let found = names(text);
        assert!(matches!(found.as_str(), "" | "SAP" | "Python" | "Java"), "{text}: {found}");
    }
}

#[test]
fn a_list_of_names_is_read_name_by_name() {
    for (name, expected) in [
        ("golang", "Go"),
        ("c", "C"),
        ("  REACT JS ", "React"),
        ("Python 3", "-"),
        ("k8s", "Kubernetes"),
        ("R", "R"),
    ] {
        assert_eq!(canonical(name).map_or("-", Skill::name), expected, "{name}");
    }
    for nothing in ["", "plumbing dreams", "c++++", "é", "."] {
        assert_eq!(canonical(nothing), None, "{nothing}");
    }
}

#[test]
fn every_name_stands_once_and_means_itself() {
    let mut spelled: Vec<&str> = INDEX.spellings.iter().map(|spelling| spelling.exact).collect();
    spelled.sort_unstable();
    let twice: Vec<_> = spelled.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
    for skill in Skill::all() {
        assert_eq!(canonical(skill.name()), Some(skill));
        let text = format!("Docker, {}, Kubernetes", skill.name());
        assert!(find(&text).contains(&skill), "{skill}");
        let json = serde_json::to_string(&skill).unwrap();
        assert_eq!(serde_json::from_str::<Skill>(&json).unwrap(), skill);
    }
}

#[test]
fn a_hostile_text_takes_no_more_than_its_share() {
    let names = find(&"C, ".repeat(1_000_000));
    assert!(names.len() <= 1);
    let _ = find(&"go-".repeat(200_000));
}

proptest! {
    #[test]
    fn any_text_can_be_searched(text in ".{0,200}", near in "[CRGo+#.,&/ \\-é°]{0,40}") {
        for text in [&text, &near] {
            let found = find(text);
            prop_assert!(found.len() <= text.len());
            let _ = canonical(text);
        }
    }
}
