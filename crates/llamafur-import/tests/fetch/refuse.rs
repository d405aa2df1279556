//! What cannot go well, and how it is said.

use super::*;

#[test]
fn servers_busy_without_end_are_left() {
    let dir = folder();
    let server = site(b"x", |_, _| Reply::new(503, ""));
    let text = text(run(&conf(&server, dir.path())).0);
    assert_says(&text, &[NAME, "status 503", "do the same again, which resumes"]);
    assert_eq!(server.seen_for(NAME).len(), 8);
}

#[test]
fn a_wrong_checksum_leaves_nothing() {
    let data = bytes(50_000, 15);
    let server = site(&data, |request, _| serve(request, &bytes(50_000, 16)));
    let dir = folder();
    let (dump, _) = run(&conf(&server, dir.path()));
    let (found, expected) = (sha1(&bytes(50_000, 16)), sha1(&data));
    assert_says(&text(dump), &[NAME, &found, &expected, "it was deleted"]);
    assert_eq!(listing(dir.path()), [] as [&str; 0]);
    assert_eq!(server.seen_for(NAME).len(), 1);

    // A body without a length that was cut looks whole.
    let server = site(&data, |request, data| {
        let mut reply = Reply::new(200, data);
        reply.no_length = true;
        if request.nth == 0 { reply.then(Then::Cut(9)) } else { reply }
    });
    assert_says(&text(run(&conf(&server, dir.path())).0), &["it was deleted", "do the same again"]);
    run(&conf(&server, dir.path())).0.unwrap();
    assert_only(dir.path(), &data);
}

#[test]
fn a_wrong_file_is_refused() {
    let data = bytes(10_000, 18);
    let server = site(&data, serve);
    let dir = folder();
    fs::write(dir.path().join(NAME), "something else").unwrap();
    let (dump, _) = run(&conf(&server, dir.path()));
    assert_says(
        &text(dump),
        &[NAME, &sha1(b"something else"), &sha1(&data), "move it away", "setting: \"out\""],
    );
    assert_only(dir.path(), b"something else");
    assert_eq!(server.seen_for(NAME).len(), 0);
}

#[test]
fn a_second_downloader_of_the_same_file_says_so() {
    let server = site(b"x", serve);
    let dir = folder();
    let part = fs::File::create(dir.path().join(format!("{NAME}.part"))).unwrap();
    part.lock().unwrap();
    assert_says(&text(run(&conf(&server, dir.path())).0), &[".part", "another process is downloading"]);
    assert_eq!(server.seen_for(NAME).len(), 0);
    drop(part);
    run(&conf(&server, dir.path())).0.unwrap();
    assert_only(dir.path(), b"x");
}

#[test]
fn unknown_wikis_and_dates() {
    let dir = folder();
    let server = Server::new(|_| Reply::not_found());
    for settings in [conf(&server, dir.path()), conf(&server, dir.path()).date(DATE)] {
        let text = text(run(&settings).0);
        assert_says(&text, &["no dumps of `xwiki`", "`simplewiki`, `enwiki` or `dewiki`", &server.url()]);
    }
    let server = Server::new(|request| match request.path.as_str() {
        FOLDER => listing_of(&["20260801", "20260820"]),
        _ => Reply::not_found(),
    });
    let text = text(run(&conf(&server, dir.path()).date(DATE)).0);
    let others = "\"date\", to: [\"20260820\", \"20260801\"]";
    assert_says(&text, &[FOLDER, "the dump of `xwiki` of 20260901 is not there", others]);
}

#[test]
fn an_unfinished_dump_says_which_dates_to_try() {
    let dir = folder();
    let server = Server::new(|request| match request.path.as_str() {
        SUMS => sums(&[("xwiki-20260901-pages-articles-multistream-index.txt.bz2", b"i")]),
        FOLDER => listing_of(&["20260801", "20260820", DATE]),
        _ => Reply::not_found(),
    });
    for dated in [false, true] {
        let settings = conf(&server, dir.path());
        let text = text(run(&if dated { settings.date(DATE) } else { settings }).0);
        // Older dumps are tried unless a date was asked for.
        let others = if dated { "to: [\"20260820\", \"20260801\"]" } else { "later" };
        assert_says(&text, &["`xwiki` of 20260901 is not there or not finished", others]);
    }
}

#[test]
fn missing_and_forbidden_files_are_errors_at_once() {
    for status in [404, 403, 400] {
        let dir = folder();
        let server = site(b"x", move |_, _| Reply::new(status, "no"));
        let text = text(run(&conf(&server, dir.path())).0);
        assert_says(&text, &[NAME, &format!("answered {status}, expected 200"), "later", "base_url"]);
        assert_eq!(server.seen_for(NAME).len(), 1);
    }
}

#[test]
fn bad_settings_are_refused_without_a_request() {
    let dir = folder();
    let server = site(b"x", serve);
    let good = || conf(&server, dir.path());
    let url = server.url();
    let named = |wiki: &str| FetchConf::new(wiki).base_url(url.clone()).out(dir.path());
    for wiki in ["", "..", "../xwiki", "x/wiki", "XWiki", "x wiki", "1wiki", "xwiki\r\n"] {
        assert_says(&text(run(&named(wiki)).0), &["wiki must be", "simplewiki"]);
    }
    for date in ["", "2026", "2026-09-01", "2026090a", "../20260901", "latest"] {
        assert_says(&text(run(&good().date(date)).0), &["date must be", "20260901"]);
    }
    for base in ["", "ftp://example.org", "example.org", "http://"] {
        assert_says(
            &text(run(&good().base_url(base)).0),
            &["base_url must be", "the http or https address of a mirror"],
        );
    }
    assert_eq!(server.seen().len(), 0);
}

#[test]
fn names_that_lead_elsewhere_are_not_taken() {
    let dir = folder();
    let out = dir.path().join("out");
    let server = Server::new(|request| match request.path.as_str() {
        FOLDER => listing_of(&["../evil", "../../..", DATE]),
        SUMS => sums(&[("../evil", b"x"), (&format!("../{NAME}"), b"x"), (NAME, b"x")]),
        _ => serve(request, b"x"),
    });
    run(&conf(&server, &out)).0.unwrap();
    assert_only(&out, b"x");
    assert_eq!(listing(dir.path()), ["out"]);
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn no_server_no_waiting() {
    let dir = folder();
    // A port that is never given out and on which nobody has listened for decades.
    let port = 1;
    let conf = FetchConf::new("xwiki").base_url(format!("http://127.0.0.1:{port}")).out(dir.path());
    let conf = conf.for_tests(Duration::from_secs(20), Duration::from_secs(20));
    assert_says(&text(run(&conf).0), &["no answer (", "refused", "check the network"]);
}

#[test]
fn folders_that_cannot_be_written_are_named() {
    let server = site(b"x", serve);
    let dir = folder();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let mut bad = vec![file.clone(), file.join("below")];
    if cfg!(target_os = "linux") {
        // Nobody can make files there, not even root.
        bad.push(PathBuf::from("/proc"));
    }
    let locked = dir.path().join("locked");
    fs::create_dir(&locked).unwrap();
    let mut rights = fs::metadata(&locked).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(&locked, rights).unwrap();
    // Root may write everywhere, and then there is nothing to see here.
    if fs::write(locked.join("probe"), "").is_err() {
        bad.push(locked);
    }
    for out in bad {
        let text = text(run(&conf(&server, &out)).0);
        assert_says(&text, &[out.to_str().unwrap(), "cannot be written", "setting: \"out\""]);
    }
    assert_eq!(server.seen_for(NAME).len(), 0);
}

#[test]
fn a_folder_in_the_place_of_the_file_is_named() {
    let server = site(b"x", serve);
    let dir = folder();
    fs::create_dir(dir.path().join(NAME)).unwrap();
    assert_says(&text(run(&conf(&server, dir.path())).0), &[NAME, "cannot be read", "directory"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_and_the_part_stays() {
    let server = site(b"x", serve);
    let dir = folder();
    let part = dir.path().join(format!("{NAME}.part"));
    std::os::unix::fs::symlink("/dev/full", &part).unwrap();
    // The device is the same for everybody, so a second run of the tests on this machine may hold its lock.
    let error = loop {
        match run(&conf(&server, dir.path())).0.unwrap_err() {
            FetchError::Busy { .. } => std::thread::yield_now(),
            error => break text(Err(error)),
        }
    };
    assert_says(&error, &[".part", "the disk is full", "which resumes"]);
    assert!(fs::symlink_metadata(&part).is_ok());
}
