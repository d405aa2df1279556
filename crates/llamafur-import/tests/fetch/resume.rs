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
    assert_eq!(dump.unwrap().how, How::Downloaded);
    assert_only(dir.path(), &data);
    assert_eq!(seen.advanced, 300_000);
    let requests = server.seen_for(NAME);
    let ranges: Vec<Option<&str>> = requests.iter().map(|request| request.header("range")).collect();
    let expected = ["bytes=40000-", "bytes=80000-", "bytes=120000-", "bytes=160000-", "bytes=200000-"];
    assert_eq!(ranges[0], None);
    assert_eq!(ranges[1..], expected.map(Some));
    assert!(seen.noted("the connection was cut"), "{:?}", seen.notes);
}

#[test]
fn a_connection_cut_before_the_answer_is_tried_again() {
    let data = bytes(1000, 5);
    let copy = data.clone();
    let server = Server::new(move |request| match request.nth {
        // Headers that promise a body, of which nothing comes.
        0 | 1 => Reply::new(200, "x".repeat(9)).then(Then::Cut(0)),
        _ if request.path == LATEST => sums(&[(NAME, &copy)]),
        _ => serve(request, &copy),
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
    assert!(seen.restarted(Restart::CannotResume), "{:?}", seen.notes);
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
    let (dump, seen) = run(&conf(&server, dir.path()));
    assert_eq!(dump.unwrap().how, How::Downloaded);
    assert_only(dir.path(), &data);
    assert!(seen.restarted(Restart::WrongChecksum), "{:?}", seen.notes);
}

#[test]
fn a_wrong_content_range_is_not_glued() {
    let data = bytes(100_000, 9);
    let wrong = ["bytes 0-99999/100000", "bytes 50001-99999/100000", "bytes 50000", "nonsense"];
    for range in wrong {
        let server = site(&data, move |request, data| match request.header("range") {
            Some(_) => Reply::new(206, &data[50_000..]).header("Content-Range", range),
            None if request.nth == 0 => serve(request, data).then(Then::Cut(50_000)),
            None => serve(request, data),
        });
        let dir = folder();
        let (dump, seen) = run(&conf(&server, dir.path()));
        dump.unwrap();
        assert_only(dir.path(), &data);
        assert!(seen.restarted(Restart::OtherPart), "{range}: {:?}", seen.notes);
    }
}

#[test]
fn an_unsatisfiable_range_means_whole_or_begun_anew() {
    let data = bytes(50_000, 10);
    let server = site(&data, serve);
    let longer = [data.clone(), vec![0; 10]].concat();
    for (part, how) in [(&data, How::Resumed), (&longer, How::Downloaded)] {
        let dir = folder();
        fs::write(dir.path().join(format!("{NAME}.part")), part).unwrap();
        let (dump, _) = run(&conf(&server, dir.path()));
        assert_eq!(dump.unwrap().how, how);
        assert_only(dir.path(), &data);
    }
}

#[test]
fn busy_servers_are_waited_for() {
    for status in [429, 503] {
        let data = bytes(1000, 11);
        let server = site(&data, move |request, data| match request.nth {
            0 => Reply::new(status, "later").header("Retry-After", "1"),
            _ => serve(request, data),
        });
        let dir = folder();
        let (dump, seen) = run(&conf(&server, dir.path()));
        dump.unwrap();
        assert_only(dir.path(), &data);
        assert!(seen.noted("seconds: 1"), "{:?}", seen.notes);
        let requests = server.seen_for(NAME);
        assert_eq!(requests.len(), 2);
        assert!(requests[1].at - requests[0].at >= Duration::from_secs(1));
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
    let (dump, seen) = run(&conf(&server, dir.path()).stall(Duration::from_millis(300)));
    dump.unwrap();
    assert_only(dir.path(), &data);
    assert!(seen.noted("the connection stalled"), "{:?}", seen.notes);
    assert!(server.seen_for(NAME).iter().any(|request| request.header("range").is_some()));
}

#[test]
fn a_second_call_resumes_where_the_first_gave_up() {
    let data = bytes(200_000, 13);
    let server = site(&data, |request, data| match request.nth {
        0 => serve(request, data).then(Then::Cut(60_000)),
        1..=3 => serve(request, data).then(Then::Cut(0)),
        _ => serve(request, data),
    });
    let dir = folder();
    let conf = conf(&server, dir.path()).tries(3);
    let (dump, seen) = run(&conf);
    assert_says(
        &text(dump),
        &["3 tries in a row", "the connection was cut", "do the same again, which resumes"],
    );
    assert_eq!((seen.advanced, seen.finished), (60_000, 1));
    assert_eq!(listing(dir.path()), [format!("{NAME}.part")]);
    let before = server.seen_for(NAME).len();
    let (dump, seen) = run(&conf);
    assert_eq!(dump.unwrap().how, How::Resumed);
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
    assert_eq!(run(&conf(&server, dir.path())).0.unwrap().how, How::Downloaded);
    assert_only(dir.path(), &data);
}
