//! `template.yaml` as plain JSON with the long names of CloudFormation's functions (`{"Ref": …}`), so that
//! one reading serves both the arithmetic tests and the deployment on the emulator.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::{Map, Value, json};

/// The folder that holds `template.yaml`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The template as it is in the repository.
pub fn read() -> anyhow::Result<Value> {
    parse(&std::fs::read_to_string(root().join("template.yaml"))?)
}

/// The sample event of a room.
pub fn sample(room: &str) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(root().join(format!("events/{room}.json")))?)?)
}

/// YAML with CloudFormation's tags into JSON.
pub fn parse(text: &str) -> anyhow::Result<Value> {
    let mut documents = Yaml::load_from_str(text)?;
    match (documents.pop(), documents.is_empty()) {
        (Some(one), true) => to_json(one),
        _ => bail!("a template is one YAML document"),
    }
}

fn to_json(node: Yaml<'_>) -> anyhow::Result<Value> {
    Ok(match node {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(value)) => json!(value),
        Yaml::Value(Scalar::Integer(value)) => json!(value),
        Yaml::Value(Scalar::FloatingPoint(value)) => json!(value.into_inner()),
        Yaml::Value(Scalar::String(value)) => json!(value),
        Yaml::Sequence(items) => items.into_iter().map(to_json).collect::<anyhow::Result<_>>()?,
        Yaml::Mapping(entries) => {
            let mut object = Map::new();
            for (key, value) in entries {
                let key = key.as_str().context("a key is a string")?.to_owned();
                object.insert(key, to_json(value)?);
            }
            Value::Object(object)
        }
        Yaml::Tagged(tag, inner) if tag.handle == "!" => call(&tag.suffix, &to_json(*inner)?)?,
        other => bail!("not a thing of templates: {other:?}"),
    })
}

/// `!Name argument` in its long form.
fn call(name: &str, argument: &Value) -> anyhow::Result<Value> {
    Ok(match name {
        "Ref" | "Condition" => json!({ name: argument }),
        "GetAtt" => {
            let path = argument.as_str().context("!GetAtt takes a string")?;
            let (thing, attribute) = path.split_once('.').context("!GetAtt takes Thing.Attribute")?;
            json!({ "Fn::GetAtt": [thing, attribute] })
        }
        _ => json!({ format!("Fn::{name}"): argument }),
    })
}
