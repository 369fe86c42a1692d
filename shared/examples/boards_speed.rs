fn main() {
    use shared::domain::boards::*;
    let paragraph = "&lt;p&gt;We make lamps that last &amp;amp; shine, with &lt;strong&gt;people&lt;/strong&gt; who care.&lt;/p&gt;\n&lt;ul&gt;&lt;li&gt;You cut glass to the tenth of a millimetre&lt;/li&gt;&lt;li&gt;You keep the kiln&#39;s book&lt;/li&gt;&lt;/ul&gt;".repeat(27);
    let jobs: Vec<_> = (0..500).map(|n| serde_json::json!({"id": n+1, "title": format!("Lamp {n}"), "absolute_url":"https://x.example/1","location":{"name":"Graz, Austria"},"first_published":"2026-11-02T02:52:26-04:00","content":paragraph,"offices":[{"name":"Graz"}],"departments":[{"name":"W"}],"metadata":[{"id":3,"name":"x","value":"y"}]})).collect();
    let body = serde_json::json!({"jobs":jobs}).to_string();
    let board: Board = "greenhouse:lantern".parse().unwrap();
    for _ in 0..5 {
        let t = std::time::Instant::now();
        let mut walk = Walk::new(board.clone());
        let taken = walk.take(&Answer{status:200,content_type:None,body:body.as_bytes(),url:"https://x.example/",at:"2026-11-16T12:00:00Z".parse().unwrap()});
        let rows: Vec<_> = taken.jobs.iter().map(|j| j.posting(&board)).collect();
        println!("{} rows, {:.0} jobs/s, body {} KB", rows.len(), rows.len() as f64 / t.elapsed().as_secs_f64(), body.len()/1024);
    }
}
