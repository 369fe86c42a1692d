//! Starts the API on Lambda.

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    lambda_http::run(api::of_lambda().await?).await
}
