//! The seeds of the fuzzer that are made of code: small inputs that are right, and some that are nearly so.

use super::checks;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Writes the seeds of a target into its folder where that is asked for; what else is there stays.
pub(super) fn write_if_asked(target: &str, folder: &Path) {
    if std::env::var_os("LLAMAFUR_WRITE").is_none() {
        return;
    }
    fs::create_dir_all(folder).unwrap();
    for (number, seed) in seeds(target).iter().enumerate() {
        fs::write(folder.join(format!("seed-{number:02}")), seed).unwrap();
    }
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "corpus" => corpora(),
        "http" => requests(),
        "judgments" => judgments(),
        "mcp" => messages(),
        "names" => names(),
        "parquet" => parquet_files(),
        "sentences" => pages(),
        "tables" => tables(),
        "vectors" => vectors(),
        // Kept from dumps.
        _ => Vec::new(),
    }
}

/// A byte of each file at its beginning, in the middle and near its end.
fn corpora() -> Vec<Vec<u8>> {
    let num = checks::corpus::files().len() as u8;
    let of_file = |file: u8| {
        [
            [file, 0, 40, 0b0000_0000, 7, 0],
            [file, 0x80, 0, 0b1000_0110, 3, 0],
            [file, 0, 200, 0b0100_0011, 1, 20],
        ]
        .concat()
    };
    let mut seeds: Vec<Vec<u8>> = (0..num).map(of_file).collect();
    seeds.push(Vec::new());
    seeds
}

fn requests() -> Vec<Vec<u8>> {
    let post = |what: &str, body: &str| {
        format!("POST /api/v1/judge/{what}\ncontent-type: application/json\n\n{body}")
    };
    let mut requests = [
        "/",
        "/healthz",
        "/metrics",
        "/mcp",
        "/favicon.svg",
        "/report/sample/",
        "/report/sample/../../etc/passwd",
        "/api/v1/openapi.json",
        "/api/v1/corpora",
        "/api/v1/scorers?corpus=sample",
        "/api/v1/search?q=eart&num=5&kind=page",
        "/api/v1/search?q=mo&kind=category",
        "/api/v1/rank?page=Moon&snippets=true&top=3",
        "/api/v1/rank?page=Moon&scorer=llamafur%2Baa",
        "/api/v1/page?title=%C3%89cole",
        "/api/v1/explain?source=Moon&target=Sun&grid=true",
        "/api/v1/category?name=Moons&neighbours=3&min_weight=0.1",
        "/api/v1/top?top=5",
        "/api/v1/random?seed=7",
        "/api/v1/distribution?scorer=blend",
        "/api/v1/judge/next?judge=Ada",
        "/api/v1/judge/summary",
        "/api/v1/judge/export?format=qrels",
    ]
    .map(|path| format!("GET {path}\nhost: localhost\n\n"))
    .to_vec();
    requests.push(post("judgments", r#"{"judge":"Ada","source":"Moon","target":"Sun","label":"TE"}"#));
    requests.push(post("undo", r#"{"judge":"Ada"}"#));
    requests.push("OPTIONS /api/v1/top\norigin: https://evil.example\nsec-fetch-site: cross-site\n\n".into());
    requests.push(
        "GET /api/v1/rank?page=Moon\nhost: evil.example\nif-none-match: *\naccept-encoding: br\n\n".into(),
    );
    requests.into_iter().map(String::into_bytes).collect()
}

fn messages() -> Vec<Vec<u8>> {
    let call = |name: &str, arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
        )
    };
    [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#.into(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(),
        r#"{"jsonrpc":"2.0","id":"x","method":"tools/list"}"#.into(),
        r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#.into(),
        r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#.into(),
        "{\"jsonrpc\":".into(),
        call("search_pages", r#"{"query":"moon","limit":5}"#),
        call("unexpected_links", r#"{"page":"Moon","limit":2,"offset":0}"#),
        call("explain_link", r#"{"source":"Moon","target":"Sun"}"#),
        call("category_neighbours", r#"{"name":"Moons"}"#),
        call("suspicious_links", "{}"),
        call("predict_links", r#"{"page":"Earth"}"#),
        call("unexpected_links", r#"{"page":"\u202eMoon\u0000"}"#),
    ]
    .map(String::into_bytes)
    .to_vec()
}

fn judgments() -> Vec<Vec<u8>> {
    let texts = [
        "source\ttarget\tclass\tjudge\nMoon\tSun\tTE\tAda\nMoon\tEarth\tU\tBob\n",
        "Moon\tSun\tTU\nSun\tMoon\tE\n",
        "source\ttarget\tclass\tsnippet\n\"Moon\"\tSun\t\t\"a \"\"quoted\"\" one\"\n",
        "Moon 0 Sun 1\nMoon 0 Earth 0\nGalileo_Galilei 0 Io 2\n",
        "judge\tsource\ttarget\tlabel\nAda\tMoon\tSun\tTE\nAda\tMoon\tSun\t\nBob\tMoon\tSun\tU\n",
        "judge\tsource\ttarget\tlabel\nAda\tMoon\tSun\tTE\nAda\tMo",
    ];
    let kinds = 0..6u8;
    kinds.flat_map(|kind| texts.map(|text| [&[kind], text.as_bytes()].concat())).step_by(2).collect()
}

fn names() -> Vec<Vec<u8>> {
    let long = "word ".repeat(60);
    [
        "moon\nMoon\nSun\nThe Moon and the Sun\nÉcole\n",
        "ecloe\nÉcole\nEcole\n",
        "earht\nEarth\nHearth\nEarthen ware\n",
        "\n\n\n",
        "usa\nUSA\nusage\nThe USA\n",
        "木\n木星\n土星\n",
        "a\na a a a a a a a\n",
        "x\n",
        "\u{202E}\nabc\u{0}\n",
        "galileo galliei\nGalileo Galilei\nGalileo (spacecraft)\n",
        "ſ\nſs ß SS\n",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([format!("word\n{long}\n{long}")])
    .map(String::into_bytes)
    .collect()
}

fn pages() -> Vec<Vec<u8>> {
    [
        "\n[[Moon]] \n",
        "\n[[Moon|a]][[Sun|b]] \n.",
        "{|\n[[Moon]]||\n|}",
        "\nMoon Sun \n",
        "\nJupiter, Io (moon). \n",
        "<ref>\n[[Sun]]{{a|\n",
        "[[\n[[\n",
        "'''\n'' [[Moon]] \n'''",
        "\n* [[Earth]]\u{2028}\n",
        "<nowiki>\n]]\n</nowiki>[[Io]]",
        "\nSaturn. \n",
        "[[Category:Moons]]\n[[Fish]] a\u{0301} \n",
    ]
    .iter()
    .enumerate()
    .map(|(number, text)| [&[number as u8 % 12], text.as_bytes()].concat())
    .collect()
}

fn tables() -> Vec<Vec<u8>> {
    let texts = [
        "source\ttarget\nMoon\tSun\nSun\tMoon\n",
        "# a comment\n\nMoon\tSun\r\nMoon\n",
        "a,b\n\"Moon, the\",\"S\"\"un\"\n",
        "{\"source\":\"Moon\",\"target\":[\"Sun\",1,null]}\n{\"target\":\"Io\"}\n",
        "Moon;Sun\nIo;\"Fish\n",
        "page\ttext\nMoon\tA text\n",
    ];
    let kinds = [0u8, 1, 2, 3, 6, 9, 12, 18, 24, 29, 130];
    kinds.iter().flat_map(|kind| texts.map(|text| [&[*kind], text.as_bytes()].concat())).step_by(3).collect()
}

fn vectors() -> Vec<Vec<u8>> {
    let npy = |descr: &str, shape: &str, data: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
    };
    let tensors = |header: &str, data: &[u8]| {
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
    };
    let floats = [3f32, 4.0, 0.0, 2.0].map(f32::to_le_bytes).concat();
    let doubles = [3f64, 4.0, f64::NAN, 2.0].map(f64::to_le_bytes).concat();
    vec![
        npy("<f4", "(2, 2)", &floats),
        npy("<f8", "(2, 2)", &doubles),
        npy("<f2", "(2, 4)", &floats),
        npy("<f4", "(2, 65537)", &floats),
        npy(">f4", "(2, 2)", &floats),
        npy("<f4", "(18446744073709551615, 2)", &floats),
        npy("<f4", "(2, 2)", &floats[..15]),
        tensors(r#"{"v":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#, &floats),
        tensors(r#"{"v":{"dtype":"BF16","shape":[2,4],"data_offsets":[0,16]}}"#, &floats),
        tensors(r#"{"v":{"dtype":"F32","shape":[2,2],"data_offsets":[0,160]}}"#, &floats),
        tensors(
            r#"{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}}"#,
            &floats,
        ),
        tensors(r#"{"v":{"dtype":"F64","shape":[2,9223372036854775807],"data_offsets":[0,16]}}"#, &floats),
        vec![0xFF; 16],
    ]
}

/// A table of links and one with lists, each compressed in all ways.
fn parquet_files() -> Vec<Vec<u8>> {
    let text = |values: [&str; 3]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
    let mut lists = ListBuilder::new(StringBuilder::new());
    ["Sun", "Io", ""].iter().for_each(|&title| lists.append_value([Some(title), Some("Moon")]));
    let batches = [
        RecordBatch::try_from_iter([
            ("source", text(["Moon", "Moon", "Sun"])),
            ("target", text(["Sun", "Io", ""])),
        ]),
        RecordBatch::try_from_iter([
            ("source", text(["Moon", "Io", "Sun"])),
            ("target", Arc::new(lists.finish()) as ArrayRef),
        ]),
    ];
    let ways = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
        Compression::GZIP(Default::default()),
        Compression::BROTLI(Default::default()),
    ];
    let files = batches.iter().flat_map(|batch| ways.map(|way| (batch.as_ref().unwrap().clone(), way)));
    let write = |(batch, way): (RecordBatch, Compression)| {
        let conf = WriterProperties::builder().set_compression(way).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(conf)).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    files.map(write).collect()
}
