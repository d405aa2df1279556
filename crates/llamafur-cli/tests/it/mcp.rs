//! `llamafur mcp`: tools of an assistant over stdin and stdout, and over HTTP by `llamafur serve`.

use crate::common::{Desk, TOY};
use crate::serve::Serving;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes these messages to stdin, ends it, and returns what is on stdout, a message a line, and on stderr.
fn talk(desk: &Desk, args: &[&str], messages: &[Value]) -> (Vec<Value>, String) {
    heard(desk, args, &messages.iter().map(Value::to_string).collect::<Vec<_>>())
}

/// The same with any lines.
fn heard(desk: &Desk, args: &[&str], lines: &[String]) -> (Vec<Value>, String) {
    let mut command = desk.command();
    command.arg("mcp").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let answers =
        lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")));
    (answers.collect(), String::from_utf8(output.stderr).unwrap())
}

fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn hello() -> [Value; 2] {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ]
}

#[test]
fn stdout_has_the_protocol_and_nothing_else() {
    let desk = Desk::with_model();
    let mut messages = hello().to_vec();
    messages.push(call(1, "unexpected_links", &json!({"page": "jupiter", "limit": 1})));
    // The first run makes what is missing, and shows that, but not on stdout.
    let (answers, said) = talk(&desk, &[TOY, "--progress", "plain"], &messages);
    assert!(!said.is_empty());
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "llamafur");
    let result = &answers[1]["result"];
    assert_eq!(result["structuredContent"]["page"], "Jupiter", "{result}");
    assert_eq!(result["structuredContent"]["links"].as_array().unwrap().len(), 1);
    // A client that leaves before it says anything is no error.
    assert_eq!(talk(&desk, &[TOY], &[]).0, [] as [Value; 0]);
    desk.refused(["mcp", "none.corpus"], 2, &["none.corpus: "]);
}

#[test]
fn lines_that_are_no_json_are_answered_and_the_next_ones_too() {
    let desk = Desk::with_model();
    let [initialize, initialized] = hello().map(|message| message.to_string());
    let call = call(1, "search_pages", &json!({"query": "jup"})).to_string();
    let lines = ["garbage".to_owned(), initialize, initialized, "{\"jsonrpc\":".to_owned(), call];
    let answers = heard(&desk, &[TOY], &lines).0;
    let codes: Vec<&Value> = answers.iter().filter_map(|answer| answer["error"].get("code")).collect();
    assert_eq!(codes, [-32700, -32700], "{answers:?}");
    let found = answers.iter().find(|answer| answer["id"] == 1).unwrap();
    assert_eq!(found["result"]["structuredContent"]["pages"][0]["title"], "Jupiter");
}

#[test]
fn several_corpora_are_asked_by_their_names() {
    let desk = Desk::with_model();
    desk.llamafur(["import", "table", "--links", "links.tsv", "--text", "text.tsv", "--out", "bare.corpus"])
        .fine();
    let mut messages = hello().to_vec();
    messages.push(call(1, "search_pages", &json!({"query": "sat", "corpus": "bare"})));
    let (answers, _) = talk(&desk, &[TOY, "bare.corpus"], &messages);
    assert_eq!(answers[1]["result"]["structuredContent"]["pages"][0]["title"], "Saturn", "{answers:?}");
}

#[test]
fn the_official_client_calls_every_tool_over_both_transports() {
    let Some(python) = std::env::var_os("LLAMAFUR_PYTHON").filter(|python| !python.is_empty()) else {
        println!("skipped: LLAMAFUR_PYTHON is not set; `make test` sets it");
        return;
    };
    let desk = Desk::new();
    desk.llamafur(["demo", "--out", "demo.corpus"]).fine();
    let serving = Serving::start(&desk, &["demo.corpus", "--bind", "127.0.0.1:0"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_client.py");
    let url = format!("http://{}/mcp", serving.address());
    let stdio = ["stdio", env!("CARGO_BIN_EXE_llamafur"), "--progress", "none", "mcp", "demo.corpus"];
    for args in [&["http", &url][..], &stdio] {
        let run = Command::new(&python).arg(&script).args(args).current_dir(desk.path("")).output().unwrap();
        let (said, failed) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{args:?}: {said}{failed}");
        assert_eq!(said.matches("llamafur, 6 tools").count(), 2, "{said}");
    }
}
