//! What goes well in the end: cuts, stalls, busy servers, files that change.

use super::*;

#[test]
fn cut_connections_are_resumed() {
    let data = bytes(300_000, 4);
    let server = site(&data, |request, data| {
        let reply = serve(request, data);
        if request.nth < 5 { reply.then(Then::Cut(40_000)) } else { reply }
    });
    let dir = folder();
    let (dump, seen) = run(&conf(&server, dir.path()));
    dump.unwrap();
    assert_only(dir.path(), &data);
    assert_eq!(seen.advanced, 300_000);
    let requests = server.seen_for(NAME);
    let ranges: Vec<Option<&str>> = requests.iter().map(|request| request.header("range")).collect();
    let expected = ["bytes=40000-", "bytes=80000-", "bytes=120000-", "bytes=160000-", "bytes=200000-"];
    assert_eq!(ranges[0], None);
    assert_eq!(ranges[1..], expected.map(Some));
    assert!(seen.noted("Peer disconnected"), "{:?}", seen.notes);
}

#[test]
fn a_connection_cut_before_the_answer_is_tried_again() {
    let data = bytes(1000, 5);
    let server = site(&data, |request, data| match request.nth {
        // Headers that promise a body, of which nothing comes.
        0 | 1 => Reply::new(200, "x".repeat(9)).then(Then::Cut(0)),
        _ => serve(request, data),
    });
    let dir = folder();
    run(&conf(&server, dir.path())).0.unwrap();
    assert_only(dir.path(), &data);
}

#[test]
fn a_server_that_cannot_resume_sends_all_again() {
    let data = bytes(200_000, 6);
    let server = site(&data, |request, data| {
        let reply = Reply::new(200, data);
        if request.nth == 0 { reply.then(Then::Cut(90_000)) } else { reply }
    });
    let dir = folder();
    let (dump, seen) = run(&conf(&server, dir.path()));
    dump.unwrap();
    assert_only(dir.path(), &data);
    assert_eq!(seen.advanced, 200_000, "bytes that come twice count once");
    assert_eq!(server.seen_for(NAME)[1].header("range"), Some("bytes=90000-"));
}

#[test]
fn a_file_that_changed_in_between_is_begun_anew() {
    // The old version on the server, cut off; the sums are those of the new one.
    let data = bytes(200_000, 7);
    let server = site(&data, |request, data| match request.nth {
        0 => serve(request, &bytes(150_000, 8)).then(Then::Cut(70_000)),
        _ => serve(request, data),
    });
    let dir = folder();
    assert_begun_anew(&server, dir.path(), &data);
}

/// Checks that the first call deletes what has the wrong checksum, and that the second one has the file.
fn assert_begun_anew(server: &Server, out: &Path, data: &[u8]) {
    assert_says(
        &text(run(&conf(server, out)).0),
        &[NAME, &sha1(data), "it was deleted", "do the same again"],
    );
    assert_eq!(listing(out), [] as [&str; 0]);
    run(&conf(server, out)).0.unwrap();
    assert_only(out, data);
}

#[test]
fn another_range_than_asked_for_is_not_glued() {
    let data = bytes(100_000, 9);
    let server = site(&data, move |request, data| match request.header("range") {
        Some(_) => Reply::new(206, &data[40_000..]).header("Content-Range", "bytes 40000-99999/100000"),
        None if request.nth == 0 => serve(request, data).then(Then::Cut(50_000)),
        None => serve(request, data),
    });
    let dir = folder();
    assert_begun_anew(&server, dir.path(), &data);
}

#[test]
fn an_unsatisfiable_range_means_whole_or_begun_anew() {
    let data = bytes(50_000, 10);
    let server = site(&data, serve);
    let longer = [data.clone(), vec![0; 10]].concat();
    for (part, whole) in [(&data, true), (&longer, false)] {
        let dir = folder();
        fs::write(dir.path().join(format!("{NAME}.part")), part).unwrap();
        if whole {
            run(&conf(&server, dir.path())).0.unwrap();
            assert_only(dir.path(), &data);
        } else {
            assert_begun_anew(&server, dir.path(), &data);
        }
    }
}

#[test]
fn busy_servers_are_asked_again() {
    for status in [429, 503] {
        let data = bytes(1000, 11);
        let server = site(&data, move |request, data| match request.nth {
            0 => Reply::new(status, "later"),
            _ => serve(request, data),
        });
        let dir = folder();
        let (dump, seen) = run(&conf(&server, dir.path()));
        dump.unwrap();
        assert_only(dir.path(), &data);
        assert!(seen.noted(&format!("status {status}")), "{:?}", seen.notes);
        assert_eq!(server.seen_for(NAME).len(), 2);
    }
}

#[test]
fn a_stalled_server_is_asked_again() {
    let data = bytes(200_000, 12);
    let server = site(&data, |request, data| {
        let reply = serve(request, data);
        if request.nth == 0 { reply.then(Then::Stall(80_000)) } else { reply }
    });
    let dir = folder();
    let (dump, seen) = run(&conf(&server, dir.path()).for_tests(Duration::from_millis(300), Duration::ZERO));
    dump.unwrap();
    assert_only(dir.path(), &data);
    assert!(seen.noted("timeout"), "{:?}", seen.notes);
    assert!(server.seen_for(NAME).iter().any(|request| request.header("range").is_some()));
}

#[test]
fn a_second_call_resumes_where_the_first_gave_up() {
    let data = bytes(200_000, 13);
    let server = site(&data, |request, data| match request.nth {
        0 => serve(request, data).then(Then::Cut(60_000)),
        1..=7 => serve(request, data).then(Then::Cut(0)),
        _ => serve(request, data),
    });
    let dir = folder();
    let conf = conf(&server, dir.path());
    let (dump, seen) = run(&conf);
    assert_says(&text(dump), &[NAME, "no answer (Peer disconnected)", "do the same again, which resumes"]);
    assert_eq!((seen.advanced, seen.finished), (60_000, 1));
    assert_eq!(listing(dir.path()), [format!("{NAME}.part")]);
    let before = server.seen_for(NAME).len();
    assert_eq!(before, 8);
    let (dump, seen) = run(&conf);
    dump.unwrap();
    assert_only(dir.path(), &data);
    assert_eq!((seen.starts[0].1, seen.advanced), (Some(200_000), 200_000));
    assert!(seen.noted("bytes: 60000"), "{:?}", seen.notes);
    let after = &server.seen_for(NAME)[before..];
    assert_eq!(after.len(), 1);
    assert_eq!(after[0].header("range"), Some("bytes=60000-"));
}

#[test]
fn a_part_of_another_file_is_begun_anew() {
    let data = bytes(1000, 14);
    let server = site(&data, serve);
    let dir = folder();
    fs::write(dir.path().join(format!("{NAME}.part")), "what is this").unwrap();
    assert_begun_anew(&server, dir.path(), &data);
}
