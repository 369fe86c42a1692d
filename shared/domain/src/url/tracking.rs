//! Which query parameters only say how a visitor came, and never which page they see. Our own rules: what
//! is on the list goes everywhere, what is on a provider's list goes there only. A name that some site uses
//! for content (`ref`, `source`, `src`, `from`) goes nowhere but where we know better: two addresses of one
//! page are found again by their cluster, two pages under one address never.

/// Gone everywhere. Lower case; compared without case.
const EVERYWHERE: &[&str] = &[
    // clicks on advertising
    "fbclid",
    "gclid",
    "gclsrc",
    "gbraid",
    "wbraid",
    "dclid",
    "gad_source",
    "gad_campaignid",
    "srsltid",
    "msclkid",
    "yclid",
    "ysclid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "igshid",
    "igsh",
    "epik",
    "rdt_cid",
    "scclid",
    "sccid",
    "irclickid",
    "irgwc",
    "cjevent",
    "rb_clickid",
    "wickedid",
    "tduid",
    "zanpid",
    "ef_id",
    "s_kwcid",
    "mkwid",
    "pcrid",
    "cmpid",
    "ceneo_spo",
    // analytics
    "utm",
    "mtm",
    "_ga",
    "_gac",
    "_gl",
    "gs_l",
    "_openstat",
    "s_cid",
    "spm",
    "xtor",
    "wt_mc",
    "wt_zmc",
    "wtmc",
    "wtrid",
    "__s",
    "echobox",
    "tracking_source",
    "__twitter_impression",
    "_branch_match_id",
    "_branch_referrer",
    "guccounter",
    "guce_referrer",
    "guce_referrer_sig",
    "action_object_map",
    "action_type_map",
    "action_ref_map",
    "fb_source",
    "fb_ref",
    "fb_action_ids",
    "fb_action_types",
    // mail
    "mc_cid",
    "mc_eid",
    "mc_tc",
    "mkt_tok",
    "vero_id",
    "vero_conv",
    "oly_enc_id",
    "oly_anon_id",
    "os_ehash",
    "ml_subscriber",
    "ml_subscriber_hash",
    "ck_subscriber_id",
    "_kx",
    "hsctatracking",
    "et_rid",
    // sessions of servers that put them into addresses
    "jsessionid",
    "phpsessid",
    "cftoken",
    // job boards and applicant systems
    "trk",
    "trkinfo",
    "trackingid",
    "gh_src",
    "lever-source",
    "lever-source[]",
    "lever-origin",
    "lever-via",
    "lever-social",
    "ashby_src",
    "__jvst",
    "__jvsd",
    "iis",
    "iisn",
];

/// Families of such parameters.
const FAMILIES: &[&str] = &[
    "utm_",
    "mtm_",
    "otm_",
    "itm_",
    "ga_",
    "_hs",
    "__hs",
    "hsa_",
    "hmb_",
    "pk_",
    "matomo_",
    "piwik_",
    "elq",
    "sfmc_",
    "bsft_",
    "vn_",
    "at_custom",
    "aspsessionid",
];

/// Gone on one provider's pages. `host` and its subdomains; `path` is how the path must begin.
struct Provider {
    host: &'static str,
    path: &'static str,
    names: &'static [&'static str],
}

const fn on(host: &'static str, names: &'static [&'static str]) -> Provider {
    Provider { host, path: "/", names }
}

const PROVIDERS: &[Provider] = &[
    // applicant systems
    on("greenhouse.io", &["src", "source", "t"]),
    on("lever.co", &["source", "src"]),
    on("ashbyhq.com", &["src", "source"]),
    on("smartrecruiters.com", &["source", "src", "dcr_ci", "trid", "sourcetypeid"]),
    on("workable.com", &["source", "src"]),
    on("recruitee.com", &["source", "src"]),
    on("myworkdayjobs.com", &["source", "src", "shared_id", "jobsource"]),
    on("myworkdaysite.com", &["source", "src", "shared_id"]),
    on("bamboohr.com", &["source", "src"]),
    on("teamtailor.com", &["promotion", "source", "src"]),
    on("personio.de", &["_pc", "source"]),
    on("personio.com", &["_pc", "source"]),
    on("breezy.hr", &["source", "src"]),
    on("applytojob.com", &["source", "src"]),
    on("jobvite.com", &["src", "source", "nl"]),
    on("pinpointhq.com", &["source", "src"]),
    on("rippling.com", &["source", "src", "jobboard"]),
    on("paylocity.com", &["source", "src"]),
    on("oraclecloud.com", &["src", "source", "mode", "lastselectedfacet", "selectedcategoriesfacet"]),
    on("taleo.net", &["src", "source", "tz", "tzname"]),
    on("successfactors.com", &["_s.crb", "source", "src"]),
    on("successfactors.eu", &["_s.crb", "source", "src"]),
    on("eightfold.ai", &["src", "source", "triggergobutton", "microsite_source"]),
    on(
        "icims.com",
        &[
            "mobile",
            "width",
            "height",
            "bga",
            "needsredirect",
            "jan1offset",
            "jun1offset",
            "in_iframe",
            "hashed",
            "src",
            "source",
        ],
    ),
    // boards
    on(
        "linkedin.com",
        &[
            "position",
            "pagenum",
            "refid",
            "originalsubdomain",
            "original_referer",
            "lipi",
            "licu",
            "lici",
            "ebp",
            "recommendedflavor",
            "origin",
            "alternatechannel",
            "eblr",
        ],
    ),
    on(
        "indeed.com",
        &[
            "from", "tk", "rtk", "advn", "vjs", "xkcb", "xpse", "xfps", "alid", "camk", "sjdu", "acatk",
            "jsa", "pub", "tmtk", "hidesmr", "adid",
        ],
    ),
    on(
        "glassdoor.com",
        &[
            "ao", "guid", "src", "t", "vt", "ea", "cs", "cb", "jrtk", "cpc", "pos", "uido", "ctt", "srs",
            "gdir", "s",
        ],
    ),
    on("ziprecruiter.com", &["tsid", "contact_id", "zrclid"]),
    on("monster.com", &["intcid", "jobposition", "jobrank", "mescoid", "ch", "wt.mc_n"]),
    on("stepstone.de", &["rltr", "cid", "sitid", "jobalertsid"]),
    on("xing.com", &["sc_o", "ijt", "paging_context"]),
    on("seek.com.au", &["type", "ref", "origin", "cid", "sol", "tracking"]),
    on("jobs.cz", &["searchid", "rps", "positionofadinagent"]),
    on("pracuj.pl", &["searchid", "sug", "s"]),
    on("adzuna.com", &["se", "v", "utm_term", "frd", "r"]),
    on("talent.com", &["context", "source"]),
    on("medium.com", &["source"]),
    on("github.com", &["email_token", "email_source"]),
    // company sites that carry the search along to the posting
    Provider {
        host: "google.com",
        path: "/about/careers/applications/jobs/results/",
        names: &[
            "q",
            "page",
            "location",
            "sort_by",
            "target_level",
            "src",
            "hl",
            "employment_type",
            "degree",
            "skills",
            "has_remote",
            "company",
        ],
    },
    Provider { host: "jobs.apple.com", path: "/", names: &["team", "board_id"] },
    Provider { host: "amazon.jobs", path: "/", names: &["cmpid", "ss"] },
];

/// Whether a parameter tells nothing of which page is shown at this host and path.
pub fn is_tracking(name: &str, host: &str, path: &str) -> bool {
    let name = name.to_ascii_lowercase().replace("%5b", "[").replace("%5d", "]");
    let name = name.as_str();
    EVERYWHERE.contains(&name)
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || PROVIDERS.iter().any(|provider| {
            let rest = host.strip_suffix(provider.host);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                && path.starts_with(provider.path)
                && provider.names.contains(&name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_in_lower_case_and_there_once() {
        let mut seen = std::collections::BTreeSet::new();
        for name in EVERYWHERE.iter().chain(FAMILIES) {
            assert_eq!(name.to_ascii_lowercase(), **name);
            assert!(seen.insert(name), "{name}");
        }
        for provider in PROVIDERS {
            assert!(seen.insert(&provider.host), "{} twice", provider.host);
            let names: std::collections::BTreeSet<_> = provider.names.iter().collect();
            assert_eq!(names.len(), provider.names.len(), "{}", provider.host);
        }
    }

    /// What tells postings apart on some board must survive everywhere.
    #[test]
    fn names_that_carry_the_posting_stay() {
        for name in
            ["gh_jid", "jk", "vjk", "jobId", "job_id", "id", "currentJobId", "reqid", "jl", "ref", "lang"]
        {
            for host in
                ["a.example", "linkedin.com", "www.indeed.com", "boards.greenhouse.io", "glassdoor.com"]
            {
                assert!(!is_tracking(name, host, "/jobs/7"), "{name} on {host}");
            }
        }
    }

    #[test]
    fn a_search_goes_from_a_posting_and_stays_with_a_list() {
        let names = |path| ["q", "location", "page"].map(|name| is_tracking(name, "www.google.com", path));
        assert_eq!(names("/about/careers/applications/jobs/results/77-cook"), [true; 3]);
        assert_eq!(names("/about/careers/applications/jobs"), [false; 3]);
        assert_eq!(names("/search"), [false; 3]);
    }
}
