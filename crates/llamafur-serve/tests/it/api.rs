//! The routes answer what the engine answers.

use crate::client::{Running, made, toy};
use llamafur::engine::{CategoryConf, Engine, EngineConf, ExplainConf, Order, PlaceSet, RankConf, TopConf};
use llamafur::progress::Silent;
use llamafur_import::table::TableConf;
use llamafur_serve::ServeConf;
use serde_json::{Value, to_value};

#[test]
fn answers_are_those_of_the_engine() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let engine = Engine::open(dir.path().join("toy.corpus"), EngineConf::default()).unwrap();
    // But for the folders of the server, which it does not show.
    let folder = format!("{}/", dir.path().display());
    let expect = |path: &str, answer: Value| {
        let shown: Value = serde_json::from_str(&answer.to_string().replace(&folder, "")).unwrap();
        assert_eq!(server.json(path), shown, "{path}");
    };
    let all = RankConf::default();
    expect("/api/v1/rank?page=Jupiter", to_value(engine.rank("Jupiter", &all).unwrap()).unwrap());
    // A scorer that is named gives its own order.
    let two = all.clone().scorer("llamafur+aa").order(Order::Oddity).top(2);
    let ranking = to_value(engine.rank("Jupiter", &two).unwrap()).unwrap();
    expect("/api/v1/rank?page=jupiter&scorer=llamafur%2Baa&top=2&snippets=true", ranking);
    let places: PlaceSet = "prose,table".parse().unwrap();
    let bare = all.clone().places(places).order(Order::Oddity).snippets(false).top(0);
    let ranking = to_value(engine.rank("Jupiter", &bare).unwrap()).unwrap();
    expect("/api/v1/rank?page=Jupiter&where=prose,table&order=oddity&snippets=false&top=0", ranking);
    let why = engine.explain("Jupiter", "Fish", &ExplainConf::default().pairs(2)).unwrap();
    expect("/api/v1/explain?source=Jupiter&target=Fish&pairs=2", to_value(why).unwrap());
    let near = engine.category("Planets", &CategoryConf::default().min_weight(-9.0)).unwrap();
    expect("/api/v1/category?name=Planets&min_weight=-9", to_value(near).unwrap());
    let top = engine.top(&TopConf::default().top(3).per_page(1), &mut Silent).unwrap();
    expect("/api/v1/top?top=3&per_page=1", to_value(top).unwrap());
    expect("/api/v1/page?title=jupiter", to_value(engine.article("Jupiter").unwrap()).unwrap());
    let odd = TopConf::default().rank(RankConf::default().order(Order::Oddity).places(PlaceSet::ALL).top(3));
    let top = engine.top(&odd, &mut Silent).unwrap();
    expect("/api/v1/top?top=3&order=oddity&where=all", to_value(top).unwrap());
    let surprise = engine.surprise(&RankConf::default(), 7).unwrap();
    expect("/api/v1/random?seed=7", to_value(surprise).unwrap());
    expect("/api/v1/distribution", to_value(engine.distribution(&all).unwrap()).unwrap());
    let why = engine.explain("Jupiter", "Fish", &ExplainConf::default().grid(true)).unwrap();
    expect("/api/v1/explain?source=Jupiter&target=Fish&grid=true", to_value(why).unwrap());
    let why = ExplainConf::default().scorer("aa").order(Order::Worth).places(PlaceSet::ALL);
    let why = engine.explain("Jupiter", "Fish", &why).unwrap();
    expect(
        "/api/v1/explain?source=Jupiter&target=Fish&scorer=aa&order=worth&where=all",
        to_value(why).unwrap(),
    );
    let category = serde_json::json!({ "suggestions": [{ "title": "Planets" }] });
    expect("/api/v1/search?q=planetz&kind=category&num=1", category);
    expect("/api/v1/search?q=jupitr&num=1", serde_json::json!({ "suggestions": [{ "title": "Jupiter" }] }));
}

#[test]
fn facts_of_the_corpora_and_scorers() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let list = server.json("/api/v1/corpora");
    let corpus = &list["corpora"][0];
    assert_eq!(
        (&corpus["name"], &corpus["num_pages"], &corpus["has_model"]),
        (&"toy".into(), &10.into(), &true.into())
    );
    assert_eq!(
        (&list["judging"], &corpus["report"], &corpus["language"]),
        (&false.into(), &false.into(), &Value::Null)
    );
    let scorers = server.json("/api/v1/scorers")["scorers"].as_array().unwrap().clone();
    assert_eq!(corpus["version"].as_str().unwrap().len(), 32);
    assert_eq!(scorers[0]["name"], "blend");
    let naive = scorers.iter().find(|scorer| scorer["name"] == "naive").unwrap();
    assert_eq!(naive["available"], false);
    assert!(naive["missing"].as_str().unwrap().contains("no such model"), "{naive}");
}

#[test]
fn problems_carry_remedies_and_similar_names() {
    let dir = tempfile::tempdir().unwrap();
    let conf = ServeConf::new([toy(dir.path())]).advice(|remedy| format!("advice for {remedy:?}"));
    let server = Running::start(conf);
    let unknown = server.get("/api/v1/rank?page=Jupitr");
    assert!(unknown.is_problem(404));
    assert_eq!(unknown.json()["similar"][0], "Jupiter");
    let no_model = server.get("/api/v1/rank?page=Jupiter&scorer=naive");
    assert!(no_model.is_problem(422), "{}", no_model.text());
    assert_eq!(no_model.json()["remedy"]["kind"], "run");
    assert!(no_model.json()["advice"].as_str().unwrap().starts_with("advice for Run"));
    for (path, status) in [
        ("/api/v1/rank", 400),
        ("/api/v1/rank?page=Jupiter&top=many", 400),
        ("/api/v1/rank?page=Jupiter&colour=red", 400),
        ("/api/v1/rank?page=Jupiter&top=10001", 400),
        ("/api/v1/rank?page=Jupiter&snippets=some", 400),
        ("/api/v1/rank?page=Jupiter&where=prose,nowhere", 400),
        ("/api/v1/rank?page=Jupiter&order=best", 400),
        ("/api/v1/explain?source=Jupiter&target=Fish&where=", 400),
        ("/api/v1/explain?source=Jupiter&target=Fish&order=", 400),
        ("/api/v1/top?where=nowhere", 400),
        ("/api/v1/top?order=Worth", 400),
        ("/api/v1/random?where=nowhere", 400),
        ("/api/v1/rank?page=Jupiter&scorer=nonsense", 404),
        ("/api/v1/rank?page=Jupiter&corpus=other", 404),
        ("/api/v1/category?name=Nowhere", 404),
        ("/api/v1/category?name=Planets&min_weight=NaN", 400),
        ("/api/v1/rank?page=Jupiter&scorer=aa%2Baa", 400),
        ("/api/v1/top?top=0", 400),
        ("/api/v1/top?top=1001", 400),
        ("/api/v1/search?q=j&num=101", 400),
        ("/api/v1/category?name=Planets&neighbours=201", 400),
        ("/api/v1/explain?source=Jupiter&target=Fish&pairs=0", 400),
        ("/api/v1/explain?source=Jupiter&target=Fish&pairs=101", 400),
        ("/api/v1/top?from_category=Nowhere", 404),
        ("/api/v1/top?scorer=nonsense", 404),
        ("/api/v1/nothing", 404),
        ("/api/v2/rank", 404),
        ("/report/toy/index.html", 404),
    ] {
        let answer = server.get(path);
        assert!(answer.is_problem(status), "{path}: {} {}", answer.status, answer.text());
    }
    let post = server.send("POST /api/v1/rank?page=Jupiter HTTP/1.1\r\nhost: localhost", "");
    assert!(post.is_problem(405));
}

#[test]
fn a_ranking_has_the_surprising_rows_or_the_three_that_come_closest() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let rows = |query: &str| {
        let ranking = server.json(&format!("/api/v1/rank?page=Jupiter{query}"));
        let rows = ranking["links"].as_array().unwrap().clone();
        (ranking["num_surprising"].as_u64().unwrap() as usize, rows)
    };
    let (num_surprising, default) = rows("");
    assert_eq!(default.len(), if num_surprising == 0 { 3 } else { num_surprising });
    let (_, all) = rows("&top=0");
    // Of its four links two are in one sentence, and are one row.
    let also: Vec<_> = all.iter().flat_map(|row| row["also"].as_array().unwrap()).collect();
    assert_eq!((all.len(), also.len(), &all[..default.len()]), (3, 1, &default[..]));
    assert!(all.iter().all(|row| row["snippet"].is_string() && row["odder_than"].is_number()), "{all:?}");
    assert_eq!(rows("&top=1").1.len(), 1);
    assert!(rows("&top=0&snippets=false").1.iter().all(|row| row["snippet"].is_null()));
    let detail = server.get("/api/v1/rank?page=Jupiter&where=nowhere").json()["detail"].to_string();
    assert!(detail.contains("prose, caption, ") && detail.contains("nowhere"), "{detail}");
}

#[test]
fn an_answer_that_is_known_is_not_sent_again() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let first = server.get("/api/v1/rank?page=Jupiter");
    let etag = first.header("etag");
    assert!(etag.starts_with("W/\""));
    let head = format!("GET /api/v1/rank?page=Jupiter HTTP/1.1\r\nhost: localhost\r\nif-none-match: {etag}");
    let again = server.send(&head, "");
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, etag));
    let other = head.replace("page=Jupiter", "page=Nowhere");
    assert_eq!(server.send(&other, "").status, 404);
    let list = server.get("/api/v1/corpora");
    let head = format!(
        "GET /api/v1/corpora HTTP/1.1\r\nhost: localhost\r\nif-none-match: x, {}",
        list.header("etag")
    );
    assert_eq!(server.send(&head, "").status, 304);
}

#[test]
fn tables_have_the_columns_of_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let answer = server.get("/api/v1/rank?page=Jupiter&format=tsv&top=0");
    assert!(answer.header("content-type").starts_with("text/tab-separated-values"));
    let text = answer.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("rank\ttarget\tunexpectedness\todder_than\tsurprising\t"));
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| line.split('\t').count() == 12), "{text}");
    assert!(text.contains("Carl Sagan"), "{text}");
    let plain = server.get("/api/v1/rank?page=Jupiter&format=tsv&top=0&snippets=false").text();
    assert!(
        !plain.contains("Carl Sagan") && plain.lines().all(|line| line.split('\t').count() == 12),
        "{plain}"
    );
    let top = server.get("/api/v1/top?top=2&format=tsv").text();
    assert!(top.starts_with("rank\tsource\ttarget\t") && top.lines().count() == 3);
}

#[test]
fn no_scorer_is_too_much() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let many = vec!["random"; 7000].join("%2B");
    assert!(server.get(&format!("/api/v1/rank?page=Jupiter&scorer={many}")).is_problem(400));
    // Another order is another name; what is kept of them does not grow without end.
    let names = ["aa", "ra", "cn", "jaccard", "reciprocity", "in-degree"];
    for (first, second) in names.iter().flat_map(|first| names.iter().map(move |second| (first, second))) {
        let status = server.get(&format!("/api/v1/rank?page=Jupiter&scorer={first}%2B{second}")).status;
        assert_eq!(status, if first == second { 400 } else { 200 }, "{first}+{second}");
    }
}

#[test]
fn titles_are_data_whatever_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let long = "x".repeat(1_000);
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "a\u{202E}b",
        "../../etc/passwd",
        &long,
    ];
    let rows: String = hostile.iter().map(|title| format!("{title}\tFish\nFish\t{title}\n")).collect();
    let tags: String = hostile.iter().map(|title| format!("{title}\t<b>tag</b>\n")).collect();
    std::fs::write(dir.path().join("links.tsv"), rows).unwrap();
    std::fs::write(dir.path().join("tags.tsv"), tags + "Fish\tAnimals\n").unwrap();
    let conf = TableConf::new(dir.path().join("links.tsv")).categories(dir.path().join("tags.tsv"));
    let server = Running::start(ServeConf::new([made(conf, &dir.path().join("odd.corpus"))]));
    for title in hostile {
        let encoded: String = title.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let ranking = server.json(&format!("/api/v1/rank?page={encoded}"));
        assert_eq!(ranking["page"], title);
        let why = server.json(&format!("/api/v1/explain?source={encoded}&target=Fish"));
        assert_eq!(why["source"], title);
    }
}
