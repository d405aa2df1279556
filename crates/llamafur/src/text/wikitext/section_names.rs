//! Names of the sections at the ends of pages: a help, where the structure of a section alone does not identify it.

/// Sections that are lists of links, sources or notes wherever they are.
const ANYWHERE: &[&str] = &[
    "see also",
    "references",
    "reference",
    "external links",
    "external link",
    "further reading",
    "references and notes",
    "notes and references",
    "footnotes",
    "works cited",
    "bibliography",
    "related pages",
    "other websites",
    // German, Dutch, Swedish, Danish, Norwegian.
    "siehe auch",
    "einzelnachweise",
    "weblinks",
    "quellen und weblinks",
    "anmerkungen",
    "zie ook",
    "externe links",
    "externe link",
    "se även",
    "se også",
    "referenser",
    "externa länkar",
    "eksterne henvisninger",
    "eksterne lenker",
    // French, Spanish, Portuguese, Italian, Catalan, Romanian.
    "voir aussi",
    "notes et références",
    "références",
    "liens externes",
    "articles connexes",
    "véase también",
    "referencias",
    "enlaces externos",
    "bibliografía",
    "ver também",
    "referências",
    "ligações externas",
    "voci correlate",
    "altri progetti",
    "collegamenti esterni",
    "vegeu també",
    "referències",
    "enllaços externs",
    "vezi și",
    // Polish, Czech, Russian, Ukrainian, Bulgarian, Serbian and wikis of Russia.
    "zobacz też",
    "przypisy",
    "linki zewnętrzne",
    "bibliografia",
    "související články",
    "externí odkazy",
    "см. также",
    "примечания",
    "ссылки",
    "див. також",
    "примітки",
    "вижте също",
    "външни препратки",
    "тыгак ончо",
    "ончо тыгак",
    // Kapampangan.
    "lon la murin",
    "lon la murin deti",
    "lawen ya rin",
    "suglung palual",
    "suglung palwal",
    "dalerayan",
    // Japanese, Chinese, Korean, Arabic, Persian, Hebrew, Turkish, Indonesian, Vietnamese, Finnish, Hungarian, Tagalog.
    "関連項目",
    "脚注",
    "外部リンク",
    "参见",
    "參見",
    "参考文献",
    "外部链接",
    "같이 보기",
    "انظر أيضا",
    "ayrıca bakınız",
    "pranala luar",
    "lihat pula",
];

/// Words that name such sections only where nothing but sections of this kind follows: other sections have these names, too.
const AT_THE_END: &[&str] = &[
    "notes",
    "note",
    "sources",
    "source",
    "citations",
    "literature",
    "links",
    "literatur",
    "quellen",
    "belege",
    "literatuur",
    "bronnen",
    "bronnen, noten en/of referenties",
    "litteratur",
    "källor",
    "noter",
    "kilder",
    "bibliographie",
    "annexes",
    "notas",
    "fuentes",
    "fontes",
    "fonti",
    "literatura",
    "uwagi",
    "źródła",
    "poznámky",
    "reference",
    "литература",
    "источники",
    "література",
    "джерела",
    "източници",
    "кылвер-влак",
    "参考資料",
    "出典",
    "注释",
    "參考資料",
    "각주",
    "مراجع",
    "kaynakça",
    "referensi",
    "tham khảo",
    "lähteet",
];

/// Sections that list what somebody made, with sources or not: the subject itself.
const WORKS: &[&str] = &[
    "publications",
    "selected publications",
    "works",
    "selected works",
    "discography",
    "filmography",
    "books",
    "papers",
    "werke",
    "œuvres",
    "obras",
    "сочинения",
];

/// The kind of a section by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// End matter.
    EndMatter,
    /// End matter if it is at the end.
    AtTheEnd,
    /// A list of works.
    Works,
    /// Any other section.
    Other,
}

/// Returns the kind of a section by its title.
pub(super) fn named(title: &str) -> Named {
    let title = title.trim().trim_end_matches(':').to_lowercase();
    let is_one_of = |names: &[&str]| names.contains(&&title[..]);
    if is_one_of(ANYWHERE) {
        Named::EndMatter
    } else if is_one_of(AT_THE_END) {
        Named::AtTheEnd
    } else if is_one_of(WORKS) {
        Named::Works
    } else {
        Named::Other
    }
}
