//! Words that MediaWiki knows and dumps do not tell: prefixes to other wikis, magic words in many languages,
//! names of namespaces that a wiki understands from a larger language.

/// Codes of languages that have, or had, a wiki of their own: `[[de:Jupiter]]` leads there.
const LANGUAGES: &str = "aa ab ace ady af ak als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa \
    ay az azb ba ban bar bat-smg bbc bcl bdr be be-tarask be-x-old bew bg bh bi bjn blk bm bn bo bpy br bs btm \
    bug bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb cu cv cy da dag de dga din diq dsb dtp dty \
    dv dz ee egl el eml en eo es et eu ext fa fat ff fi fiu-vro fj fo fon fr frp frr fur fy ga gag gan gcr gd gl \
    glk gn gom gor got gpe gsw gu guc gur guw gv ha hak haw he hi hif ho hr hsb ht hu hy hyw hz ia iba id ie ig \
    igl ii ik ilo inh io is it iu ja jam jbo jv ka kaa kab kaj kbd kbp kcg kg kge ki kj kk kl km kn knc ko koi kr \
    krc ks ksh ku kus kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lrc lt ltg lv lzh mad mai map-bms \
    mdf mg mh mhr mi min mk ml mn mni mnw mo mos mr mrj ms mt mus mwl my myv mzn na nah nan nap nb nds nds-nl ne \
    new ng nia nl nn no nov nqo nr nrm nso nup nv ny oc olo om or os pa pag pam pap pcd pcm pdc pfl pi pih pl pms \
    pnb pnt ps pt pwn qu rki rm rmy rn ro roa-rup roa-tara rsk ru rue rup rw sa sah sat sc scn sco sd se sg sgs \
    sh shi shn shy si simple sk skr sl sm smn sn so sq sr srn ss st stq su sv sw syl szl szy ta tay tcy tdd te \
    tet tg th ti tig tk tl tly tn to tpi tr trv ts tt tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo vro wa \
    war wo wuu xal xh xmf yi yo yue za zea zgh zh zh-classical zh-cn zh-min-nan zh-tw zh-yue zu";

/// Short names of sister projects and of other places that Wikimedia's wikis link to.
const PROJECTS: &str = "w wikipedia wikt wiktionary n wikinews b wikibooks q wikiquote s wikisource oldwikisource \
    src v wikiversity voy wikivoyage species wikispecies c commons m meta metawikimedia metawikipedia mw \
    mediawikiwiki d wikidata f wikifunctions foundation wmf incubator outreach phab phabricator bugzilla \
    mediazilla rev svn tools toolforge toollabs ticket otrs otrswiki wikitech wikimania strategy testwiki test2wiki \
    usability wikimedia wikia wikicities fandom google doi rfc pmid imdbname imdbtitle gutenberg arxiv";

/// Languages that understand another language's names of namespaces: first the ones that do, then the other.
/// The way may go on from there.
const FALLBACKS: [(&str, &str); 30] = [
    (
        "ab ady alt av ba be bxr ce crh-cyrl cv inh kbd koi krc kum kv lbe lez mdf mhr mrj myv os sah sty tt tyv \
         udm uk xal",
        "ru",
    ),
    ("be-tarask be-x-old", "be"),
    ("rue", "uk"),
    ("atj avk bm br ff frp gcr ht kbp kg ln mg nrm oc pcd ses sg shi ty wa wo", "fr"),
    ("an arn ast ay cbk-zam ext gn guc lad nah qu", "es"),
    ("als bar dsb frr gsw hrx hsb ksh lb nds pdc pdt pfl prg rm sli stq vmf", "de"),
    ("fy li nds-nl pap srn vls zea", "nl"),
    ("co egl eml fur lij lld lmo nap pms rgn roa-tara sc scn sdc vec", "it"),
    ("abs ace ban bbc bew bjn btm bug gor jv mad min mui nia su", "id"),
    ("map-bms", "jv"),
    ("dtp", "ms"),
    ("bcl ilo pag pam war", "tl"),
    ("azb bqi glk lki lrc luz mzn", "fa"),
    ("arq ary arz", "ar"),
    ("ami cdo gan hak hsn lzh nan szy tay trv wuu yue za zh-classical zh-min-nan zh-yue", "zh"),
    ("anp awa bh bho mai sa", "hi"),
    ("dty new", "ne"),
    ("bpy", "bn"),
    ("gl mwl tet", "pt"),
    ("fiu-vro liv vep vro", "et"),
    ("fit krl olo smn vot", "fi"),
    ("fo jut kl nb nn no se", "da"),
    ("csb szl", "pl"),
    ("bat-smg sgs", "lt"),
    ("ltg", "lv"),
    ("diq gag kiu lzz", "tr"),
    ("mo rmy roa-rup rup", "ro"),
    ("xmf", "ka"),
    ("pnt", "el"),
    ("yi", "he"),
];

/// How a language calls files and categories.
const NAMESPACES: [(&str, &str, &str); 48] = [
    ("ar", "ملف", "تصنيف"),
    ("az", "Şəkil", "Kateqoriya"),
    ("be", "Файл", "Катэгорыя"),
    ("bg", "Файл", "Категория"),
    ("bn", "চিত্র", "বিষয়শ্রেণী"),
    ("ca", "Fitxer", "Categoria"),
    ("cs", "Soubor", "Kategorie"),
    ("da", "Fil", "Kategori"),
    ("de", "Datei", "Kategorie"),
    ("el", "Αρχείο", "Κατηγορία"),
    ("eo", "Dosiero", "Kategorio"),
    ("es", "Archivo", "Categoría"),
    ("et", "Pilt", "Kategooria"),
    ("eu", "Fitxategi", "Kategoria"),
    ("fa", "پرونده", "رده"),
    ("fi", "Tiedosto", "Luokka"),
    ("fr", "Fichier", "Catégorie"),
    ("he", "קובץ", "קטגוריה"),
    ("hi", "चित्र", "श्रेणी"),
    ("hr", "Datoteka", "Kategorija"),
    ("hu", "Fájl", "Kategória"),
    ("hy", "Պատկեր", "Կատեգորիա"),
    ("id", "Berkas", "Kategori"),
    ("it", "File", "Categoria"),
    ("ja", "ファイル", "カテゴリ"),
    ("jv", "Gambar", "Kategori"),
    ("ka", "ფაილი", "კატეგორია"),
    ("kk", "Сурет", "Санат"),
    ("ko", "파일", "분류"),
    ("lt", "Vaizdas", "Kategorija"),
    ("lv", "Attēls", "Kategorija"),
    ("ms", "Fail", "Kategori"),
    ("ne", "चित्र", "श्रेणी"),
    ("nl", "Bestand", "Categorie"),
    ("no", "Fil", "Kategori"),
    ("pl", "Plik", "Kategoria"),
    ("pt", "Ficheiro", "Categoria"),
    ("ro", "Fișier", "Categorie"),
    ("ru", "Файл", "Категория"),
    ("sk", "Súbor", "Kategória"),
    ("sr", "Датотека", "Категорија"),
    ("sv", "Fil", "Kategori"),
    ("tl", "Talaksan", "Kategorya"),
    ("tr", "Dosya", "Kategori"),
    ("uk", "Файл", "Категорія"),
    ("vi", "Tập tin", "Thể loại"),
    ("zh", "文件", "分类"),
    ("zh", "檔案", "分類"),
];

/// Words that make a page a redirect, without the `#`.
const REDIRECTS: &str = "REDIRECT WEITERLEITUNG REDIRECTION REDIRECCIÓN REDIRECCION RINVIA RINVIO RIMANDO DOORVERWIJZING \
    REDIRECIONAMENTO PATRZ PRZEKIERUJ TAM ПЕРЕНАПРАВЛЕНИЕ ПЕРЕНАПР ПЕРЕНАПРАВЛЕННЯ OMDIRIGERING \
    OHJAUS UUDELLEENOHJAUS OMDIRIGER TILVÍSUN ÁTIRÁNYÍTÁS PŘESMĚRUJ PRESMERUJ PREUSMERITEV \
    PREUSMJERI ПРЕУСМЕРИ PREUSMERI ПРЕНАСОЧВАНЕ ВИЖ ПРЕНАСОЧУВАЊЕ ПЕРАНАКІРАВАННЕ ΑΝΑΚΑΤΕΥΘΥΝΣΗ \
    YÖNLENDİRME YÖNLENDİR تحويل تغییرمسیر تغییر_مسیر הפניה 転送 リダイレクト 重定向 넘겨주기 ĐỔI";

/// Words that make a category hidden.
const HIDDEN: &str = "__HIDDENCAT__ __VERSTECKTE_KATEGORIE__ __WARTUNGSKATEGORIE__ __CATCACHEE__ __CATCACHÉE__ \
    __СКРЫТАЯКАТЕГОРИЯ__ __ПРИХОВАНАКАТЕГОРІЯ__ __CATEGORÍAOCULTA__ __CATNASCOSTA__ \
    __CATEGORIAOCULTA__ __VERBORGENCAT__ __KATUKRYTA__ __隐藏分类__ __隠しカテゴリ__";

/// Templates that send the pages of a category to another one.
const CATEGORY_REDIRECTS: &str = "category redirect|categoryredirect|cat redirect|catredirect|cat-redirect|catredir|cat-red|\
    redirect category|category soft redirect|soft category redirect|seecat|redirectcat|\
    переименованная категория|catégorie redirigée|redirection de catégorie|kategorieweiterleitung";

/// Whether a prefix, in small letters, is the code of a language.
pub(super) fn is_language(prefix: &str) -> bool {
    LANGUAGES.split_ascii_whitespace().any(|known| known == prefix)
}

/// The prefixes, in small letters, that lead to other wikis.
pub(super) fn interwikis() -> impl Iterator<Item = &'static str> {
    LANGUAGES.split_ascii_whitespace().chain(PROJECTS.split_ascii_whitespace())
}

/// What a wiki of this language may call files and categories besides what its dump says, its own words first.
pub(super) fn namespaces(language: &str) -> Vec<(&'static str, &'static str)> {
    let mut names = Vec::new();
    let mut language = language;
    loop {
        let own = NAMESPACES.iter().filter(|(of, ..)| *of == language);
        names.extend(own.map(|&(_, file, category)| (file, category)));
        let has = |languages: &str| languages.split_ascii_whitespace().any(|known| known == language);
        match FALLBACKS.iter().find(|(languages, _)| has(languages)) {
            Some((_, next)) => language = next,
            None => return names,
        }
    }
}

/// Whether a word, without its `#`, makes a page a redirect.
pub(super) fn is_redirect(word: &str) -> bool {
    let word = word.to_uppercase();
    REDIRECTS.split_ascii_whitespace().any(|known| known == word)
}

/// The words that make a category hidden.
pub(super) fn hidden_words() -> impl Iterator<Item = &'static str> {
    HIDDEN.split_ascii_whitespace()
}

/// Whether a template sends the pages of a category elsewhere.
pub(super) fn is_category_redirect(template: &str) -> bool {
    let name = template.trim().replace('_', " ").to_lowercase();
    CATEGORY_REDIRECTS.split('|').any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_from_larger_languages() {
        assert_eq!(namespaces("pam"), [("Talaksan", "Kategorya")]);
        assert_eq!(namespaces("rue"), [("Файл", "Категорія"), ("Файл", "Категория")]);
        assert_eq!(namespaces("map-bms"), [("Gambar", "Kategori"), ("Berkas", "Kategori")]);
        assert_eq!(namespaces("en"), []);
    }

    #[test]
    fn no_way_from_language_to_language_goes_round() {
        let languages = FALLBACKS.iter().flat_map(|(languages, _)| languages.split_ascii_whitespace());
        for language in languages {
            assert!(!namespaces(language).is_empty(), "{language}");
        }
    }
}
