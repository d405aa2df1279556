//! What goes well: a file found and fetched.

use super::*;

#[test]
fn a_plain_download() {
    let data = bytes(300_000, 1);
    let server = site(&data, serve);
    let dir = folder();
    let out = dir.path().join("made/by/it");
    let (dump, seen) = run(&conf(&server, &out).date(DATE));
    let dump = dump.unwrap();
    assert_eq!((dump.wiki.as_str(), dump.date.as_str()), ("xwiki", DATE));
    assert_eq!((&dump.file, dump.bytes), (&out.join(NAME), 300_000));
    assert_only(&out, &data);
    assert_eq!(seen.starts, [(Task::Download { file: NAME.into() }, Some(300_000))]);
    assert_eq!((seen.advanced, seen.finished), (300_000, 1));
    assert_eq!(server.seen().len(), 2, "one request for the sums, one for the file");
    assert_eq!(server.seen_for(NAME)[0].header("range"), None);
}

#[test]
fn the_date_is_the_newest_in_the_folder() {
    let data = bytes(1000, 2);
    let server = site(&data, serve);
    let dir = folder();
    let dump = run(&conf(&server, dir.path())).0.unwrap();
    assert_eq!(dump.date, DATE);
    assert_only(dir.path(), &data);
    let asked: Vec<String> = server.seen().into_iter().map(|request| request.path).collect();
    assert_eq!(asked, [FOLDER, SUMS, &format!("{FOLDER}{DATE}/{NAME}")]);
}

#[test]
fn the_multistream_file_comes_before_the_plain_one() {
    const PLAIN: &str = "xwiki-20260901-pages-articles.xml.bz2";
    const OTHERS: [&str; 2] =
        ["xwiki-20260901-pages-articles-multistream-index.txt.bz2", "xwiki-20260801-pages-articles.xml.bz2"];
    for (names, chosen) in [(vec![PLAIN, NAME], NAME), (vec![PLAIN], PLAIN)] {
        let server = Server::new(move |request| match request.path.as_str() {
            FOLDER => listing_of(&[DATE]),
            SUMS => sums(&names.iter().chain(&OTHERS).map(|name| (*name, &b"x"[..])).collect::<Vec<_>>()),
            _ => serve(request, b"x"),
        });
        let dir = folder();
        run(&conf(&server, dir.path())).0.unwrap();
        assert_eq!(listing(dir.path()), [chosen]);
    }
}

#[test]
fn an_unfinished_newest_dump_gives_way_to_the_one_before() {
    let data = bytes(1000, 3);
    let copy = data.clone();
    let server = Server::new(move |request| match request.path.as_str() {
        FOLDER => listing_of(&["20260801", DATE, "20260920", "20261001"]),
        "/xwiki/20260920/xwiki-20260920-sha1sums.txt" => sums(&[("xwiki-20260920-site_stats.sql.gz", b"s")]),
        SUMS => sums(&[(NAME, &copy)]),
        path if path.ends_with(NAME) => serve(request, &copy),
        _ => Reply::not_found(),
    });
    let dir = folder();
    assert_eq!(run(&conf(&server, dir.path())).0.unwrap().date, DATE);
    assert_only(dir.path(), &data);
}

#[test]
fn the_user_agent_has_name_version_and_contact() {
    let server = site(b"x", serve);
    let dir = folder();
    run(&conf(&server, dir.path())).0.unwrap();
    let version = env!("CARGO_PKG_VERSION");
    for request in server.seen() {
        let expected = format!("llamafur/{version} (https://github.com/llamafur/llamafur; ureq)");
        assert_eq!(request.header("user-agent"), Some(&expected[..]));
    }
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let data = bytes(10_000, 17);
    let server = site(&data, serve);
    let dir = folder();
    fs::write(dir.path().join(NAME), &data).unwrap();
    let (dump, seen) = run(&conf(&server, dir.path()));
    assert_eq!(dump.unwrap().bytes, 10_000);
    assert_eq!(server.seen_for(NAME).len(), 0);
    assert!(seen.noted("Present"), "{:?}", seen.notes);
    assert_only(dir.path(), &data);
}

#[test]
fn a_mirror_may_have_a_path() {
    let data = bytes(1000, 19);
    for end in ["/pub/mirror", "/pub/mirror/"] {
        let copy = data.clone();
        let server = Server::new(move |request| match request.path.strip_prefix("/pub/mirror") {
            Some(FOLDER) => listing_of(&[DATE]),
            Some(SUMS) => sums(&[(NAME, &copy)]),
            Some(path) if path == format!("/xwiki/{DATE}/{NAME}") => serve(request, &copy),
            _ => Reply::not_found(),
        });
        let dir = folder();
        let conf = conf(&server, dir.path()).base_url(server.url() + end);
        run(&conf).0.unwrap();
        assert_only(dir.path(), &data);
    }
}

#[test]
fn redirects_are_followed_a_few_times_and_keep_the_range() {
    let data = bytes(100_000, 20);
    let server = Server::new({
        let data = data.clone();
        move |request| match request.path.as_str() {
            FOLDER => listing_of(&[DATE]),
            SUMS => sums(&[(NAME, &data)]),
            "/elsewhere" if request.nth == 0 => serve(request, &data).then(Then::Cut(30_000)),
            "/elsewhere" => serve(request, &data),
            path if path.ends_with(NAME) => Reply::new(302, "").header("Location", "/elsewhere"),
            _ => Reply::not_found(),
        }
    });
    let dir = folder();
    run(&conf(&server, dir.path())).0.unwrap();
    assert_only(dir.path(), &data);
    assert_eq!(server.seen_for("/elsewhere")[1].header("range"), Some("bytes=30000-"));

    for (to, cause) in [("/xwiki/again", "too many redirects"), ("ftp://127.0.0.1/x", "ftp")] {
        let server = Server::new(move |_| Reply::new(302, "").header("Location", to));
        assert_says(&text(run(&conf(&server, dir.path())).0), &["no answer (", cause]);
        assert!(server.seen().len() <= 11);
    }
}
