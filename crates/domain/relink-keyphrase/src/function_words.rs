//! Function words of languages without a part-of-speech tagger: determiners, quantifiers,
//! pronouns, conjunctions, prepositions, auxiliary verbs and adverbs of time and degree.
//!
//! They are not part of a keyphrase: *every year* says nothing about a page. The list is in
//! addition to the general stop words, which are also used by measures that were fitted to
//! them.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Whether a lower-case word is a function word of one of the languages.
pub(crate) fn is_function_word(word: &str) -> bool {
    WORDS.contains(word)
}

static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    [GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH]
        .iter()
        .flat_map(|words| words.split_whitespace())
        .collect()
});

const GERMAN: &str = "
    alle allem allen aller alles andere anderem anderen anderer anderes bald beide beiden beim
    bereits bisher bzw da dabei dadurch dafür dagegen daher damals damit danach daneben dann daran
    darauf daraus darf darin darüber darum darunter davon davor dazu dein deine demnach denen denn
    dennoch deren derselbe deshalb dessen deswegen diese dieselbe diesem diesen dieser dieses dort
    drei dürfen ebenfalls ebenso eher eigentlich einander einige einigem einigen einiger einiges
    einmal erst erste ersten erster erstes etwa etwas euch euer fast gab ganz ganze ganzen gar
    gegen gegenüber genau gern gibt ging gleich hatte hatten heute hin hinter ihm ihn ihnen ihre
    ihrem ihren ihrer ihres immer indem infolge innerhalb insgesamt inzwischen irgend ja jede jedem
    jeden jeder jedes jedoch jene jenem jenen jener jenes jetzt kaum kein keine keinem keinen
    keiner keines konnte konnten können könnte lange letzte letzten letzter letztes machen man
    manche manchem manchen mancher manches mehrere mehreren mehrerer mein meine meist meiste
    meisten meistens mittels müssen muss nachdem nahezu natürlich neben nie niemals nimmt nun ob
    oben obwohl oft ohne paar pro rund schließlich schon sehr sei seine seinem seinen seiner seines
    seit seitdem selbst selten siehe sobald sogar solche solchem solchen solcher solches soll
    sollen sollte somit sondern sonst soweit später statt stets teils trotz trotzdem ungefähr unser
    unsere unserem unseren unserer usw viel viele vielem vielen vieler vieles vielleicht völlig
    vorher während wann waren warum weder wegen weil weit weitere weiteren weiterer weiteres
    weiterhin welche welchem welchen welcher welches wenig wenige wenigen weniger wenigstens wenn
    wer weshalb wieder wieso wo wobei wodurch woher wohin wohl wollen wurde wurden würde würden
    zahlreiche zahlreichen ziemlich zudem zuerst zuletzt zunächst zusammen zwar zwei zwischen";

const FRENCH: &str = "
    afin ainsi alors après assez aucun aucune aujourd'hui auquel aussi autant autre autres avait
    avant avoir beaucoup bien car cela celle celles celui cependant certain certaine certaines
    certains cet ceux chacun chacune chaque chez contre depuis dernier dernière dernières derniers
    dessous dessus deux devant doit donc dont déjà elles encore enfin ensuite environ eux faire
    fait fois font grâce hors ici jamais jusque là laquelle lequel lesquelles lesquels leurs lors
    lorsque malgré moins même mêmes mieux nombreuses nombreux notamment parce parfois parmi partout
    pendant peu peut peuvent plupart plusieurs plutôt pourquoi premier première premières premiers
    presque près puis puisque quand quatre quel quelle quelles quelque quelques quels quoi rien
    sauf selon sera seront seulement soit sous souvent surtout tandis tant tel telle telles tels
    toujours tous tout toute toutefois toutes trois trop très vers voici voilà";

const SPANISH: &str = "
    además ahora algo algunas alguno algunos algún ante antes aquel aquella aquellas aquellos aquí
    así aun aunque aún bajo bastante bien cada casi cierta ciertas cierto ciertos cinco cual cuales
    cualquier cualquiera cuanto cuatro cuya cuyo cómo debe deben debido dentro después dicha dichas
    dicho dichos durante ellas ellos embargo entonces esas ese eso esos estas estos están fueron
    haber hace hacer hacia han incluso junto luego mayor mayoría mediante mejor menos mientras
    misma mismas mismo mismos mucha muchas mucho muchos nada ni ninguna ninguno ningún nosotros
    nuestra nuestro nunca otra otras otro otros poca pocas poco pocos posible primer primera
    primeras primero primeros puede pueden pues quien quienes qué sea según siempre sido siendo
    sino solo sí sólo tal tales tampoco tan tanto tantos toda todas todavía todo todos tras través
    tres tuvo última últimas último últimos unas uno unos usted varias varios veces vez";

const PORTUGUESE: &str = "
    agora ainda algum alguma algumas alguns além ambas ambos antes após aquela aquelas aquele
    aqueles aquilo aqui assim até bem cada cerca certa certas certo certos contra cuja cujo dela
    delas dele deles depois dessa desse desta deste deve devem dois duas durante elas eles enquanto
    então eram essas esse esses estas este estes estão fazer foram há isto já lhe logo maior
    maioria mais menos mesma mesmas mesmo mesmos muita muitas muito muitos nem nenhum nenhuma nessa
    nesse nesta neste nossa nosso novamente num numa nunca onde outra outras outro outros pelas
    pelos pode podem pois pouca poucas pouco poucos primeira primeiras primeiro primeiros quais
    qual qualquer quase quatro quem seja sempre sendo será sido sob somente suas tais tal tanto
    tantos tem ter toda todas todavia todo todos três tudo têm tão últimas última último últimos
    vez vezes várias vários você";

const ITALIAN: &str = "
    abbastanza alcune alcuni allora altra altre altri altro ancora appena avere aveva bene cioè
    ciascuna ciascuno circa contro così cui degli dello dentro dopo dove due durante ecco erano
    essere fatto fino fra già infatti insieme invece loro mai meglio meno mentre molta molte molti
    molto negli nello nessuna nessuno niente ogni oltre ora ormai perché però piuttosto poca poche
    pochi poco poi prima primo proprio pure qualche quale quali qualsiasi quanto quasi quattro
    quella quelle quelli quello questa queste questi quindi sempre senza sia solo sopra soprattutto
    sotto spesso stata state stati stato stessa stesse stessi stesso subito tale tali tanta tante
    tanti tanto tra tre tutta tutte tutti tutto ultima ultimi ultimo uno verso volta volte";

const DUTCH: &str = "
    alle alleen allerlei altijd andere anders beide bijna binnen boven buiten daar daarna daarom
    dan deze dus eens eerste elk elke enige enkele geen geleden gewoon haar heeft heel hele hem hen
    hun ieder iedere iets immers kunnen laatste langs later mag meeste mij minder misschien moet
    moeten mogelijk nadat niets nooit nu omdat onder ons onze sinds slechts sommige soms steeds
    tegen terwijl toch toen tussen twee veel vele verder verschillende vooral vrij waar waarom
    wanneer want weer weinig welke werden wil zeer zelf zich zij zoals zodat zonder zou zullen";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn determiners_of_each_language_are_function_words() {
        for word in ["jedes", "chaque", "cada", "ogni", "elke", "últimos"] {
            assert!(is_function_word(word), "{word}");
        }
        assert!(!is_function_word("eule") && !is_function_word("jahr"));
    }
}
