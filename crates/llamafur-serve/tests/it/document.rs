//! The OpenAPI document that the page's types are made from.

use std::path::Path;

/// `LLAMAFUR_WRITE=1` writes the file anew.
#[test]
fn the_page_is_built_on_the_document_of_this_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/openapi.json");
    let document = llamafur_serve::openapi() + "\n";
    if std::env::var_os("LLAMAFUR_WRITE").is_some() {
        std::fs::write(&path, &document).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == document,
        "web/openapi.json is not the API's document: run this test with LLAMAFUR_WRITE=1"
    );
}
