//! The technologies that stand in job titles, each under one name. Two titles that name different ones are never the
//! same role, however alike they read.

/// `(name, other spellings)`, all in lower case. A spelling may have several words.
pub const TECHNOLOGIES: &[(&str, &[&str])] = &[
    (".net", &["dotnet", "dot net", "asp.net", "asp.net core", "asp .net", ".net core", "vb.net"]),
    ("abap", &["sap abap"]),
    ("airflow", &["apache airflow"]),
    ("android", &["android sdk", "android app", "android mobile"]),
    ("angular", &["angularjs", "angular.js", "angular js"]),
    ("ansible", &[]),
    ("apex", &[]),
    ("aws", &["amazon web services"]),
    ("azure", &["microsoft azure", "ms azure"]),
    ("bash", &[]),
    ("c", &["ansi c", "embedded c"]),
    ("c#", &["csharp", "c sharp", "c-sharp"]),
    ("c++", &["cpp", "c plus plus", "cplusplus"]),
    ("cassandra", &[]),
    ("clojure", &[]),
    ("cobol", &["mainframe cobol"]),
    ("coldfusion", &["cold fusion"]),
    ("dart", &[]),
    ("databricks", &[]),
    ("delphi", &[]),
    ("django", &[]),
    ("docker", &[]),
    ("drupal", &[]),
    ("elasticsearch", &["elastic search"]),
    ("elixir", &["elixir phoenix"]),
    ("ember", &["ember.js", "emberjs"]),
    ("erlang", &[]),
    ("express", &["express.js", "expressjs"]),
    ("f#", &["fsharp", "f sharp"]),
    ("fastapi", &["fast api"]),
    ("flask", &[]),
    ("flutter", &[]),
    ("fortran", &[]),
    ("gcp", &["google cloud", "google cloud platform"]),
    ("go", &["golang", "go lang"]),
    ("groovy", &[]),
    ("hadoop", &["apache hadoop"]),
    ("haskell", &[]),
    ("html", &["html5", "html/css"]),
    ("ios", &["iphone", "ipad", "ios app", "iphone app", "ios mobile", "apple ios"]),
    ("java", &["j2ee", "jee", "java ee", "java se", "core java", "java/j2ee", "java j2ee", "jakarta ee"]),
    ("javascript", &["js", "java script", "ecmascript", "es6", "vanilla js"]),
    ("joomla", &[]),
    ("julia", &[]),
    ("kafka", &["apache kafka"]),
    ("kotlin", &[]),
    ("kubernetes", &["k8s"]),
    ("laravel", &[]),
    ("linux", &[]),
    ("lua", &[]),
    ("magento", &["adobe commerce"]),
    ("matlab", &[]),
    ("mongodb", &["mongo db", "mongo"]),
    ("mysql", &[]),
    ("nestjs", &["nest.js"]),
    ("next.js", &["nextjs"]),
    ("node.js", &["nodejs", "node js", "node"]),
    ("nosql", &["no sql"]),
    ("objective-c", &["objective c", "objectivec", "obj-c"]),
    ("oracle", &[]),
    ("perl", &[]),
    ("php", &["php7", "php8"]),
    ("pl/sql", &["plsql", "pl sql"]),
    ("postgresql", &["postgres"]),
    ("power bi", &["powerbi"]),
    ("powershell", &[]),
    ("python", &["python3", "python 3"]),
    ("pytorch", &[]),
    ("r", &["r language"]),
    ("rails", &["ruby on rails", "ror"]),
    ("react", &["react.js", "reactjs", "react js"]),
    ("react native", &["react-native", "reactnative"]),
    ("redis", &[]),
    ("ruby", &[]),
    ("rust", &["rustlang"]),
    ("salesforce", &["sfdc", "salesforce.com"]),
    ("sap", &[]),
    ("sas", &[]),
    ("scala", &[]),
    ("servicenow", &["service now"]),
    ("sharepoint", &["share point"]),
    ("shopify", &[]),
    ("snowflake", &[]),
    ("solidity", &[]),
    ("spark", &["apache spark", "pyspark"]),
    ("spring", &["spring boot", "springboot"]),
    ("sql", &["t-sql", "tsql"]),
    ("sql server", &["mssql", "ms sql", "ms sql server"]),
    ("svelte", &["sveltejs"]),
    ("swift", &["swiftui"]),
    ("symfony", &[]),
    ("tableau", &[]),
    ("tensorflow", &[]),
    ("terraform", &[]),
    ("typescript", &["ts", "type script"]),
    ("unity", &["unity3d", "unity 3d"]),
    ("unreal", &["unreal engine", "ue4", "ue5"]),
    ("visual basic", &["vb", "vba"]),
    ("vue.js", &["vue", "vuejs", "vue js"]),
    ("windows", &[]),
    ("wordpress", &["word press"]),
    ("workday", &[]),
    ("zig", &[]),
];

/// What a framework is written in: named beside its language it adds nothing, and alone it stands for it.
pub const MADE_WITH: &[(&str, &str)] = &[
    ("django", "python"),
    ("flask", "python"),
    ("fastapi", "python"),
    ("laravel", "php"),
    ("symfony", "php"),
    ("spring", "java"),
    ("rails", "ruby"),
    ("nestjs", "node.js"),
    ("express", "node.js"),
    ("next.js", "react"),
    ("solidity", "blockchain"),
    ("unity", "game"),
];

/// Vendors of something that has a name of its own: `aws cloud engineer` is a cloud engineer.
pub const VENDORS: &[(&str, &str)] =
    &[("aws", "cloud"), ("azure", "cloud"), ("gcp", "cloud"), ("kubernetes", "cloud")];

/// Whether a word or phrase is the name of a technology.
pub fn is_technology(name: &str) -> bool {
    TECHNOLOGIES.binary_search_by(|(known, _)| (*known).cmp(name)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_no_spelling_names_two_things() {
        assert!(TECHNOLOGIES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut spellings: Vec<&str> =
            TECHNOLOGIES.iter().flat_map(|(name, others)| others.iter().chain([name])).copied().collect();
        spellings.sort_unstable();
        assert!(spellings.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn what_a_framework_is_made_with_is_known() {
        for (framework, _) in MADE_WITH {
            assert!(is_technology(framework), "{framework}");
        }
    }
}
