"""Kinds of words, marks and mentions, and the cues of each: words and marks of answers in ten languages.

A kind is one arbitrary character, so that a line is a short string that patterns match. To add a cue, append it to
those of its kind, and increment the matcher's version.
"""

from collections.abc import Mapping

ANSWER, OPTION, GOOD, FITS, WRONG, IS = "A", "O", "G", "V", "W", "="
PICK, NOT, IF, SO, BUT, IT, AND, FILL, BECAUSE, ONLY, LISTING = (
    "P",
    "N",
    "H",
    "S",
    "C",
    "I",
    "J",
    "F",
    "Y",
    "U",
    "K",
)
COLON, COMMA, STOP, QUESTION = ":", ",", ".", "?"
THAN, ASIDE, LESS, MAY, PART, EXAMINE, HARD, KNOW = "<", ">", "-", "M", "Z", "b", "X", "B"
OTHER = "x"  # one or more words that are no cue

LETTER = "L"  # a capital
ENCLOSED = "E"  # a letter in brackets
CONFIRMED = "D"  # a letter with its option's text
TEXT = "T"  # an option's text alone
WORD = "w"  # an option's text that is a word like others: "no", "II"
WEAK = "l"  # a letter that may be a word: the article, the pronoun, one in lower case
OUT_OF_RANGE = "R"  # a capital that is no option

WORDS: dict[str, str] = {
    # an answer
    ANSWER: """answer ans answered verdict prediction submission assistant
        respuesta resposta réponse antwort risposta ответ antwoord cevap jawaban odpowiedź svar الإجابة""",
    # what is chosen between
    OPTION: """option choice letter selection caption figure image candidate alternative
        opción opcion opção opcao letra alternativa choix lettre buchstabe auswahl opzione lettera вариант буква optie
        seçenek pilihan""",
    # said of the right one
    GOOD: """correct right best better true closest accurate appropriate suitable ✓ ✔ ✅ ☑
        correcta correcto correta correto certa certo bonne correcte exacte juste bon richtig richtige richtiger
        richtigen korrekt korrekte corretta corretto giusta giusto esatta правильный правильная правильно верный верная
        верно juiste doğru benar""",
    # what the right one does
    FITS: """matches match fits fit describes describe represents represent captures aligns summarizes summarises
        suits remains shares share resembles""",
    # said of the others
    WRONG: """wrong incorrect false inaccurate eliminated excluded rejected ✗ ✘ ❌ ✕ ☒ ×
        incorrecta incorrecto incorreta incorreto errada errado incorrecte fausse faux falsch scorretta errata sbagliata
        неправильный неверный неверно""",
    IS: "هي هو = is are be was were being equals es é est ist lautet è это są",
    # taking one
    PICK: """choose chose chosen choosing select selected selecting pick picked picking guess say leaving leaves
        elijo escojo escolho choisis wähle scelgo выбираю""",
    NOT: """not none never neither nor cannot no without except excluding non não nao ne pas nicht kein keine не
        ни нет""",
    IF: "if whether unless suppose supposing assuming assume si se wenn falls если",
    MAY: "may might could",
    SO: """so therefore thus hence consequently then finally final overall ultimately ∴ ⇒
        entonces así portanto logo assim donc ainsi also daher somit deshalb folglich quindi dunque perciò pertanto
        поэтому следовательно итак значит dus""",
    BUT: """but actually rather wait instead correction scratch oops hmm mistaken recheck reconsider reconsidering
        pero mas mais aber ma но""",
    IT: "it that this these",
    AND: "and or / & y e o et ou und oder и или plus",
    FILL: """the most very likely probably more likeliest number clearly indeed definitely simply just still
        either both to for of labeled labelled as correctly my a an should would must will seem seems appear appears
        option's la el le les der die das il lo los las dem den eindeutig""",
    BECAUSE: "because since given due based with which",
    ONLY: "only",
    THAN: "than unlike whereas while although though versus vs",
    LESS: "different differs differ less least unlikely unrelated worse lacks lack fails inconsistent off",
    ASIDE: "however conversely meanwhile",
    # inability to choose
    HARD: """difficult impossible challenging unable insufficient hard
        imposible difícil impossível impossibile difficile unmöglich schwierig невозможно трудно сложно""",
    KNOW: """determine determined identify identified decide decided conclude distinguish know tell confirm
        information context decision determination judgment assessment
        determinar identificar saber decidir responder déterminer identifier répondre décider bestimmen erkennen
        beantworten entscheiden determinare identificare rispondere decidere определить ответить выбрать""",
    EXAMINE: """consider considering examine examining analyze analyzing evaluate evaluating check checking look
        looking""",
    PART: "panel panels subfigure subplot part row column step equation",
    LISTING: "options choices answers alternatives images pictures figures captions points boxes opciones opções",
}

_EVALUATING = """likely similar appropriate suitable accurate accurately closely precise precisely consistent plausible
    probable probably reasonable fitting relevant logical"""
_COMPARED = "|".join(f"{more} {word}" for more in ("more", "most") for word in _EVALUATING.split())

PHRASES: dict[str, str] = {
    ANSWER: "उत्तर",  # a word with marks inside
    PICK: """leaves us with|go with|going with|went with|opt for|opting for|settle on|settled on|vote for
        |corresponds to|corresponding to|correspond to|matches with|stick with|lean towards|leaning towards
        |lean toward""",
    SO: """in conclusion|to conclude|in summary|to summarize|all in all|as a result|in short
        |por lo tanto|por tanto|en conclusión|par conséquent|en conclusion|in conclusione|em conclusão""",
    BUT: "on second thought|on second thoughts|i mean|make it|make that|on reflection|my mistake",
    GOOD: f"the likeliest|{_COMPARED}",
    THAN: "compared to|compared with|in comparison to|in comparison with|in contrast to|in contrast with",
    ASIDE: "on the other hand|in contrast|by contrast|on the contrary",
    WRONG: "is too|seems too|appears too|ruled out|rule out|ruling out|not correct|not right|not true",
    NOT: "rather than|instead of|other than|as opposed to|anything but",
    LISTING: "of the above",
    KNOW: "to answer|answer the|answer this|answer your|be answered|definitive answer|definite answer",
    FILL: "if i had to|if forced to|if i have to|if i must|no doubt|not only|no question|i would|i'd",
    OTHER: """right angle|right triangle|right side|right hand|the right of|to the right|right angled|right-angled
        |best of
        |true that|in that|so that|so far|so many|so much
        |image shows|figure shows""",
    BECAUSE: "as it|as the|as they|as this|as there|as a|as we|as well|as an|as i",
    IF: "had been|were the|at first glance|at first sight|at first",
}

JOINED: dict[str, str] = {
    # languages written without spaces, and endings that follow a letter directly
    ANSWER: "答案 答 答え 解答 正解 回答 正答 정답 답변 답",
    OPTION: "选项 選項 選択肢 선택지 보기",
    GOOD: "正确 正確 正しい 适当 適切 最佳 옳 맞",
    WRONG: "错误 錯誤 不正确 不正確 错 間違 誤り 不适合 틀",
    IS: "是 为 為 は が 은 는 이 가 即",
    PICK: "选择 選擇 选 選 選び",
    NOT: "不是 不 没有 无法 無法 无 無 できません できない 없 没 ではな 아니",
    IF: "如果 若 假设 もし 만약",
    SO: "所以 因此 故 综上 綜上 因而 由此 したがって よって だから 따라서 그러므로",
    BUT: "但是 但 でも 하지만",
    AND: "和 或 与 と 또는",
    FILL: "应该 应 最 的 です だ である 最も 입니다 번 我 案",
    KNOW: "确定 確定 判断 判斷 判定 得出 識別 识别 特定 判别 판단 확인",
    ONLY: "只有 만",
    BECAUSE: "解析 解释 分析 理由 説明 解説 해설 因为 由于 因為 なぜなら",
}

MARKS = {COLON: ": → - – — -> –> —>", COMMA: ", ; 、", STOP: ". ! … 。", QUESTION: "?"}


def kind_by_cue(cues: Mapping[str, str], separator: str | None) -> dict[str, str]:
    """Return cue -> kind of a table kind -> cues with `separator` (None: any space) between them."""
    return {
        " ".join(cue.split()): kind for kind, line in cues.items() for cue in line.split(separator)
    }


KIND_OF_WORD = kind_by_cue(WORDS, None)
KIND_OF_PHRASE = kind_by_cue(PHRASES, "|")
KIND_OF_JOINED = kind_by_cue(JOINED, None)
KIND_OF = {**KIND_OF_WORD, **KIND_OF_PHRASE, **KIND_OF_JOINED, **kind_by_cue(MARKS, None)}
