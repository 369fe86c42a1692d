//! Workable: one host for everybody. The list is walked by token (v3); the widget's answer, which has everything at
//! once and names a job once per place, is read as well.

use serde_json::{Value, json};

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};
use crate::location::RemoteKind;

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Next,
    ask,
    read,
    detail: Detail::Behind { ask: ask_detail, read: read_detail },
    liveness: Liveness::Detail,
};

fn ask(board: &Board, step: Step<'_>) -> Ask {
    let name = segment(board.token());
    let mut body = json!({ "query": "", "location": [], "department": [], "worktype": [], "remote": [] });
    if let Some(token) = step.cursor.token() {
        body["token"] = token.into();
    }
    Ask::post(format!("https://apply.workable.com/api/v3/accounts/{name}/jobs"), body)
}

fn read(board: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let text = answer.json()?;
    match rows::read_text(text, "results", |row| Row::from(job(board, row))) {
        Ok(mut page) => {
            page.total = rows::count(text, "total");
            page.next = rows::pick(text, "nextPage").and_then(|next| next.as_str().map(str::to_owned));
            Ok(page)
        }
        Err(Misfit::Lacks(_)) => rows::read_text(text, "jobs", |row| Row::from(job(board, row))),
        Err(misfit) => Err(misfit),
    }
}

fn job(board: &Board, row: &Value) -> Option<Listed> {
    let code = at::id(row, "shortcode")?;
    let job = Listed::new(Some(code.clone()), at::text(row, "title"))?;
    let place = |place: &Value| at::joined(place, &["city", "region", "country"]);
    let mut places: Vec<String> = at::each(row, "locations").filter_map(place).collect();
    if places.is_empty() {
        places.extend(at::value(row, "location").and_then(place));
        places.extend(at::joined(row, &["city", "state", "country"]));
    }
    let url = at::link(row, "url").unwrap_or_else(|| {
        format!("https://apply.workable.com/{}/j/{}/", segment(board.token()), segment(&code))
    });
    let remote = at::remote(row, "workplace").or_else(|| {
        let flag = at::truth(row, "telecommuting").or_else(|| at::truth(row, "remote"));
        (flag == Some(true)).then_some(RemoteKind::Remote)
    });
    Some(Listed {
        posted: at::date(row, "published_on").or_else(|| at::date(row, "published")),
        department: at::text(row, "department").or_else(|| at::text(row, "department/0")),
        employment_type: at::text(row, "employment_type").or_else(|| at::text(row, "type")),
        remote,
        description: at::prose_parts(row, &["description", "requirements", "benefits"]),
        requisition: at::text(row, "code"),
        apply_url: at::link(row, "application_url"),
        ..job.at(places).with_url(Some(url))
    })
}

fn ask_detail(board: &Board, job: &Listed) -> Option<Ask> {
    let (name, code) = (segment(board.token()), segment(&job.external_id));
    Some(Ask::json(format!("https://apply.workable.com/api/v2/accounts/{name}/jobs/{code}")))
}

fn read_detail(board: &Board, answer: &Answer<'_>, job: &mut Listed) -> Result<(), Misfit> {
    let detail = self::job(board, &rows::whole(answer)?).ok_or(Misfit::Lacks("shortcode and title"))?;
    job.merge(detail);
    Ok(())
}
