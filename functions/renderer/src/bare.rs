//! The least that a page costs in this very browser: a tab, a navigation, the document, through a proxy that the
//! caller has opened. No face, no patience. The benchmark's floor.

use anyhow::Context;
use headless_chrome::protocol::cdp::{DOM, Page, Target};
use serde_json::json;
use shared::egress::Forward;

use crate::process::Browser;

/// Shows a page and returns its document.
pub async fn show(browser: &Browser, by: &Forward, url: &str) -> anyhow::Result<String> {
    let wire = &browser.wire;
    let proxy = format!("http://{}", by.address);
    let context = json!({ "proxyServer": proxy, "proxyBypassList": "<-loopback>" });
    let context = wire.call::<Target::CreateBrowserContext>(None, context).await?.browser_context_id;
    let target = json!({ "url": "about:blank", "browserContextId": context });
    let target = wire.call::<Target::CreateTarget>(None, target).await?.target_id;
    let attach = json!({ "targetId": target, "flatten": true });
    let session = wire.call::<Target::AttachToTarget>(None, attach).await?.session_id;
    let mut told = wire.listen(&session);
    let on = Some(session.as_str());
    wire.call::<Page::Enable>(on, json!({})).await?;
    wire.call::<Page::Navigate>(on, json!({ "url": url })).await?;
    while told.recv().await.context("the browser is gone")?.name != "Page.loadEventFired" {}
    let root = wire.call::<DOM::GetDocument>(on, json!({ "depth": 0 })).await?.root.node_id;
    let html = wire.call::<DOM::GetOuterHTML>(on, json!({ "nodeId": root })).await?.outer_html;
    wire.forget(&session);
    wire.call::<Target::DisposeBrowserContext>(None, json!({ "browserContextId": context })).await?;
    Ok(html)
}
