"""Refusals: answers whose author cannot see the picture, will not answer or asks for what is
missing.

One vocabulary for choices and open answers, in fifteen languages.
"""

import re

# Characters of a sentence that are read: refusals are short, and patterns stay fast on texts
# without full stops.
_LONGEST = 400
_SENTENCE_END = re.compile(r"[.!?;。！？]+(?:\s|$)|[。！？]|\n+")

# Curly apostrophes of models as the straight ones of the patterns.
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'"})

# What a model says that it cannot see.
_VISUAL = (
    r"(?:image|picture|figure|photo|photograph|chart|graph|plot|diagram|visual|attachment"
    r"|screenshot|file)s?\b"
)

# What a model says has no answer in it.
_TEXT = (
    r"(?:texts?|contexts?|chunks?|excerpts?|passages?|paragraphs?|documents?|papers?|articles?"
    r"|information)\b"
)

# Being unable, at the start of a clause, in the first person or with none.
_UNABLE = (
    r"(?:\b(?:i|we)(?:'m| am|'re| are)?|^|[,:]|\bbut|\band) ?(?:\w+ly |still |also |just )?"
    r"(?:can(?:not|'t| not)|could(?:n't| not)|(?:am |are |'m )?(?:unable|not able) to"
    r"|do(?:n't| not) have|wo(?:n't)|will not|must decline|decline to)"
)

# At most so many words between two parts of a refusal: within one clause.
_WORDS = r"(?:[^\s]+ ){0,6}?"
_TWO = r"(?:\w+ ){0,2}?"
_THREE = r"(?:\w+ ){0,3}?"

_PLEASE = r"\b(?:please|(?:could|can|would) you)"

_REFUSALS = tuple(
    re.compile(pattern)
    for pattern in (
        # unable to see the picture
        rf"{_UNABLE} {_TWO}"
        r"(?:see|view|access|open|display|load|process|analy[sz]e|interpret|perceive|read)"
        rf" {_WORDS}{_VISUAL}",
        rf"{_UNABLE} (?:the ability|access|any way) to {_WORDS}{_VISUAL}",
        # unable to tell something from the picture
        rf"{_UNABLE} {_TWO}"
        r"(?:determine|identify|recogni[sz]e|tell|infer|describe|discern|give|provide|answer)"
        rf" {_WORDS}(?:from|in|of|without|based on)"
        rf" (?:the |this |your |an? |any )(?:\w+ )?{_VISUAL}",
        # unable or unwilling to answer
        rf"{_UNABLE} (?:\w+ )?(?:assist|help|comply|fulfill?|continue"
        r"|do (?:that|this|so|it)\b"
        r"|answer (?:th|your|any|it|without)"
        r"|respond|engage"
        r"|provide (?:an?|the|any) (?:\w+ )?(?:answer|response|information)"
        r"|(?:determine|identify|select|choose|give|make|say|tell|decide)"
        r" (?:the|an?|which|what|any)\b"
        r" ?(?:[^\s]+ ){0,3}?(?:answers?|options?|choices?|captions?)\b)",
        rf"\b(?:sorry|apologi[sz]e|apologies|afraid)\b.{{0,60}}?{_UNABLE}",
        r"\b(?:not |im)possible (?:for me )?to answer\b",
        r"\bas an? (?:ai|text-based|language)(?: \w+){0,2},? i\b.{0,40}?"
        r"(?:can(?:not|'t)|unable|not able|do(?:n't| not))",
        # no picture was given
        rf"\b(?:no|any) (?:\w+ )?{_VISUAL} (?:was |were |is |are |has been |have been )?"
        r"(?:provided|attached|uploaded|included|shared|given)\b",
        rf"\b(?:the|your) {_VISUAL} (?:was|were|is|are|did|does|has)(?:n't| not) (?:been )?"
        r"(?:provided|attached|uploaded|included|visible to me|load(?:ed)?)\b",
        rf"\b(?:you|user) (?:have|has|did)(?:n't| not) \w+ (?:an?|any|the) {_VISUAL}",
        rf"\b(?:the|your) {_VISUAL} (?:is|was|are|were)(?:n't| not) visible"
        r"(?:$|,| so\b| and\b| to me\b)",
        # a request for the picture or the text, or the word that they are missing
        rf"{_PLEASE} {_TWO}(?:provide|upload|share|attach|resend|describe)"
        rf" {_THREE}(?:{_VISUAL}|it\b)",
        rf"^(?!if\b).{{0,99}}?{_PLEASE} {_TWO}(?:provide|share) {_THREE}(?:{_TEXT}|them\b)",
        r"\b(?:i|we|you)(?:'m| am|'re| are| seem to be| appear to be) missing"
        rf" {_WORDS}(?:{_VISUAL}|{_TEXT})",
    )
)

# The picture itself, not what is in it or on it.
_CHINESE_PICTURE = r"(?:图[片像]?|照片)(?![片像中里上内])"

# A sentence gets to these only if it passes `_MAY_REFUSE`, too.
_OTHER_LANGUAGES = tuple(
    re.compile(pattern)
    for pattern in (
        # Chinese
        rf"{_CHINESE_PICTURE}[^。]{{0,6}}(?:不可见|看不到|看不见|无法(?:显示|加载|查看|看到))",
        r"(?:无法|不能)(?:回答|作答)",
        rf"(?:我|^|抱歉|对不起)[^。]{{0,3}}(?:看不[到见清]|没有?看到)[^。，]{{0,4}}{_CHINESE_PICTURE}",
        r"(?:我|抱歉|对不起)[^。]{0,10}(?:无法|不能|没有办法)[^。]{0,6}"
        r"(?:看|查看|识别|确定|提供|回答|协助|帮助|判断)",
        r"(?:没有|未)(?:提供|上传|收到)[^。]{0,6}(?:图|照片)",
        # Japanese
        r"(?:申し訳|すみません)[^。]{0,30}(?:できません|できない)",
        r"(?:画像|図)[^。]{0,12}"
        r"(?:見え|見ることができ|表示されてい|提供されてい|添付されてい)(?:ません|ない)",
        r"(?:お答え|回答)(?:することが)?(?:できません|できない)",
        # Korean
        r"죄송[^.]{0,40}(?:없습니다|없어요)",
        r"(?:이미지|그림|사진)[^.]{0,12}(?:볼|확인할) 수 없",
        r"답(?:변)?할 수 없",
        # Spanish, Portuguese
        r"\b(?:no puedo|no me es posible|no soy capaz de|não posso|não consigo|nao consigo)"
        rf" {_TWO}(?:ver|responder|ayudar|ajudar|acceder|acessar|visualizar|determinar"
        r"|identificar|analizar|analisar)",
        r"\bno (?:se )?(?:ha )?(?:proporcionad|adjuntad)[oa] (?:\w+ )?(?:imagen|figura|gráfico)",
        r"\b(?:lo siento|desculpe)\b.{0,20}\b(?:no puedo|não posso)\b",
        # French
        rf"\bje ne (?:peux|puis|suis) pas {_THREE}"
        r"(?:voir|répondre|aider|accéder|déterminer|identifier|analyser)",
        r"\bdésolée?\b.{0,20}\bne (?:peux|puis)\b",
        # German
        r"\bich kann (?:\S+ ){0,6}?(?:nicht|kein\w*) (?:\S+ ){0,4}?"
        r"(?:sehen|beantworten|helfen|erkennen|bestimmen)",
        r"\b(?:es )?tut mir leid\b.{0,20}\bkann (?:ich )?.{0,30}\bnicht\b",
        # Italian
        rf"\bnon (?:posso|riesco a|sono in grado di) {_TWO}"
        r"(?:veder|visualizzar|risponder|aiutar|determinar)",
        r"\bmi dispiace\b.{0,20}\bnon posso\b",
        # Russian
        r"\b(?:извините|простите|к сожалению)\b.{0,20}\bне могу\b",
        rf"\bя не (?:могу|вижу|в состоянии) {_TWO}"
        r"(?:увидеть|видеть|ответить|помочь|определить|изображени)",
        # Arabic, Hindi
        rf"(?:لا أستطيع|لا يمكنني|لا استطيع) {_TWO}(?:رؤية|الإجابة|المساعدة|تحديد|عرض)",
        r"मैं .{0,30}(?:नहीं (?:देख|बता|कर)|असमर्थ)",
        # Vietnamese, Indonesian, Turkish
        rf"\btôi không thể {_TWO}(?:xem|nhìn|thấy|trả lời|xác định|giúp)",
        rf"\bsaya tidak (?:dapat|bisa) {_TWO}(?:melihat|menjawab|membantu|menentukan)",
        # the ı of capitals is read as i
        r"(?:göremiyorum|cevaplayamam|yan[ıi]tlayamam|yard[ıi]mc[ıi] olamam|belirleyemiyorum)",
    )
)

# Each sentence that a pattern fits has one of these; checked first, as it is faster.
_MAY_REFUSE = re.compile(
    r"\b(?:no|nao|any|you|user|please|as an?|non|nicht)\b|not|n't|unable|impossible|decline"
    r"|missing|ne |tidak|amam\b|emiyorum|[^\x00-\x7f]"
)


def is_refusal(text: str) -> bool:
    """Return whether `text` says that its author cannot see the picture or will not answer.

    The wording alone decides: "I cannot see the image, but the answer is B" is a refusal here,
    and an answer to `extract_choice`, which prefers a letter. Statements about the content ("the
    speed cannot be determined", "I cannot see the cat in option A") are not refusals.
    """
    sentences = _SENTENCE_END.split(text.translate(_QUOTES).lower())
    shortened = (" ".join(sentence[:_LONGEST].split()) for sentence in sentences)
    doubtful = filter(_MAY_REFUSE.search, shortened)
    return any(
        pattern.search(sentence)
        for sentence in doubtful
        for pattern in (*_REFUSALS, *_OTHER_LANGUAGES)
    )
