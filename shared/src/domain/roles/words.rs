//! The words around a role: how senior, how long, where, which code; and the short forms of words.

use super::title::Seniority;

/// Words that say how senior, with what they say.
pub const SENIORITY: &[(&str, Seniority)] = &[
    ("intern", Seniority::Intern),
    ("internship", Seniority::Intern),
    ("trainee", Seniority::Intern),
    ("apprentice", Seniority::Intern),
    ("apprenticeship", Seniority::Intern),
    ("junior", Seniority::Junior),
    ("jr", Seniority::Junior),
    ("jnr", Seniority::Junior),
    ("graduate", Seniority::Junior),
    ("entry", Seniority::Junior),
    ("mid", Seniority::Middle),
    ("midlevel", Seniority::Middle),
    ("intermediate", Seniority::Middle),
    ("experienced", Seniority::Middle),
    ("senior", Seniority::Senior),
    ("sr", Seniority::Senior),
    ("snr", Seniority::Senior),
    ("expert", Seniority::Senior),
    ("lead", Seniority::Lead),
    ("leading", Seniority::Lead),
    ("principal", Seniority::Principal),
    ("distinguished", Seniority::Principal),
];

/// Levels: `Engineer II`, `L5`, `level 3`.
pub const LEVELS: &[(&str, Seniority)] = &[
    ("i", Seniority::Junior),
    ("ii", Seniority::Middle),
    ("iii", Seniority::Senior),
    ("iv", Seniority::Senior),
    ("v", Seniority::Principal),
    ("1", Seniority::Junior),
    ("2", Seniority::Middle),
    ("3", Seniority::Senior),
    ("4", Seniority::Senior),
    ("5", Seniority::Principal),
];

/// What an advertisement adds: contract, hours, place of work, haste. None of it changes the role.
pub const NOISE: &[&str] = &[
    "urgent", "urgently", "needed", "wanted", "required", "hiring", "now", "immediate", "immediately", "asap",
    "hot", "new", "opening", "opportunity", "vacancy", "position", "apply", "remote", "remotely", "hybrid",
    "onsite", "on-site", "wfh", "home-based", "homebased", "telecommute", "worldwide", "anywhere", "contract",
    "contractual", "permanent", "perm", "temporary", "temp", "freelance", "full-time", "fulltime", "part-time",
    "parttime", "ft", "w2", "1099", "c2c", "c2h", "seasonal", "casual", "interim", "fixed-term", "ftc",
    "level", "mfd", "fmd", "mwd", "wmd", "m/f/d", "f/m/d", "m/w/d", "w/m/d", "m/f/x", "f/m/x", "m/f", "f/m",
    "m/w", "all-genders", "req", "ref", "requisition", "usa", "us", "uk", "certified", "qualified", "bilingual",
    "the", "a", "an", "our", "we", "are", "seeking", "looking",
];

/// Two or three words that together are noise.
pub const NOISE_PHRASES: &[&str] = &[
    "full time", "part time", "work from home", "from home", "on site", "home based", "fixed term",
    "contract to hire", "right to hire", "entry level", "mid level", "senior level", "mid senior", "long term",
    "short term", "sign on bonus", "sign-on bonus", "all genders", "visa sponsorship", "no experience",
    "zero hours", "maternity cover", "immediate start", "high paying", "per diem", "travel contract",
    "us citizen", "green card",
];

/// A unit after a number: `6 month contract`, `5+ years experience`.
pub const UNITS: &[&str] = &[
    "month", "months", "mo", "mos", "year", "years", "yr", "yrs", "week", "weeks", "hour", "hours", "hrs",
    "days", "k", "usd", "eur", "gbp", "experience", "exp",
];

/// Short forms and spellings, each with the word it stands for.
pub const SHORT: &[(&str, &str)] = &[
    ("acct", "account"),
    ("accting", "accounting"),
    ("adviser", "advisor"),
    ("ai", "artificial intelligence"),
    ("aide", "assistant"),
    ("apps", "application"),
    ("app", "application"),
    ("asst", "assistant"),
    ("assoc", "associate"),
    ("auto", "automotive"),
    ("automobile", "automotive"),
    ("bi", "business intelligence"),
    ("biz", "business"),
    ("centre", "center"),
    ("coder", "programmer"),
    ("coord", "coordinator"),
    ("cyber", "security"),
    ("cybersecurity", "security"),
    ("db", "database"),
    ("dev", "developer"),
    ("dept", "department"),
    ("devs", "developer"),
    ("dir", "director"),
    ("ecommerce", "e-commerce"),
    ("elec", "electrical"),
    ("eng", "engineer"),
    ("engr", "engineer"),
    ("exec", "executive"),
    ("fe", "frontend"),
    ("fin", "financial"),
    ("front-end", "frontend"),
    ("back-end", "backend"),
    ("full-stack", "fullstack"),
    ("help-desk", "helpdesk"),
    ("hr", "human resources"),
    ("hw", "hardware"),
    ("infosec", "information security"),
    ("it", "information technology"),
    ("jewellery", "jewelry"),
    ("kindergarden", "kindergarten"),
    ("lab", "laboratory"),
    ("labour", "labor"),
    ("mech", "mechanical"),
    ("mfg", "manufacturing"),
    ("mgmt", "management"),
    ("mgr", "manager"),
    ("mktg", "marketing"),
    ("ml", "machine learning"),
    ("nlp", "natural language processing"),
    ("operative", "operator"),
    ("ops", "operations"),
    ("pharm", "pharmacy"),
    ("pr", "public relations"),
    ("prod", "production"),
    ("prof", "professor"),
    ("programme", "program"),
    ("programmes", "program"),
    ("purchasing", "procurement"),
    ("qa", "quality assurance"),
    ("qc", "quality control"),
    ("rep", "representative"),
    ("reps", "representative"),
    ("saleswoman", "salesperson"),
    ("salesman", "salesperson"),
    ("secretarial", "administrative"),
    ("seo", "search engine optimization"),
    ("sem", "search engine marketing"),
    ("optimisation", "optimization"),
    ("spec", "specialist"),
    ("supv", "supervisor"),
    ("svc", "service"),
    ("svcs", "service"),
    ("sw", "software"),
    ("sys", "system"),
    ("sysadmin", "system administrator"),
    ("sysadmins", "system administrator"),
    ("telecoms", "telecommunications"),
    ("telecom", "telecommunications"),
    ("ui", "user interface"),
    ("ux", "user experience"),
    ("vet", "veterinarian"),
    ("vp", "vice president"),
    ("waitress", "waiter"),
];

/// Two words that are one, and one that is another.
pub const JOINED: &[(&str, &str)] = &[
    ("back end", "backend"),
    ("front end", "frontend"),
    ("full stack", "fullstack"),
    ("server side", "backend"),
    ("server-side", "backend"),
    ("client side", "frontend"),
    ("client-side", "frontend"),
    ("help desk", "helpdesk"),
    ("service desk", "helpdesk"),
    ("dev ops", "devops"),
    ("dev-ops", "devops"),
    ("sec ops", "secops"),
    ("ml ops", "mlops"),
    ("info sec", "information security"),
    ("cyber security", "security"),
    ("cyber-security", "security"),
    ("it security", "security"),
    ("information security", "security"),
    ("data base", "database"),
    ("web site", "website"),
    ("e commerce", "e-commerce"),
    ("sys admin", "system administrator"),
    ("sys-admin", "system administrator"),
    ("u x", "ux"),
    ("ui ux", "ux"),
    ("ux ui", "ux"),
    ("ui/ux", "ux"),
    ("ux/ui", "ux"),
    ("ai ml", "machine learning"),
    ("ml ai", "machine learning"),
    ("ai/ml", "machine learning"),
    ("ml/ai", "machine learning"),
    ("deep learning", "machine learning"),
    ("fp&a", "financial"),
    ("r&d", "research and development"),
    ("p&l", "profit and loss"),
    ("m&a", "mergers and acquisitions"),
    ("quality assurance and test", "quality assurance"),
    ("copy writer", "copywriter"),
    ("book keeper", "bookkeeper"),
    ("care giver", "caregiver"),
    ("fire fighter", "firefighter"),
    ("house keeper", "housekeeper"),
    ("body guard", "bodyguard"),
    ("bar tender", "bartender"),
    ("sales person", "salesperson"),
    ("hair dresser", "hairdresser"),
    ("hair stylist", "hairdresser"),
    ("baby sitter", "babysitter"),
    ("make up", "makeup"),
    ("make-up", "makeup"),
    ("fork lift", "forklift"),
    ("people operations", "human resources"),
    ("people ops", "human resources"),
    ("talent acquisition", "recruiting"),
    ("recruitment", "recruiting"),
    ("k 12", "school"),
    ("video game", "game"),
    ("video games", "game"),
    ("computer game", "game"),
    ("big data", "data"),
    ("internet of things", "iot"),
    ("smart contract", "blockchain"),
    ("smart contracts", "blockchain"),
];

/// Words whose last letter is no plural.
pub const NOT_PLURAL: &[&str] = &[
    "sales", "news", "securities", "devops", "mlops", "secops", "goods", "windows", "kubernetes", "sas", "aws",
    "ios", "gps", "gas", "cms", "gis", "operations", "relations", "resources", "works", "arts", "sports",
    "communications", "telecommunications", "studies", "series", "species", "always", "canvas", "christmas",
];

/// Heads that build programs when a technology or a part of a program stands before them.
pub const BUILDERS: &[&str] = &["developer", "engineer", "programmer"];

/// Before a builder these mean programs.
pub const PROGRAMS: &[&str] = &[
    "software", "web", "frontend", "backend", "fullstack", "mobile", "application", "game", "blockchain",
    "computer", "website", "api", "ui", "desktop", "plugin",
];

/// Who tends a program does not build it: these keep their head.
pub const TENDS: &[&str] = &["test", "quality", "support", "sales", "reliability", "automation"];

/// Before `staff` these are jobs of their own (`staff nurse`); elsewhere it is a level.
pub const STAFF_LEVEL: &[&str] =
    &["engineer", "developer", "programmer", "designer", "scientist", "architect", "researcher", "manager"];

/// Technologies that are run rather than written in: a builder of these keeps the head it has.
pub const RUN: &[&str] = &[
    "airflow", "ansible", "aws", "azure", "cassandra", "databricks", "docker", "gcp", "hadoop", "kafka",
    "kubernetes", "linux", "oracle", "sap", "servicenow", "snowflake", "spark", "tableau", "terraform", "windows",
    "workday",
];

/// A part of a program that a technology already says.
pub const SAID_BY: &[(&str, &[&str])] = &[
    ("mobile", &["ios", "android", "flutter", "react native", "swift", "kotlin"]),
    ("frontend", &["react", "angular", "vue.js", "svelte", "ember"]),
    ("backend", &["node.js"]),
    ("swift", &["ios"]),
    ("objective-c", &["ios"]),
    ("kotlin", &["android"]),
    ("html", &["javascript", "react", "angular", "vue.js"]),
    ("javascript", &["react", "angular", "vue.js", "node.js", "react native", "typescript"]),
];
