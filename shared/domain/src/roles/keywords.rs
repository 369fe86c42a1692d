//! What to search for on behalf of a person.

/// How many skills and how much of the stack are worth a search.
const SKILLS: usize = 5;
const STACK: usize = 3;

/// The title, the first skills, the first of the stack, the specialisation: each once, in this order.
pub fn search_keywords(
    current_title: Option<&str>,
    skills: &[String],
    tech_stack: &[String],
    specializations: Option<&str>,
) -> Vec<String> {
    let words = current_title
        .into_iter()
        .chain(skills.iter().take(SKILLS).map(String::as_str))
        .chain(tech_stack.iter().take(STACK).map(String::as_str))
        .chain(specializations);
    let mut keywords: Vec<String> = Vec::new();
    for word in words.map(str::trim).filter(|word| !word.is_empty()) {
        if !keywords.iter().any(|known| known == word) {
            keywords.push(word.to_owned());
        }
    }
    keywords
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn keywords_are_the_first_of_each_once_and_in_order() {
        let skills = owned(&["a", "b", "c", "d", "e", "f"]);
        let stack = owned(&["b", "x", "y", "z"]);
        let keywords = search_keywords(Some("Baker"), &skills, &stack, Some("bread"));
        assert_eq!(keywords, ["Baker", "a", "b", "c", "d", "e", "x", "y", "bread"]);
        assert_eq!(search_keywords(None, &[], &[], Some(" ")), [] as [&str; 0]);
    }
}
