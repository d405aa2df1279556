//! Requests made from the OpenAPI document itself, right and wrong ones, by Schemathesis.
//!
//! It needs Python with `requirements.txt` of this folder; `LLAMAFUR_PYTHON` says where, and `make test` sets it.

use crate::client::{Running, toy};
use llamafur_serve::ServeConf;
use std::process::Command;

/// Never a server error; what the document promises; what it forbids is refused. Not that all it allows is accepted: a document
/// cannot say which pages there are.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,\
                      response_headers_conformance,negative_data_rejection,unsupported_method";

#[test]
fn whatever_the_document_allows_or_forbids_is_answered_as_it_says() {
    let Some(python) = std::env::var_os("LLAMAFUR_PYTHON").filter(|python| !python.is_empty()) else {
        eprintln!("skipped: LLAMAFUR_PYTHON is not set; `make test` sets it");
        return;
    };
    for judge in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let server = Running::start(ServeConf::new([toy(dir.path())]).judge(judge));
        let mut command = Command::new(&python);
        command.args(["-m", "schemathesis.cli", "--no-color", "run", "--request-timeout", "30"]);
        command.args(["--max-examples", "30", "--checks", CHECKS]);
        command.args(["--suppress-health-check", "all", "--generation-database", "none"]);
        command.args(["--header", "X-Requested-With: schemathesis"]);
        if judge {
            // The rest is the same as without.
            command.args(["--include-path-regex", "/judge/"]);
        }
        command.arg(format!("http://{}/api/v1/openapi.json", server.address)).current_dir(dir.path());
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("generated"), "{text}");
        assert_eq!(server.get("/healthz").status, 200);
    }
}
