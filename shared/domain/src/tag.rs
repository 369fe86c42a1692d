//! What HTML says about tag names: which are void, which end which, which are blocks. Tables only.

/// What the tree needs to know about a name, looked up once per page.
#[derive(Clone, Copy)]
pub struct Kind {
    pub implied_ends: &'static [Implied],
    pub void: bool,
    pub block: bool,
    pub wall: bool,
    pub table_part: bool,
    pub in_head: bool,
    pub unseen: bool,
    /// May be a part of the page's frame.
    pub furniture: bool,
    pub section: bool,
}

impl Kind {
    pub fn of(name: &str) -> Kind {
        Kind {
            implied_ends: implied_ends(name),
            void: is_void(name),
            block: is_block(name),
            wall: is_wall(name),
            table_part: is_table_part(name),
            in_head: belongs_in_head(name),
            unseen: is_unseen(name),
            furniture: matches!(name, "nav" | "header" | "footer"),
            section: matches!(name, "article" | "main" | "section"),
        }
    }
}

/// `<li>` ends an open `<li>`, but not through a new `<ul>`.
pub struct Implied {
    pub closes: &'static [&'static str],
    pub walls: &'static [&'static str],
}

const LI: &[Implied] = &[P, Implied { closes: &["li"], walls: &["ul", "ol", "menu", "td", "th", "table"] }];
const DD: &[Implied] = &[P, Implied { closes: &["dt", "dd"], walls: &["dl", "td", "th", "table"] }];
const TD: &[Implied] = &[Implied { closes: &["td", "th"], walls: &["tr", "table"] }];
const TR: &[Implied] = &[Implied { closes: &["tr"], walls: &["table"] }];
const BODY_OF_TABLE: &[Implied] = &[Implied { closes: &["thead", "tbody", "tfoot"], walls: &["table"] }];
const OPTION: &[Implied] = &[Implied { closes: &["option"], walls: &["select", "datalist"] }];
const BODY: &[Implied] = &[Implied { closes: &["head"], walls: &[] }];
const P: Implied = Implied { closes: &["p"], walls: &["button", "td", "th", "table", "caption", "object"] };
const BLOCK: &[Implied] = &[P];

/// What the start of `name` ends without saying so.
fn implied_ends(name: &str) -> &'static [Implied] {
    match name {
        "li" => LI,
        "dt" | "dd" => DD,
        "td" | "th" => TD,
        "tr" => TR,
        "thead" | "tbody" | "tfoot" => BODY_OF_TABLE,
        "option" | "optgroup" => OPTION,
        "body" => BODY,
        "table" => &[], // quirks mode keeps a table inside its paragraph
        _ if is_block(name) => BLOCK,
        _ => &[],
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Elements that begin and end a line of their own.
pub fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

/// Elements whose text no reader of the page sees as page text.
pub fn is_unseen(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "iframe"
            | "title"
            | "svg"
            | "math"
            | "object"
            | "textarea"
            | "select"
            | "datalist"
            | "noembed"
            | "noframes"
            | "xmp"
            | "audio"
            | "video"
            | "canvas"
    )
}

/// End tags from inside do not reach through these.
fn is_wall(name: &str) -> bool {
    matches!(name, "table" | "td" | "th" | "caption" | "template" | "button" | "object")
}

fn is_table_part(name: &str) -> bool {
    matches!(
        name,
        "table" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th" | "caption" | "template" | "html" | "body"
    )
}

fn belongs_in_head(name: &str) -> bool {
    matches!(
        name,
        "base"
            | "basefont"
            | "link"
            | "meta"
            | "noscript"
            | "script"
            | "style"
            | "template"
            | "title"
            | "noframes"
    )
}

/// 1 for `h1` … 6 for `h6`.
pub fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}
