//! Stop words: function words of common languages, and words that occur on
//! almost every page.

/// Returns all stop words in byte order.
pub fn stop_words() -> &'static [&'static str] {
    STOP_WORDS
}

/// Whether a lower-case word is a stop word.
///
/// ```
/// assert!(relink_page::is_stop_word("the") && !relink_page::is_stop_word("owl"));
/// ```
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Sorted by bytes, for the binary search.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "aan", "aber", "about", "above", "after", "again", "against", "al", "all", "alla", "als",
    "also", "although", "always", "am", "among", "an", "anche", "and", "another", "any", "ao",
    "aos", "are", "around", "as", "at", "au", "auch", "auf", "aus", "aux", "avec", "be", "became",
    "because", "become", "been", "before", "behind", "bei", "being", "below", "between", "bij",
    "bis", "both", "but", "by", "came", "can", "cannot", "ce", "ces", "cette", "che", "chi", "ci",
    "click", "com", "come", "comme", "como", "con", "copyright", "could", "cuando", "da", "dal",
    "dalla", "dans", "das", "dass", "dat", "de", "dei", "del", "della", "delle", "dem", "den",
    "der", "des", "desde", "di", "did", "die", "dit", "do", "doch", "does", "doing", "donde",
    "done", "door", "dos", "down", "download", "du", "durch", "during", "e", "each", "een", "ein",
    "eine", "einem", "einen", "einer", "eines", "either", "el", "ela", "ella", "elle", "else",
    "em", "en", "entre", "er", "era", "es", "essa", "est", "esta", "este", "esto", "está", "et",
    "ever", "every", "few", "foi", "for", "from", "fue", "further", "für", "get", "gets", "give",
    "given", "gli", "go", "goes", "got", "ha", "haben", "had", "has", "hasta", "hat", "have",
    "having", "hay", "he", "hence", "her", "here", "hers", "herself", "het", "hier", "hij", "him",
    "himself", "his", "hoe", "home", "homepage", "how", "however", "html", "http", "https", "i",
    "ich", "if", "ihr", "il", "ils", "im", "in", "indeed", "instead", "into", "is", "isso", "ist",
    "it", "its", "itself", "je", "just", "kann", "la", "las", "last", "le", "least", "les", "less",
    "let", "leur", "like", "lo", "login", "los", "lui", "ma", "maar", "made", "mais", "make",
    "makes", "many", "mas", "may", "me", "meer", "mehr", "met", "might", "mine", "mit", "more",
    "most", "much", "must", "muy", "my", "myself", "más", "na", "naar", "nach", "nas", "ne",
    "near", "neither", "nel", "nella", "never", "next", "nicht", "niet", "no", "noch", "nog",
    "non", "nor", "nos", "not", "nothing", "notre", "nous", "now", "nur", "não", "o", "oder", "of",
    "off", "often", "om", "on", "once", "one", "only", "ont", "onto", "ook", "op", "or", "os",
    "other", "others", "ou", "our", "ours", "ourselves", "out", "over", "own", "où", "page",
    "pages", "par", "para", "pas", "pela", "pelo", "per", "perhaps", "pero", "più", "please",
    "plus", "por", "porque", "pour", "qu", "quando", "que", "questo", "qui", "rather", "really",
    "reserved", "rights", "sa", "same", "sans", "se", "see", "seem", "seen", "sein", "sem", "ser",
    "ses", "seu", "several", "shall", "she", "should", "si", "sich", "sie", "sin", "since", "sind",
    "site", "sites", "so", "sobre", "some", "son", "sono", "sont", "sowie", "still", "su", "sua",
    "such", "sul", "sur", "sus", "são", "take", "también", "também", "te", "than", "that", "the",
    "their", "theirs", "them", "themselves", "then", "there", "therefore", "these", "they",
    "thing", "things", "this", "those", "though", "through", "thus", "to", "too", "tot", "toward",
    "uit", "um", "uma", "un", "una", "und", "under", "une", "uns", "unter", "until", "up", "upon",
    "us", "use", "used", "uses", "using", "van", "very", "via", "vom", "von", "voor", "vor", "vos",
    "votre", "vous", "war", "was", "wat", "we", "website", "well", "went", "werd", "werden",
    "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why",
    "wie", "wij", "will", "wir", "wird", "with", "within", "without", "worden", "would", "www",
    "y", "ya", "yet", "you", "your", "yours", "yourself", "zijn", "zo", "zu", "zum", "zur", "à",
    "été", "être", "über",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("über") && !is_stop_word("owl"));
    }
}
