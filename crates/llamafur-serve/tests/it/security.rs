//! What must be refused, and what every answer says to browsers.

use crate::client::{Running, toy};
use llamafur_serve::ServeConf;

#[test]
fn foreign_names_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::start(ServeConf::new([toy(dir.path())]).hosts(["Wiki.Example".into()]));
    for host in ["evil.example", "evil.example:8080", "localhost.evil.example", "10.0.0.1"] {
        let answer = server.send(&format!("GET /api/v1/corpora HTTP/1.1\r\nhost: {host}"), "");
        assert!(answer.is_problem(421), "{host}: {}", answer.status);
    }
    for host in ["localhost", "127.0.0.1:1", "[::1]:80", "wiki.example"] {
        assert_eq!(server.send(&format!("GET /healthz HTTP/1.1\r\nhost: {host}"), "").status, 200, "{host}");
    }
    assert!(matches!(server.send("GET /healthz HTTP/1.1\r\nx: y", "").status, 400 | 421));
    let two = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: evil.example";
    assert!(matches!(server.send(two, "").status, 400 | 421));
}

#[test]
fn requests_of_other_sites_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    for header in ["origin: https://evil.example", "sec-fetch-site: cross-site", "origin: null"] {
        let head = format!("POST /api/v1/rank HTTP/1.1\r\nhost: localhost\r\n{header}");
        assert!(server.send(&head, "{}").is_problem(403), "{header}");
    }
    let own = format!("POST /api/v1/rank HTTP/1.1\r\nhost: {0}\r\norigin: http://{0}", server.address);
    assert_eq!(server.send(&own, "{}").status, 405);
}

#[test]
fn other_sites_start_no_work() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::start(ServeConf::new([toy(dir.path())]).cors(["https://friend.example".into()]));
    let ask = |path: &str, headers: &str| {
        server.send(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: {headers}"), "")
    };
    assert!(ask("/api/v1/top", "cross-site").is_problem(403));
    assert!(ask("/api/v1/rank?page=Jupiter", "cross-site\r\norigin: https://evil.example").is_problem(403));
    let friend = "cross-site\r\norigin: https://friend.example";
    assert_eq!(ask("/api/v1/rank?page=Jupiter", friend).status, 200);
    assert_eq!(ask("/api/v1/rank?page=Jupiter", "same-origin").status, 200);
    // A link on another site leads to the page.
    assert_eq!(ask("/toy/read/Jupiter", "cross-site").status, 200);
}

#[test]
fn work_is_started_only_by_requests_that_other_sites_cannot_send() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::start(
        ServeConf::new([toy(dir.path())]).hosts(["wiki.lan".into()]).cors(["https://friend.example".into()]),
    );
    // Over plain HTTP browsers say of an image on a page of another site nothing but its address.
    let ask = |path: &str, headers: &str| {
        server.send(&format!("GET {path} HTTP/1.1\r\nhost: wiki.lan{headers}"), "")
    };
    let works = [
        "/api/v1/top",
        "/api/v1/rank?page=Jupiter&scorer=aa%2Bra",
        "/api/v1/explain?source=Jupiter&target=Fish&scorer=aa%2Bjaccard",
        "/api/v1/random?scorer=ra%2Bjaccard",
        "/api/v1/distribution?scorer=aa%2Bcn",
    ];
    for path in works {
        let refused = ask(path, "");
        assert!(refused.is_problem(403), "{path}: {}", refused.text());
        assert!(refused.json()["advice"].as_str().unwrap().contains("X-Requested-With"));
    }
    for path in ["/api/v1/rank?page=Jupiter", "/api/v1/distribution", "/api/v1/category?name=Planets"] {
        assert_eq!(ask(path, "").status, 200, "what is open is free to all");
    }
    for path in works {
        let started = ask(path, "\r\nx-requested-with: me");
        assert!(matches!(started.status, 200 | 202), "{path}: {}", started.text());
        assert_eq!(server.get(path).status, 200, "{path}");
        assert_eq!(ask(path, "").status, 200, "{path}: what was made is free to all");
    }
    assert!(matches!(ask("/api/v1/top?per_page=1", "\r\nsec-fetch-site: same-origin").status, 200 | 202));
    // A script of another site is not allowed the header, unless the site is.
    let preflight = |origin: &str| {
        let head = format!("OPTIONS /api/v1/top HTTP/1.1\r\nhost: wiki.lan\r\norigin: {origin}");
        let asks = "access-control-request-method: GET\r\naccess-control-request-headers: x-requested-with";
        let answer = server.send(&format!("{head}\r\n{asks}"), "");
        let allowed = ["access-control-allow-origin", "access-control-allow-headers"]
            .map(|name| answer.header(name).to_owned());
        (allowed[0] == origin, allowed[1].clone())
    };
    assert_eq!(preflight("https://friend.example"), (true, "x-requested-with".to_owned()));
    assert!(!preflight("https://evil.example").0);
}

#[test]
fn other_origins_read_nothing_unless_they_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let place = toy(dir.path());
    let ask = |server: &Running, origin: &str| {
        let head = format!("GET /api/v1/corpora HTTP/1.1\r\nhost: localhost\r\norigin: {origin}");
        server.send(&head, "").header("access-control-allow-origin").to_owned()
    };
    let closed = Running::start(ServeConf::new([place.clone()]));
    assert_eq!(ask(&closed, "https://friend.example"), "");
    assert!(closed.send("OPTIONS /api/v1/corpora HTTP/1.1\r\nhost: localhost", "").is_problem(405));
    let server = Running::start(ServeConf::new([place]).cors(["https://friend.example".into()]));
    assert_eq!(ask(&server, "https://friend.example"), "https://friend.example");
    assert_eq!(ask(&server, "https://evil.example"), "");
}

#[test]
fn every_answer_is_guarded() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    for path in ["/", "/toy/read/Jupiter", "/api/v1/corpora", "/api/v1/rank", "/nothing.js", "/healthz"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("script-src 'self'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe-eval") && !policy.contains("script-src 'self' 'unsafe-inline'"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
    }
}

#[test]
fn no_path_leads_out_of_the_folders() {
    let dir = tempfile::tempdir().unwrap();
    let place = toy(dir.path());
    let report = place.join("report");
    std::fs::create_dir(&report).unwrap();
    std::fs::write(report.join("files.txt"), "Files of a report\nindex.html\n../manifest.json\n").unwrap();
    std::fs::write(report.join("index.html"), "<p>report</p>").unwrap();
    std::fs::write(report.join("secret.txt"), "not of the report").unwrap();
    let server = Running::start(ServeConf::new([place]));
    let index = server.get("/report/toy/");
    assert_eq!((index.status, index.text()), (200, "<p>report</p>".to_owned()));
    assert!(!index.header("content-security-policy").contains("script-src"));
    for path in [
        "/report/toy/secret.txt",
        "/report/toy/../manifest.json",
        "/report/toy/%2e%2e/manifest.json",
        "/report/toy/..%2fmanifest.json",
        "/report/toy//etc/passwd",
        "/report/toy/%2fetc%2fpasswd",
        "/assets/../../../../etc/passwd",
        "/assets/%2e%2e%2f%2e%2e%2fetc/passwd",
    ] {
        assert!(server.get(path).is_problem(404), "{path}: {}", server.get(path).status);
    }
}

#[cfg(unix)]
#[test]
fn files_behind_symbolic_links_are_no_files_of_a_report() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let place = toy(dir.path());
    let (report, outside) = (place.join("report"), dir.path().join("outside"));
    std::fs::create_dir_all(outside.join("folder")).unwrap();
    std::fs::write(outside.join("folder/secret.txt"), "not of the report").unwrap();
    std::fs::write(outside.join("files.txt"), "secret.txt\n").unwrap();
    std::fs::create_dir_all(report.join("own")).unwrap();
    std::fs::write(report.join("own/page.html"), "<p>own</p>").unwrap();
    std::fs::create_dir(report.join("empty.html")).unwrap();
    symlink(outside.join("folder/secret.txt"), report.join("passwd")).unwrap();
    symlink(outside.join("folder"), report.join("folder")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(report.join("pipe")).status();
    assert!(pipe.unwrap().success());
    let list = "own/page.html\npasswd\nfolder/secret.txt\nempty.html\npipe\n";
    std::fs::write(report.join("files.txt"), list).unwrap();
    let server = Running::start(ServeConf::new([place]));
    assert_eq!(server.get("/report/toy/own/page.html").text(), "<p>own</p>");
    for file in ["passwd", "folder/secret.txt", "empty.html", "pipe", "own", "own/page.html/x"] {
        let answer = server.get(&format!("/report/toy/{file}"));
        assert!(answer.is_problem(404), "{file}: {}", answer.text());
    }
    // Neither may the list be a link, nor the folder.
    std::fs::remove_file(report.join("files.txt")).unwrap();
    symlink(outside.join("files.txt"), report.join("files.txt")).unwrap();
    assert!(server.get("/report/toy/own/page.html").is_problem(404));
    std::fs::remove_dir_all(&report).unwrap();
    std::fs::write(outside.join("secret.txt"), "not of the report").unwrap();
    symlink(&outside, &report).unwrap();
    assert!(server.get("/report/toy/secret.txt").is_problem(404));
    assert_eq!(server.json("/api/v1/corpora")["corpora"][0]["report"], false);
}

#[test]
fn the_folders_of_the_server_are_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let folder = dir.path().display().to_string();
    for path in [
        "/api/v1/rank?page=Jupiter&scorer=naive",
        "/api/v1/scorers",
        "/api/v1/rank?page=Jupiter",
        "/api/v1/top",
    ] {
        let text = server.get(path).text();
        assert!(!text.contains(&folder), "{path}: {text}");
    }
    assert!(server.get("/api/v1/scorers").text().contains("toy.corpus/models/naive"));
}

#[test]
fn what_is_too_large_or_malformed_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::toy(dir.path());
    let long = "x".repeat(70_000);
    assert_eq!(server.get(&format!("/api/v1/rank?page={long}")).status, 414);
    let longer = "x".repeat(300_000);
    assert!(matches!(server.get(&format!("/api/v1/rank?page={longer}")).status, 400 | 414 | 431));
    let bad = server.get("/api/v1/rank?page=%FF%FE");
    assert!(bad.status == 400 || bad.status == 404, "{}", bad.status);
    assert_eq!(server.send("NONSENSE", "").status, 400);
    assert_eq!(server.get("/healthz").status, 200);
}
