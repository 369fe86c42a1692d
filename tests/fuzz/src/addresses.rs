//! Addresses, and the files that say which of them we may ask for.

use domain::boards;
use domain::robots::Robots;
use domain::site::site_key;
use domain::url::normalise;
use url::Url;

use crate::targets::Target;

pub static ROBOTS: Target = Target {
    name: "robots",
    seeds: &[
        "User-agent: *\nDisallow: /private\nAllow: /private/jobs$\nCrawl-delay: 5\nSitemap: https://a.example/s.xml",
        "user-agent: freshet\nuser-agent: other\ndisallow: /*?q=\n\nuser-agent: *\ndisallow:",
        "\u{feff}User-Agent : Freshet\r\nDISALLOW : /a%2fb # no\rAllow: /",
    ],
    words: &[
        "User-agent: ",
        "freshet",
        "*",
        "$",
        "Disallow: ",
        "Allow: ",
        "Crawl-delay: ",
        "Sitemap: ",
        "/jobs",
        "%2F",
        "%",
        "\n",
        "\r",
        "#",
        "***************",
    ],
    most: 8_000,
    pages: false,
    read: |bytes| {
        let robots = Robots::parse(bytes, "freshet");
        let mut shape = format!(
            "{:?} {} ",
            robots.crawl_delay().map(|d| d.as_secs().min(40)),
            robots.sitemaps.len().min(3)
        );
        for path in ["/", "/jobs", "/private/jobs", "/a%2Fb?q=1", "/robots.txt", "/%ff/é"] {
            let Ok(url) = Url::parse(&format!("https://a.example{path}")) else { continue };
            let refusal = robots.refusal(&url);
            if refusal.is_some() && refusal != robots.deciding_rule(&url) {
                return Err(format!("{path} is refused by a rule that does not decide"));
            }
            shape += if refusal.is_some() { "-" } else { "+" };
        }
        Ok(shape)
    },
};

pub static URLS: Target = Target {
    name: "urls",
    seeds: &[
        "https://jobs.example.com/a/b?utm_source=x&id=7#top",
        "HTTP://Example.COM:80/%7Ea/../b?b=2&a=1&&",
        "https://acme.wd5.myworkdayjobs.com/en-US/Careers/job/Graz/Cook_R1",
        "https://boards.greenhouse.io/acme/jobs/1?gh_src=x",
        "https://münchen.example/ä?q=ö",
        "http://[::ffff:127.0.0.1]:8080/",
    ],
    words: &[
        "https://",
        "http://",
        "//",
        "@",
        ":443",
        ":0",
        "%00",
        "%2e%2e/",
        "?",
        "&",
        "=",
        "utm_",
        "gclid=1",
        "xn--",
        "myworkdayjobs.com",
        "lever.co/",
        ".co.uk",
        "[::1]",
        "0x7f.1",
        "\t",
    ],
    most: 4_000,
    pages: false,
    read: |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let sign = boards::of_url(&text).map(|sign| (sign.system, sign.board.is_some()));
        let site = Url::parse(&text).ok().map(|url| site_key(&url).map(|site| site.as_str().len().min(128)));
        if let Some(Ok(length)) = site
            && length == 0
        {
            return Err("a site without a name".to_owned());
        }
        let normal = match normalise(&text) {
            Ok(once) => once,
            Err(why) => return Ok(format!("{why} {sign:?}")),
        };
        if normalise(&normal).as_deref() != Ok(normal.as_str()) {
            return Err(format!("{normal} is not its own normal form"));
        }
        let parts: Vec<bool> =
            ["?", "#", "%", "xn--", ":"].iter().map(|part| normal[8..].contains(part)).collect();
        Ok(format!("{parts:?} {sign:?} {}", site.is_some_and(|site| site.is_ok())))
    },
};
