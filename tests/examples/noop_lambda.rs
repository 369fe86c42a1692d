//! The floor of a cold start: a Lambda function in Rust that does nothing.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Error> {
    lambda_runtime::run(service_fn(async |event: LambdaEvent<Value>| Ok::<_, Error>(event.payload))).await
}
