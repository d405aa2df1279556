//! Rows of SQL dumps, written by hand and at random.

use super::super::Pieces;
use super::*;
use proptest::prelude::*;

type Rows = Vec<Vec<Option<Vec<u8>>>>;

fn read(sql: &[u8], piece: usize) -> Result<(Vec<Table>, Rows, Option<String>), RowError> {
    let mut reader = SqlReader::new(Pieces(sql, piece));
    let (mut tables, mut rows) = (Vec::new(), Vec::new());
    while let Some(item) = reader.next_item()? {
        match item {
            Item::Table => tables.push(reader.table().clone()),
            Item::Row => {
                let columns = 0..reader.table().columns.len();
                rows.push(columns.map(|column| reader.value(column).map(<[u8]>::to_vec)).collect());
            }
        }
    }
    Ok((tables, rows, reader.database().map(str::to_owned)))
}

const DUMP: &str = "-- MariaDB dump 10.19  Distrib 10.5.23-MariaDB\n--\n-- Host: db1166    Database: testwiki\n\
    /*!40101 SET NAMES utf8mb4 */;\n/*!40014 SET @OLD='it''s; \\';' */;\nDROP TABLE IF EXISTS `page`;\n\
    CREATE TABLE `page` (\n  `page_id` int(8) unsigned NOT NULL AUTO_INCREMENT,\n\
    `kind` enum('a,b)','c') NOT NULL DEFAULT 'a,b)', -- a note, with commas\n  `page_title` varbinary(255) NOT NULL,\n\
    `x` double unsigned NOT NULL DEFAULT 0,\n  PRIMARY KEY (`page_id`),\n  UNIQUE KEY `name` (`kind`,`page_title`)\n\
    ) ENGINE=InnoDB DEFAULT CHARSET=binary;\n/*!40000 ALTER TABLE `page` DISABLE KEYS */;\n\
    INSERT INTO `page` VALUES (1,'c','AT&T_\\'n\\'_\\\"x\\\"_\\\\_\\n\\0\\Z\\%\\q',0.5e-3),(2,NULL,_binary 'it''s',-1),\n\
    (3, 'c' , _utf8mb4\"d\"\"q\", 0x41426), (4,X'4A',N'n',);\n";

#[test]
fn a_dump_is_read_however_the_bytes_come() {
    let sql = DUMP.replace(",);", ",TRUE);");
    let (tables, rows, database) = read(sql.as_bytes(), usize::MAX).unwrap();
    assert_eq!(tables.len(), 1);
    assert_eq!(
        (&tables[0].name[..], &tables[0].columns[..]),
        ("page", &["page_id", "kind", "page_title", "x"].map(String::from)[..])
    );
    assert_eq!(database.as_deref(), Some("testwiki"));
    let bytes = |text: &[u8]| Some(text.to_vec());
    assert_eq!(
        rows[0],
        [bytes(b"1"), bytes(b"c"), bytes(b"AT&T_'n'_\"x\"_\\_\n\0\x1A\\%q"), bytes(b"0.5e-3")]
    );
    assert_eq!(rows[1], [bytes(b"2"), None, bytes(b"it's"), bytes(b"-1")]);
    assert_eq!(rows[2], [bytes(b"3"), bytes(b"c"), bytes(b"d\"q"), bytes(b"\x04\x14\x26")]);
    assert_eq!(rows[3], [bytes(b"4"), bytes(b"J"), bytes(b"n"), bytes(b"TRUE")]);
    for piece in 1..40 {
        assert_eq!(read(sql.as_bytes(), piece).unwrap(), (tables.clone(), rows.clone(), database.clone()));
    }
}

#[test]
fn columns_may_be_named_with_the_rows() {
    let sql =
        b"insert ignore into wiki.`links`(`b`, a) values ('x',1);INSERT INTO links (a,b) VALUES (2,'y')";
    let (tables, rows, _) = read(sql, 3).unwrap();
    assert_eq!(tables.len(), 2);
    assert_eq!(tables[0].columns, ["b", "a"]);
    assert_eq!(tables[1].column("b"), Some(1));
    assert_eq!(rows[0][0].as_deref(), Some(&b"x"[..]));
    assert_eq!(rows[1][0].as_deref(), Some(&b"2"[..]));
}

#[test]
fn what_is_no_dump_is_refused_with_a_reason() {
    let why = |sql: &str| match read(sql.as_bytes(), 7) {
        Err(RowError::Syntax(why)) => why,
        other => panic!("{sql}: {other:?}"),
    };
    assert!(why(DUMP).contains("no value"), "{}", why(DUMP));
    let table = "CREATE TABLE t (a int, b int);";
    for (sql, part) in [
        ("INSERT INTO t VALUES (1);", "without its columns"),
        (&format!("{table} INSERT INTO t VALUES (1);"), "other columns, expected 2"),
        (&format!("{table} INSERT INTO t VALUES (1,2,3);"), "other columns, expected 2"),
        (&format!("{table} INSERT INTO t VALUES (1,2)(3,4);"), "expected a comma"),
        (&format!("{table} INSERT INTO t VALUES (1,'x"), "middle of a string"),
        (&format!("{table} INSERT INTO t VALUES (1,"), "no value"),
        (&format!("{table} INSERT INTO t VALUES "), "middle of a statement"),
        (&format!("{table} INSERT INTO t SELECT 1;"), "expected VALUES"),
        (&format!("{table} INSERT INTO t VALUES (0xG,1);"), "hexadecimal"),
        (&format!("{table} INSERT INTO t VALUES (_binary 1,1);"), "character set"),
        ("CREATE TABLE t (a int, b", "middle of CREATE TABLE"),
        ("/* never", "middle of a comment"),
    ] {
        assert!(why(sql).contains(part), "{sql}: {}", why(sql));
    }
    assert!(read(b"", 1).unwrap().1.is_empty());
    assert!(read(b"-- a comment\n# another", 1).unwrap().1.is_empty());
}

/// Appends a value in the format of `mysqldump`.
fn literal(value: &Option<Vec<u8>>, sql: &mut Vec<u8>) {
    let Some(value) = value else { return sql.extend(b"NULL") };
    sql.push(b'\'');
    for &byte in value {
        match byte {
            0 => sql.extend(b"\\0"),
            b'\n' => sql.extend(b"\\n"),
            b'\r' => sql.extend(b"\\r"),
            26 => sql.extend(b"\\Z"),
            b'\'' | b'"' | b'\\' => sql.extend([b'\\', byte]),
            other => sql.push(other),
        }
    }
    sql.push(b'\'');
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        rows in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.9, prop::collection::vec(any::<u8>(), 0..12)), 3), 1..8),
        piece in 1usize..30,
    ) {
        let mut sql = b"CREATE TABLE `t` (`a` x, `b` x, `c` x);\nINSERT INTO `t` VALUES ".to_vec();
        for (number, row) in rows.iter().enumerate() {
            sql.extend(if number == 0 { &b"("[..] } else { b",(" });
            for (number, value) in row.iter().enumerate() {
                sql.extend((number > 0).then_some(b','));
                literal(value, &mut sql);
            }
            sql.push(b')');
        }
        sql.extend(b";\n");
        prop_assert_eq!(read(&sql, piece).unwrap().1, rows);
    }
}
