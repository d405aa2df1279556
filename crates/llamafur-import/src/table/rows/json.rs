//! JSON lines: one object a line, whose keys are the names of the columns.

use super::super::account::{Place, Reason};
use super::super::conf::Columns;
use super::super::error::ImportError;
use super::super::header::Layout;
use super::super::source::Text;
use super::{Intake, lines};
use serde::Deserializer;
use serde::de::{Deserialize, DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Limit of a list's values: in memory each takes many times its bytes in the file.
const MOST_VALUES: usize = 4 << 20;

/// Reads one object a line. The first object determines the keys to read.
pub(super) fn read<const N: usize>(
    text: &mut Text<'_>,
    asked: Option<&Columns>,
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(), ImportError> {
    let mut keys: Option<[String; N]> = None;
    let (path, limit) = (intake.path, text.longest);
    lines::for_each(text, path, |number, line| {
        let Some(line) = line else { return intake.reject(Place::Line(number), Reason::LongRow { limit }) };
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let place = Place::Line(number);
        let Ok(line) = std::str::from_utf8(line) else { return intake.reject(place, Reason::NotUtf8) };
        let keys = match &keys {
            Some(keys) => keys,
            None => {
                let mut names = Vec::new();
                if let Err(reason) = parse(line, Fields::<N> { keys: None, names: &mut names }) {
                    return intake.reject(place, reason);
                }
                let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
                let layout = Layout::<N>::from_names(intake.table, asked, &names, path)?;
                intake.account.header.clone_from(&layout.header);
                keys.insert(layout.pick.map(|column| names[column].to_owned()))
            }
        };
        match parse(line, Fields { keys: Some(keys), names: &mut Vec::new() }) {
            Ok(values) => take(place, values, intake),
            Err(reason) => intake.reject(place, reason),
        }
    })
}

/// Takes the values of an object; one of them may be a list, each value of which makes a row.
fn take<const N: usize>(
    place: Place,
    values: [Option<Value<'_>>; N],
    intake: &mut Intake<'_, N, impl FnMut([&str; N]) -> Result<(), ImportError>>,
) -> Result<(), ImportError> {
    let columns = intake.table.columns();
    let mut row = [const { Cow::Borrowed("") }; N];
    let mut list = None;
    for (i, value) in values.into_iter().enumerate() {
        row[i] = match value {
            Some(Value::Text(text)) => text,
            Some(Value::List(values)) if intake.may_be_list() && list.is_none() => {
                list = Some((i, values));
                continue;
            }
            Some(other) => {
                return intake.reject(place, Reason::NotText { column: columns[i], found: other.kind() });
            }
            None => return intake.reject(place, Reason::Missing { column: columns[i] }),
        };
    }
    let Some((at, values)) = list else {
        return intake.take(place, std::array::from_fn(|i| row[i].as_bytes()));
    };
    for value in values {
        match value {
            Value::Text(text) => {
                row[at] = text;
                intake.take(place, std::array::from_fn(|i| row[i].as_bytes()))?;
            }
            other => intake.reject(place, Reason::NotText { column: columns[at], found: other.kind() })?,
        }
    }
    Ok(())
}

fn parse<'de, S: DeserializeSeed<'de>>(line: &'de str, seed: S) -> Result<S::Value, Reason> {
    let mut deserializer = serde_json::Deserializer::from_str(line);
    let parsed = seed.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    parsed.map_err(|error| {
        // "… at line 1 column 7": the line is always the first, and ours is named beside it.
        let said = error.to_string();
        let detail = said.split(" at line ").next().unwrap_or_default();
        Reason::NotJson { detail: format!("{detail} at byte {}", error.column()) }
    })
}

/// A visitor that reads the values of some keys of an object; without keys, it collects all keys in `names`.
struct Fields<'k, const N: usize> {
    keys: Option<&'k [String; N]>,
    names: &'k mut Vec<String>,
}

impl<'de, const N: usize> DeserializeSeed<'de> for Fields<'_, N> {
    type Value = [Option<Value<'de>>; N];

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Fields<'_, N> {
    type Value = [Option<Value<'de>>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [const { None }; N];
        while let Some(key) = map.next_key::<Value<'de>>()? {
            let Value::Text(key) = key else { return Err(A::Error::custom("a key that is not text")) };
            match self.keys.map(|keys| keys.iter().position(|wanted| *wanted == key)) {
                Some(Some(i)) => values[i] = Some(map.next_value()?),
                Some(None) => drop(map.next_value::<IgnoredAny>()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                    self.names.push(key.into_owned());
                }
            }
        }
        Ok(values)
    }
}

/// Text or a whole number as text, a list, or the name of another kind.
enum Value<'de> {
    Text(Cow<'de, str>),
    List(Vec<Value<'de>>),
    Other(&'static str),
}

impl Value<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "text",
            Value::List(_) => "an array",
            Value::Other(kind) => kind,
        }
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value<'de>, E> {
        Ok(Value::Other("a number with a fraction"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value<'de>, E> {
        Ok(Value::Other("true or false"))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Other("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            if list.len() == MOST_VALUES {
                return Err(A::Error::custom(format!("a list of more than {MOST_VALUES} values")));
            }
            list.push(value);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}
