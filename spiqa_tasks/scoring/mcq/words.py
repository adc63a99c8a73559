"""The matcher's table of words: the cues of each kind, language by language.

A line is `kind: cue, cue, ...`; `cues.py` says what the kinds are. Cues are in lower case; of a
word's forms, each stands. To add a language, add a table; languages without spaces between words
stand in `JOINED`, too. A cue of two languages is of the same kind in both, or left out of one.
Every change raises the matcher's version.
"""

# Languages whose cues are found within words: they are written without spaces, or with endings.
JOINED = frozenset(("zh", "ja", "ko", "th"))

# Language -> its table; the first ones are those in which most models are evaluated.
LANGUAGES = {
    "en": """
    answer: answer, ans, answered, verdict, prediction, submission, assistant
    option: option, choice, letter, selection, alternative
    noun: caption, figure, image, candidate, statement
    listing: options, choices, answers, alternatives, statements, of the above
    nouns: images, pictures, figures, captions, points, boxes
    good: correct, right, best, better, true, closest, accurate, appropriate, suitable, the likeliest
    good: more likely, more similar, more appropriate, more suitable, more accurate, more accurately, more closely
    good: more precise, more precisely, more consistent, more plausible, more probable, more probably
    good: more reasonable, more fitting, more relevant, more logical
    good: most likely, most similar, most appropriate, most suitable, most accurate, most accurately, most closely
    good: most precise, most precisely, most consistent, most plausible, most probable, most probably
    good: most reasonable, most fitting, most relevant, most logical, makes the most sense, makes more sense
    fits: matches, match, fits, fit, describes, describe, represents, represent, captures, aligns, summarizes
    fits: correspond to, summarises, suits, remains, shares, share, resembles, make sense, makes sense
    wrong: wrong, incorrect, false, inaccurate, eliminated, eliminate, eliminates, excluded, rejected, discarded
    wrong: dismissed, is too, seems too, appears too, ruled out, rule out, ruling out, not correct, not right, not true
    is: is, are, be, was, were, being, equals
    pick: choose, chose, chosen, choosing, select, selected, selecting, pick, picked, picking, guess, say, leaving
    pick: leaves, leaves us with, go with, going with, went with, opt for, opting for, settle on, settled on, vote for
    pick: corresponds to, corresponding to, matches with, stick with, lean towards, leaning towards
    pick: lean toward, making
    not: not, none, never, neither, nor, cannot, no, without, except, excluding, rather than, instead of
    not: other than, as opposed to, anything but
    if: if, whether, unless, suppose, supposing, assuming, assume, had been, were the, at first glance, at first sight
    if: at first
    may: may, might, could, maybe, perhaps, possibly
    so: so, therefore, thus, hence, consequently, finally, final, overall, ultimately, in conclusion
    so: to conclude, in summary, to summarize, all in all, as a result, in short, i.e.
    so: i'll go with, i will go with
    but: but, actually, rather, wait, instead, correction, scratch, oops, hmm, mistaken, recheck, reconsider
    but: reconsidering, on second thought, on second thoughts, i mean, make it, make that, on reflection, my mistake
    it: it, that, this, these
    and: and, or
    fill: the, most, very, likely, probably, more, likeliest, clearly, indeed, definitely, simply, just, still, either
    fill: both, to, for, of, labeled, labelled, as, correctly, my, a, an, should, would, must, will, seem, seems, appear
    fill: appears, option's, if i had to, if forced to, if i have to, if i must, if we had to, if we have to, if we must, no doubt, not only, no question
    fill: number, i would, i'd, listed, provided, also
    because: because, since, given, due, based, with, which, as it, as the, as they
    because: as this, as there, as a, as we, as well, as an, as i
    only: only
    all: all, each of, every
    else: other, others, remaining, rest
    than: than, unlike, whereas, while, although, though, versus, vs, compared to, compared with, in comparison to
    than: in comparison with, in contrast to, in contrast with
    less: different, differs, differ, less, least, unlikely, unrelated, worse, lacks, lack, fails, inconsistent, off
    hard: difficult, impossible, challenging, unable, insufficient, hard
    know: determine, determined, identify, identified, decide, decided, conclude, distinguish, know, tell, confirm
    know: information, context, decision, determination, judgment, assessment, to answer, answer the, answer this
    know: answer your, be answered, definitive answer, definite answer
    examine: consider, considering, examine, examining, analyze, analyzing, evaluate, evaluating, check, checking
    examine: look, looking
    part: panel, panels, subfigure, subplot, part, row, column, step, equation, figure shows
    other: right angle, right triangle, right side, right hand, the right of, to the right, right angled, right-angled
    other: for not, by the letter, best of, true that, in that, so that, so far, so many, so much, image shows
""",
    "zh": """
    answer: 答案, 答
    option: 选项, 選項
    listing: 的选项, 的選項, 各选项
    good: 正确, 正確, 最佳
    wrong: 错误, 錯誤, 不正确, 不正確, 错, 不适合
    is: 是, 为, 為, 即
    pick: 选择, 選擇, 选, 選
    not: 不是, 不, 没有, 无法, 無法, 无, 無, 均非
    if: 如果, 若, 假设
    so: 所以, 因此, 故, 综上, 綜上, 因而, 由此
    but: 但是, 但
    and: 和, 或, 与
    fill: 应该, 应, 最, 的, 項, 项
    know: 确定, 確定, 判断, 判斷, 判定, 得出, 識別, 识别
    only: 只有
    because: 解析, 解释, 分析, 理由, 因为, 由于, 因為
""",
    "es": """
    answer: respuesta
    option: opción, opcion, letra, alternativa, inciso
    listing: opciones, alternativas
    good: correcta, correcto
    wrong: incorrecta, incorrecto
    is: es
    pick: elijo, escojo
    not: no, ninguna, ninguno
    if: si
    so: por lo tanto, por tanto, en conclusión, entonces, así
    but: pero
    it: esto
    and: y, o
    fill: la, el, lo, los, las, este, de, sería
    because: porque, ya que, debido
    hard: imposible, difícil
    know: determinar, identificar, saber, decidir
""",
    "fr": """
    answer: réponse, réponses
    option: choix, lettre, proposition, option
    listing: options, propositions
    good: bonne, correcte, exacte, juste, bon
    wrong: incorrecte, fausse, faux
    is: est
    pick: choisis
    not: ne, pas, aucune, aucun
    so: donc, ainsi, par conséquent, en conclusion
    but: mais
    and: et, ou
    fill: le, la, les
    because: parce que
    hard: impossible, difficile
    know: déterminer, identifier, répondre
""",
    "de": """
    answer: antwort
    option: buchstabe, auswahl, antwortmöglichkeit, aussage
    listing: optionen, antwortmöglichkeiten
    good: richtig, richtige, richtiger, richtigen, korrekt, korrekte
    wrong: falsch, falsche
    is: ist, lautet, wäre
    pick: wähle, entscheide, entscheiden
    not: nicht, kein, keine
    if: wenn, falls
    so: daher, somit, deshalb, folglich
    but: aber
    and: und, oder
    fill: die, der, das, dem, den, eindeutig, mit, mich, für
    because: weil, denn, da
    hard: unmöglich, schwierig
    know: bestimmen, erkennen, beantworten
""",
    "pt": """
    answer: resposta
    option: opção, opçao, letra, alternativa
    listing: opções, alternativas
    good: correta, correto, certa, certo
    wrong: incorreta, incorreto, errada, errado
    is: é, são, seria
    pick: escolho, corresponde à, corresponde a
    not: não, nao, nenhuma
    so: portanto, logo, assim, em conclusão
    but: mas
    and: e, ou
    fill: a, o, os
    because: pois, porque
    hard: impossível, difícil
    know: determinar, identificar, responder
""",
    "ja": """
    answer: 答え, 解答, 正解, 回答
    option: 選択肢, 記述
    listing: の選択肢
    good: 正しい, 適当, 適切
    wrong: 間違, 誤り, 誤って, 誤った, 適切でない, 適切ではない, 正しくない, 不適切
    is: は, が
    pick: 選び, 選択します
    not: できません, できない, ではな, ではない, ではなく, ではありません, ありません
    if: もし
    so: したがって, よって, だから
    but: でも
    and: と, および
    fill: です, だ, である, 最も, となります, になります, を, の
    know: 特定
    because: 説明, 解説, なぜなら
""",
    "ko": """
    answer: 정답, 답변, 답, 正答
    option: 선택지, 보기
    good: 옳, 맞, 적절한, 적절하다, 적절합, 적절해, 올바른, 적합한
    wrong: 틀, 않, 옳지 않, 맞지 않, 적절하지 않, 올바르지 않
    is: 은, 는, 이, 가
    not: 없, 没, 아니
    if: 만약, 혹시
    so: 따라서, 그러므로
    but: 하지만
    and: 또는
    fill: 입니다, 이다, 것, 번, 을, 를, 가장, 我, 案
    pick: 선택합니다, 선택하, 고르
    know: 判别, 판단, 확인
    only: 만
    because: 해설, 때문
""",
    "ru": """
    answer: ответ, ответом, ответа
    option: вариант, буква, вариантом
    listing: вариантов, варианты
    good: правильный, правильная, правильно, правильным, верный, верная, верно, верным
    wrong: неправильный, неверный, неверно
    is: это, является
    pick: выбираю, выбрал, выбрала, выберу
    not: не, ни, нет
    if: если
    so: поэтому, следовательно, итак, значит, таким образом
    but: но
    and: и, или
    fill: под, буквой, бы
    because: потому, поскольку, так как
    hard: невозможно, трудно, сложно
    know: определить, ответить, выбрать
""",
    "it": """
    answer: risposta
    option: opzione, lettera
    listing: opzioni
    good: corretta, corretto, giusta, giusto, esatta
    wrong: scorretta, errata, sbagliata
    is: è
    pick: scelgo
    not: nessuna
    so: quindi, dunque, perciò, pertanto, in conclusione
    but: ma
    and: ed
    fill: il, lo
    because: perché, poiché
    hard: impossibile
    know: determinare, identificare, rispondere, decidere
""",
    "ar": """
    answer: الإجابة, الاجابة, الجواب, إجابة, الإجابه
    option: الخيار, الاختيار, خيار, الحرف
    listing: الخيارات
    good: الصحيحة, الصحيح, صحيح, صحيحة
    wrong: خاطئ, خاطئة, الخاطئة, الخطأ
    is: هي, هو
    pick: أختار
    not: ليس, ليست, لا
    so: لذلك, إذن, وبالتالي, لذا
    but: لكن
    and: و, أو
    because: لأن, حيث
    hard: مستحيل, صعب
    know: تحديد
""",
    "hi": """
    answer: उत्तर, जवाब
    option: विकल्प
    good: सही
    wrong: गलत
    fill: है, का, होगा
    not: नहीं
    so: इसलिए, अतः
    but: लेकिन
    and: और, या
    because: क्योंकि
""",
    "vi": """
    answer: đáp án, trả lời, câu trả lời
    option: phương án, lựa chọn
    good: đúng, chính xác
    wrong: sai, không đúng
    is: là
    pick: chọn
    not: không
    so: vậy, do đó, vì vậy, vì thế
    but: nhưng
    and: và, hoặc
    because: vì
""",
    "id": """
    answer: jawaban, jawabannya
    option: pilihan, opsi, huruf
    good: benar, tepat, yang benar, yang tepat, yang paling tepat
    wrong: salah
    is: adalah, ialah
    not: bukan, tidak
    pick: memilih
    so: jadi, oleh karena itu, dengan demikian, maka
    but: tetapi
    and: dan, atau
    because: karena
""",
    "tr": """
    answer: cevap, cevabı, cevabım, cevabımız, yanıt, yanıtı
    option: seçenek, seçeneği, seçeneğidir, seçeneğinde, şık, şıkkı, şıkkıdır, şıkkında
    good: doğru, doğrudur
    wrong: yanlış
    not: değil, değildir
    so: bu nedenle, dolayısıyla, sonuç olarak
    but: ancak
    and: ve, veya
    fill: olarak, olmalıdır
    because: çünkü
""",
    "az": """
    answer: cavab, cavabı, cavabdır
    option: variant, variantı, variantıdır, variantdır, variantında
    good: düzgün, düzgündür
    wrong: səhv, yanlışdır
    not: deyil, heç
    so: deməli, beləliklə, buna görə
    but: lakin, amma
    and: və
    because: çünki
""",
    "uz": """
    answer: javob, javobi, javobni, жавоб, жавоби
    option: varianti, variantida, вариантида
    good: to'g'ri, тўғри
    wrong: noto'g'ri, нотўғри
    not: emas, эмас
    so: demak, shuning uchun, демак, шунинг учун
    but: lekin, лекин
    and: va, ва, yoki, ёки
    fill: hisoblanadi, ҳисобланади
    because: chunki, чунки
""",
    "kk": """
    answer: жауап, жауабы, jawap, juwap
    option: нұсқа, нұсқасы
    good: дұрыс, durys
    wrong: қате
    not: емес, emes
    so: демек, сондықтан
    but: бірақ
    and: және, немесе
    because: себебі, өйткені
""",
    "tt": """
    answer: җавап, җавабы, джевап, джевабы
    good: дөрес
    wrong: ялгыш
    not: түгел
    so: димәк, шуңа күрә, шулай итеп
    but: ләкин
    and: һәм, яки
    because: чөнки
""",
    "ug": """
    answer: جاۋاب, جاۋابى, jawab
    option: ۋارىيانت
    good: توغرا
    wrong: خاتا
    not: ئەمەس
    so: شۇڭا, دېمەك
    but: لېكىن
    and: ۋە, ياكى
    because: چۈنكى
""",
    "fa": """
    answer: پاسخ, جواب
    option: گزینه, گزینهٔ, گزینه‌ی, گزینۀ
    good: درست, صحیح
    wrong: نادرست, غلط
    is: است, می‌باشد
    not: نیست
    so: بنابراین, پس
    but: اما
    and: یا
    because: زیرا, چون
""",
    "th": """
    answer: คำตอบ, เฉลย, ตอบ
    option: ตัวเลือก, ข้อ
    good: ถูกต้อง, ที่ถูก, ถูก
    wrong: ผิด
    is: คือ, เป็น
    pick: เลือก
    not: ไม่
    so: ดังนั้น
    but: แต่
    and: และ, หรือ
    because: เพราะ
""",
    "bn": """
    answer: উত্তর, উত্তরটি
    option: বিকল্প, অপশন
    good: সঠিক
    wrong: ভুল
    fill: হল, হলো, হবে
    not: নয়
    so: সুতরাং, অতএব, তাই
    but: কিন্তু
    and: এবং, বা
    because: কারণ
""",
    "te": """
    answer: సమాధానం
    option: ఎంపిక
    good: సరైన
    wrong: తప్పు
    not: కాదు
    so: కాబట్టి, అందువల్ల
""",
    "uk": """
    answer: відповідь, відповіддю
    option: варіант, літера
    good: правильна, правильний, правильною, вірна, вірний
    wrong: неправильна, невірна
    is: це, є
    not: ні
    so: отже, тому
    but: але
    and: або, та
    because: бо, оскільки
""",
    "pl": """
    answer: odpowiedź, odpowiedzią
    option: opcja, wariant, litera
    good: prawidłowa, poprawna, właściwa, prawidłową, poprawną
    wrong: błędna, nieprawidłowa
    is: jest, są, brzmi
    not: nie
    so: więc, zatem, dlatego
    but: ale
    and: lub, oraz
    because: ponieważ
""",
    "nl": """
    answer: antwoord
    option: optie, keuze
    good: juiste, goede
    wrong: onjuist
    is: luidt
    not: niet, geen
    so: dus
    but: maar
    and: en
    fill: het
    because: omdat
""",
    "cs": """
    answer: odpověď, odpovědí
    option: možnost, varianta
    good: správná, správnou, správně
    wrong: špatná, nesprávná
    is: je
    not: není
    so: tedy, proto
    because: protože
""",
    "ro": """
    answer: răspuns, răspunsul
    option: opțiunea, varianta, opţiunea
    good: corect, corectă
    wrong: greșit, incorectă
    is: este
    not: nu
    so: deci, așadar, prin urmare
    and: sau, și
    because: deoarece
""",
    "hu": """
    answer: válasz
    option: opció, lehetőség, válaszlehetőség
    good: helyes
    wrong: helytelen
    not: nem
    so: tehát, ezért
    and: vagy
    because: mert
""",
    "el": """
    answer: απάντηση
    option: επιλογή
    good: σωστή, ορθή
    wrong: λάθος
    is: είναι
    pick: επιλέγω
    not: δεν, όχι
    so: επομένως, άρα
    and: και, ή
    fill: η, το
    because: επειδή, διότι
""",
    "he": """
    answer: תשובה, התשובה
    option: אפשרות, האפשרות
    good: נכונה, הנכונה, נכון
    wrong: שגויה
    is: היא, הוא
    pick: בוחר, בוחרת
    not: לא
    so: לכן
    and: או
    because: כי
""",
    "ur": """
    good: درست
    option: آپشن, اختیار
    fill: ہے, کا
    not: نہیں
    so: لہذا, اس لیے
    but: لیکن
    and: اور
    because: کیونکہ
""",
    "sw": """
    answer: jibu
    option: chaguo
    good: sahihi
    fill: ni, la
    not: sio
    so: kwa hiyo, kwa hivyo
    because: kwa sababu
""",
    "sv": """
    answer: svar, svaret
    option: alternativ
    good: rätt, rätta
    is: är
    not: inte
""",
    "marks": """
    good: ✓, ✔, ✅, ☑
    wrong: ✗, ✘, ❌, ✕, ☒, ×
    is: =
    so: ∴, ⇒
    and: /, &, plus
""",
}

ORDINALS = """
    first, second, third, fourth, fifth, sixth
    primera, segunda, tercera, cuarta, quinta, sexta
    primeira, segunda, terceira, quarta, quinta, sexta
    première, deuxième, troisième, quatrième, cinquième, sixième
    erste, zweite, dritte, vierte, fünfte, sechste
    prima, seconda, terza, quarta, quinta, sesta
    первый, второй, третий, четвертый, пятый, шестой
"""

# What ordinals count: `the second option` is B.
COUNTED = "option, choice, alternative, opción, opção, alternativa, proposition, opzione, вариант"
