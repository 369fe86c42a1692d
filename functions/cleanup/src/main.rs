//! Starts cleanup on Lambda.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let room = &cleanup::of_lambda().await?;
    lambda_runtime::run(service_fn(|_: LambdaEvent<Value>| async move {
        cleanup::clean(room).await.map_err(Error::from)
    }))
    .await
}
