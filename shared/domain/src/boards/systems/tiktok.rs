//! TikTok's own board: a search by POST; places are nested from the city outwards.

use serde_json::{Value, json};

use crate::boards::answer::{Answer, ListPage, Misfit, Row};
use crate::boards::ask::{Ask, segment};
use crate::boards::liveness::Liveness;
use crate::boards::paging::{Paging, Step};
use crate::boards::systems::{Adapter, Detail};
use crate::boards::{Board, Listed, at, rows};

pub static ADAPTER: Adapter = Adapter {
    paging: Paging::Offset { size: 100 },
    ask,
    read,
    detail: Detail::InList,
    liveness: Liveness::Page,
};

fn ask(_: &Board, step: Step<'_>) -> Ask {
    let body = json!({
        "recruitment_id_list": [], "job_category_id_list": [], "subject_id_list": [], "location_code_list": [],
        "keyword": "", "limit": 100, "offset": step.cursor.number(),
    });
    Ask::post("https://api.lifeattiktok.com/api/v1/public/supplier/search/job/posts", body)
        .header("website-path", "tiktok")
}

fn read(_: &Board, answer: &Answer<'_>) -> Result<ListPage, Misfit> {
    let mut page = rows::read(answer, "data/job_post_list", |row| Row::from(job(row)))?;
    page.total = rows::count(answer.json()?, "data/count");
    Ok(page)
}

fn job(row: &Value) -> Option<Listed> {
    let id = at::id(row, "id")?;
    let job = Listed::new(Some(id.clone()), at::text(row, "title"))?;
    let place = at::joined(
        row,
        &["city_info/en_name", "city_info/parent/en_name", "city_info/parent/parent/en_name"],
    );
    let pay = at::pay(
        at::value(row, "job_post_info/min_salary"),
        at::value(row, "job_post_info/max_salary"),
        at::id(row, "job_post_info/currency"),
        None,
    );
    Some(Listed {
        department: at::text(row, "job_category/en_name"),
        employment_type: at::text(row, "recruit_type/en_name"),
        salary: pay,
        description: at::prose_parts(row, &["description", "requirement"]),
        requisition: at::text(row, "code"),
        ..job.at(place).with_url(Some(format!("https://lifeattiktok.com/search/{}", segment(&id))))
    })
}
