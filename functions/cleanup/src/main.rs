//! Starts cleanup on Lambda.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let room = &cleanup::of_lambda().await?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<Value>| async move {
        // The schedule of midnight says so; everything else is the usual run.
        if event.payload.get("run").and_then(Value::as_str) == Some("new_day") {
            let done = cleanup::new_day(room).await?;
            return Ok::<Value, Error>(serde_json::to_value(done)?);
        }
        Ok(serde_json::to_value(cleanup::clean(room).await?)?)
    }))
    .await
}
