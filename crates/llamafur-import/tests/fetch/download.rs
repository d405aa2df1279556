//! What goes well: one file or several, found and fetched.

use super::*;

#[test]
fn a_plain_download() {
    let data = bytes(300_000, 1);
    let server = site(&data, serve);
    let dir = folder();
    let out = dir.path().join("made/by/it");
    let (dump, seen) = run(&conf(&server, &out).date(DATE));
    let dump = dump.unwrap();
    assert_eq!((dump.wiki.as_str(), dump.date.as_str(), dump.files.len()), ("xwiki", DATE, 1));
    let file = &dump.files[0];
    assert_eq!((&file.file, file.bytes, file.how), (&out.join(NAME), 300_000, How::Downloaded));
    assert_only(&out, &data);
    assert_eq!(seen.starts, [(Task::Download { file: NAME.into() }, Some(300_000))]);
    assert_eq!((seen.advanced, seen.finished), (300_000, 1));
    assert_eq!(server.seen().len(), 2, "one request for the sums, one for the file");
    assert_eq!(server.seen_for(NAME)[0].header("range"), None);
}

#[test]
fn the_date_comes_from_the_newest_sums() {
    let data = bytes(1000, 2);
    let server = site(&data, serve);
    for settings in [|conf: FetchConf| conf, |conf: FetchConf| conf.date("latest")] {
        let dir = folder();
        let dump = run(&settings(conf(&server, dir.path()))).0.unwrap();
        assert_eq!(dump.date, DATE);
        assert_only(dir.path(), &data);
    }
    assert_eq!(server.seen()[0].path, LATEST);
}

#[test]
fn an_unfinished_newest_dump_gives_way_to_the_one_before() {
    let data = bytes(1000, 3);
    let copy = data.clone();
    let server = Server::new(move |request| match request.path.as_str() {
        LATEST => sums(&[("xwiki-20260920-site_stats.sql.gz", b"s")]),
        "/xwiki/" => Reply::new(200, "<a href=\"20260801/\"><a href=\"20260901/\"><a href=\"20260920/\">"),
        SUMS => sums(&[(NAME, &copy)]),
        path if path.ends_with(NAME) => serve(request, &copy),
        _ => Reply::not_found(),
    });
    let dir = folder();
    let (dump, seen) = run(&conf(&server, dir.path()));
    assert_eq!(dump.unwrap().date, DATE);
    assert!(seen.noted("OlderDump { date: \"20260901\" }"), "{:?}", seen.notes);
    assert_only(dir.path(), &data);
}

#[test]
fn the_user_agent_has_name_version_and_contact() {
    let server = site(b"x", serve);
    let dir = folder();
    run(&conf(&server, dir.path())).0.unwrap();
    run(&conf(&server, &dir.path().join("b")).contact("me@example.org")).0.unwrap();
    let agents: Vec<String> =
        server.seen().iter().map(|request| request.header("user-agent").unwrap().to_owned()).collect();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(agents[0], format!("llamafur/{version} (https://github.com/llamafur/llamafur; ureq)"));
    assert_eq!(agents[1], agents[0]);
    assert_eq!(agents[3], format!("llamafur/{version} (me@example.org; ureq)"));
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let data = bytes(10_000, 17);
    let server = site(&data, serve);
    let dir = folder();
    fs::write(dir.path().join(NAME), &data).unwrap();
    let (dump, seen) = run(&conf(&server, dir.path()));
    let file = &dump.unwrap().files[0];
    assert_eq!((file.how, file.bytes), (How::AlreadyThere, 10_000));
    assert_eq!(server.seen_for(NAME).len(), 0);
    assert_eq!((seen.starts[0].1, seen.advanced), (Some(10_000), 10_000));
    assert_only(dir.path(), &data);
}

fn part_names() -> Vec<String> {
    (1..=7).map(|n| format!("xwiki-{DATE}-pages-articles-multistream{n}.xml-p{n}0p{n}9.bz2")).collect()
}

#[test]
fn parts_come_three_at_a_time_and_never_more() {
    let list = part_names();
    let gate = Arc::new((Mutex::new(0), Condvar::new()));
    let server = Server::new(move |request| {
        let at = list.iter().position(|name| request.path.ends_with(name.as_str()));
        match at {
            Some(at) if request.method == "GET" => {
                // Nobody gets an answer before three have asked; a fourth would be counted by the server.
                let (count, changed) = &*gate;
                *count.lock().unwrap() += 1;
                changed.notify_all();
                let waited =
                    changed.wait_timeout_while(count.lock().unwrap(), Duration::from_secs(10), |n| *n < 3);
                assert!(!waited.unwrap().1.timed_out(), "three never asked at once");
                serve(request, &bytes(60_000 + at, at as u64))
            }
            Some(at) => serve(request, &bytes(60_000 + at, at as u64)),
            None if request.path == SUMS => {
                let data: Vec<Vec<u8>> = (0..list.len()).map(|at| bytes(60_000 + at, at as u64)).collect();
                sums(
                    &list
                        .iter()
                        .zip(&data)
                        .map(|(name, data)| (name.as_str(), &data[..]))
                        .collect::<Vec<_>>(),
                )
            }
            None => Reply::not_found(),
        }
    });
    let dir = folder();
    let (dump, seen) = run(&conf(&server, dir.path()).date(DATE));
    let files = dump.unwrap().files;
    let expected: Vec<PathBuf> = part_names().iter().map(|name| dir.path().join(name)).collect();
    assert_eq!(
        files.iter().map(|file| file.file.clone()).collect::<Vec<_>>(),
        expected,
        "in the order of pages"
    );
    assert_eq!(listing(dir.path()), part_names());
    assert_eq!(server.most_at_once(), 3);
    let total = (0..7).map(|at| 60_000 + at).sum::<u64>();
    assert_eq!(seen.starts, [(Task::DownloadAll { files: 7 }, None)]);
    assert_eq!((seen.advanced, seen.finished), (total, 1));
}

#[test]
fn the_status_of_the_dump_knows_lengths_and_missing_parts() {
    for job in ["done", "in-progress"] {
        let list = part_names();
        let server = Server::new(move |request| {
            let files: String =
                list.iter().map(|name| format!(r#""{name}":{{"size":1}},"#)).collect::<String>()
                    + r#""z":{}"#;
            match request.path.rsplit('/').next().unwrap() {
                "dumpstatus.json" => Reply::new(
                    200,
                    format!(
                        r#"{{"jobs":{{"articlesmultistreamdump":{{"status":"{job}","files":{{{files}}}}}}}}}"#
                    ),
                ),
                name if list.iter().any(|part| part == name) => serve(request, b"x"),
                _ if request.path == SUMS => {
                    sums(&list.iter().map(|name| (name.as_str(), &b"x"[..])).collect::<Vec<_>>())
                }
                _ => Reply::not_found(),
            }
        });
        let dir = folder();
        let (dump, seen) = run(&conf(&server, dir.path()).date(DATE));
        if job == "done" {
            assert_eq!(dump.unwrap().files.len(), 7);
            assert_eq!(seen.starts[0].1, Some(7));
            assert!(server.seen().iter().all(|request| request.method == "GET"));
            assert!(server.most_at_once() <= 3);
        } else {
            assert_says(
                &text(dump),
                &["not finished", "the last of its numbered parts", "setting: \"date\""],
            );
        }
    }
}

#[test]
fn one_failure_ends_all_downloads_and_keeps_what_came() {
    let list = part_names();
    let server = Server::new(move |request| match request.path.rsplit('/').next().unwrap() {
        // One stalls for as long as the client lets it, far longer than a test may take.
        name if name == list[0] => serve(request, &bytes(5000, 1)).then(Then::Stall(4000)),
        name if name == list[1] => Reply::new(403, ""),
        _ if request.path == SUMS => sums(&[(&list[0], &bytes(5000, 1)), (&list[1], b"x")]),
        _ => Reply::not_found(),
    });
    let dir = folder();
    let (dump, _) = run(&conf(&server, dir.path()).date(DATE).stall(Duration::from_secs(3600)));
    assert_says(&text(dump), &["multistream2.xml", "answered 403", "setting: \"contact\""]);
    assert!(listing(dir.path()).contains(&format!("{}.part", part_names()[1])));
}

#[test]
fn a_mirror_may_have_a_path() {
    let data = bytes(1000, 19);
    for end in ["/pub/mirror", "/pub/mirror/"] {
        let copy = data.clone();
        let server = Server::new(move |request| match request.path.strip_prefix("/pub/mirror") {
            Some(LATEST) => sums(&[(NAME, &copy)]),
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
            LATEST => sums(&[(NAME, &data)]),
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

    for (to, cause) in [("/xwiki/latest/again", "redirects in a row"), ("ftp://127.0.0.1/x", "ftp")] {
        let server = Server::new(move |_| Reply::new(302, "").header("Location", to));
        assert_says(&text(run(&conf(&server, dir.path())).0), &["no answer (", cause]);
        assert!(server.seen().len() <= 6);
    }
}
