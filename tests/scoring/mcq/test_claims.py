"""Kinds of claims that answers of real models make, and what cancels them, each in several
wordings.
"""

import re

import pytest

from spiqa_tasks.scoring.mcq import extract_choice

COLOURS = {"A": "red", "B": "blue", "C": "green", "D": "yellow"}
PICTURES = dict.fromkeys("ABCD", "")
NUMBERED = {"1": "red", "2": "blue", "3": "green", "4": "yellow"}
ANGLES = {"A": "60°", "B": "90°", "C": "30°"}
NUMBERS = dict.fromkeys("12345", "")
VERDICTS = {"A": "True", "B": "False"}
LENGTHS = {"A": "16 cm", "B": "12 cm"}
SUMS = {"A": "4", "B": "6", "C": "8"}
IMAGES = {"A": "the second image", "B": "the third image"}

CLAIMS = (
    ("Sentence B", COLOURS, "B"),
    ("Statement B", COLOURS, "B"),
    ("Video B", COLOURS, "B"),
    ("Graph B", COLOURS, "B"),
    ("Panel B", COLOURS, "B"),
    ("Point B", COLOURS, "B"),
    ("Text B", COLOURS, "B"),
    ("Map B", COLOURS, "B"),
    ("Sequence B", COLOURS, "B"),
    ("Diagram B", COLOURS, "B"),
    ("Passage B", COLOURS, "B"),
    ("Hypothesis B", COLOURS, "B"),
    ("AI: B", COLOURS, "B"),
    ("The answer is Sentence B.", COLOURS, "B"),
    ("Answer: Video B", PICTURES, "B"),
    ("Sentence B is the most plausible.", PICTURES, "B"),
    ("The color in the picture is option B.", COLOURS, "B"),
    ("So it is growing, which is option C.", COLOURS, "C"),
    ("It is growing, option C.", COLOURS, "C"),
    ("It is growing, i.e. option C", COLOURS, "C"),
    ("The first option is the best answer.", COLOURS, "A"),
    ("The correct one is the second option.", COLOURS, "B"),
    ("The formula is **option B**, which is: $A = 3x$", PICTURES, "B"),
    (
        "Therefore, the captions that fit best are: A) red x B) blue y C) green z D) yellow",
        COLOURS,
        None,
    ),
    ("Thus the possible options are A) red B) blue C) green D) yellow", COLOURS, None),
    ("所以可能的选项有 A）红 B）蓝 C）绿 D）黄", PICTURES, None),
    (
        "Therefore, the captions that best describe the image are: A) ... B) ... C) ... D) ...",
        COLOURS,
        None,
    ),
    ("The answer is D.\n\nOption A", COLOURS, "D"),
    ("The answer is D. It is not red but rather a", COLOURS, "D"),
    ("答案\uff1aD\n\n解析\uff1a\n\nA.", PICTURES, "D"),
    ("B\n\nIt is a", COLOURS, "B"),
    ("B\n\nIt is not red but rather a", COLOURS, "B"),
    ("The answer is B. It is not a square but rather a", COLOURS, "B"),
    ("\nA) 0000000000000000000000000000000000000000000000", COLOURS, "A"),
    ("A\nB\nD", PICTURES, None),
    ("A D", PICTURES, None),
    ("B is correct. Answer: BD", PICTURES, None),
    ("综上所述，故选AB。", PICTURES, None),
    ("正确选项是\uff1aABC", PICTURES, None),
    ("정답: 1번, 5번", NUMBERS, None),
    ("1, 5", NUMBERS, None),
    ("1번, 5번", NUMBERS, None),
    ("La respuesta correcta es **3. Clasificar al niño**", NUMBERED, "3"),
    ("La respuesta **correcta** es: **3**", NUMBERED, "3"),
    ("A resposta correta é 2", NUMBERED, "2"),
    ("답변: **3**", NUMBERED, "3"),
    ("Düzgün cavab B-dir.", PICTURES, "B"),
    ("So it is 2 * 60° = 120°. However, this is not an option.", ANGLES, None),
    ("It is 60°. It is red, but that is not an option. The answer is 90°.", ANGLES, "B"),
    # a listing of options whose texts are not known is no next question
    (
        "Then:\nA. i\nB. ii\nC. iii\nAnswer: C\n\nThe rest:\nA. i\nB. ii\nC. iii\nAnswer: D",
        PICTURES,
        "D",
    ),
    ("Option 2</s>", NUMBERED, "2"),
    ("<b>2</b>", NUMBERED, "2"),
    ("(2)</s>", NUMBERED, "2"),
    ("2</s>", NUMBERED, "2"),
    ("2. blue</s>", NUMBERED, "2"),
    (
        "The answer is B. Succession is not a form of interaction.",
        {"A": "Mutualism", "B": "Succession", "C": "Predation", "D": "x"},
        "B",
    ),
    ("错误的叙述是C选项。", PICTURES, "C"),
    ("Therefore, option C, green, cannot be the correct answer.", COLOURS, None),
    ("So A, red, must be excluded.", COLOURS, None),
    ("It could be blue. But all five alternatives are incorrect.", COLOURS, None),
    ("It is blue, which is not present among the given options", COLOURS, None),
    ("It is B. None of the given options matches this.", COLOURS, None),
    ("The change is \u221250%.", {"A": "-50%", "B": "50%", "C": "5%"}, "A"),
    ("The change is \u201350%.", {"A": "-50%", "B": "50%"}, "A"),
    ("It is 1\u20132", {"A": "1-2", "B": "2-3"}, "A"),
    ("It rains.\rAnswer: B", COLOURS, "B"),
    ("Answer\uff1a \uff22", COLOURS, "B"),
    ("A、红色\nB、蓝色\nC、绿色\nD、黄色", PICTURES, None),
    ("B. 这是一个解释，因为天空是蓝的", PICTURES, "B"),
    ("因此，正确答案是\uff1a\n\nC．太平天国运动", PICTURES, "C"),
    ("<CONCLUSION> B </CONCLUSION>", COLOURS, "B"),
    ("<solution>B</solution>", COLOURS, "B"),
    ("A fits. <output>B</output>", COLOURS, "B"),
    ("<response>blue</response>", COLOURS, "B"),
    ("<result>B</result>", COLOURS, "B"),
    ("<final>B</final>", COLOURS, "B"),
    ("answer B.B", COLOURS, "B"),
    (
        "Here is the answer:\n\n**Question:** Which?\n\nA. red\nB. blue\n\n**Answer:** B\n\nIt is.",
        COLOURS,
        "B",
    ),
    ("I do not know", {"A": "red", "B": "blue", "C": "I do not know"}, "C"),
    ("The answer is: I do not know.", {"A": "red", "B": "blue", "C": "I do not know"}, "C"),
    # An answer named or concluded by an option's text outranks a stated letter.
    (
        "[Question] Do they attract? [Choices] (A) red (B) blue Answer: red",
        {"A": "red", "B": "blue"},
        "A",
    ),
    ("A fits best. So, thus, it is blue.", COLOURS, "B"),
    ("Then P(S) is 3. Try (B). So x = 3 + 1. Then y = 5 \\cdot", SUMS, None),
    # The last conclusion that names one option.
    ("Option A fits the sky. Option B is wide.\n\nSo, option C covers it all.", COLOURS, "C"),
    ("Option A fits.\n\nTherefore, option B makes the most sense.", COLOURS, "B"),
    # The only option that is mentioned.
    ("It is a pie, which aligns with option C, a pie that is common.", COLOURS, "C"),
    ("这道菜通常被称为萝卜糕，对应选项B。萝卜糕是一种传统的点心。", COLOURS, "B"),
    ("The translation has an error.\n\nSource:\nIt rains.\n\nThe answer is (B).", COLOURS, "B"),
    ("The best answer, considering that it rains, is (B). (C) is close.", COLOURS, "B"),
    ("따라서 정답은 혈우병 (C)입니다.", COLOURS, "C"),
    ("따라서 D가 가장 적절하다.", COLOURS, "D"),
    ("కాబట్టి, సరైన సమాధానం:\n\nసమాధానం: B", COLOURS, "B"),
    ("Therefore, the correct answer is:\n'Answer: B'", COLOURS, "B"),
    ("A: Let's think.\n\nThe sky is shown in (B), as it is.", COLOURS, "B"),
    ("Let A = True. So the answer is False.", VERDICTS, "B"),
    ("B = 12 cm. \\boxed{16 cm}", LENGTHS, "A"),
    ("B: 12 cm, so it fails. The correct answer is 16 cm.", LENGTHS, "A"),
    ("<answer>16 cm</answer> since B = 12 cm", LENGTHS, "A"),
    ("Answer: b, c", COLOURS, None),
    ("【回答】c,d", COLOURS, None),
    ("【回答】C,D", COLOURS, None),
    ("\\boxed{b,c}", COLOURS, None),
    ("Both b and c are correct.", COLOURS, None),
    ("Answer: B\n\n**D) yellow sun**\nWrong because it rains.", COLOURS, "B"),
    ("Answer: B\n\nIncorrect options:\n\nD) yellow", COLOURS, "B"),
    ("La respuesta es la opción 3.\n\nX.[1][2]", NUMBERED, "3"),
    ("It is green.\n\nSources:\n[1] url", NUMBERED, "3"),
    ("It is green [1][4].", NUMBERED, "3"),
    ("The value is 3. None of the given options are correct", {"A": "3", "B": "4"}, None),
    ("The result is 15, which is not listed among the options", {"A": "15", "B": "5"}, None),
    ("${C}_2 {H}_7 {N}$", PICTURES, None),
    ("The answer is the value of σ(D).", PICTURES, None),
    ("the matrix $[A]$", PICTURES, None),
    ("A (confidence: 0.25)", COLOURS, "A"),
    ("B (85%)", COLOURS, "B"),
    ("C (high confidence)", COLOURS, "C"),
    ("Yes ### Output: The correct answer is No.", {"A": "Yes", "B": "No"}, "A"),
    ("The answer is B. No, wait, all five alternatives are incorrect", COLOURS, None),
    ("Answer: B\n\nOn reflection, it is not listed among the options.", COLOURS, None),
    ("None of the given options matches this. Still, the closest is B.", COLOURS, "B"),
    ("**2**", NUMBERED, "2"),
    ("따라서, 적절하지 않은 것은 2번입니다.", NUMBERED, "2"),
    ("B\n\nIt is so.\n\nThese are d", COLOURS, "B"),
    ("The point is therefore:\n\n(C) Point C", PICTURES, "C"),
    ("So, the answer is (A) Point A and (B) Point B.", PICTURES, None),
    ("A. red is too warm\n\nTherefore, the correct answer is:\n\nB. blue", COLOURS, "B"),
    ("A matches the sky. Therefore, the one that fits best is B.", PICTURES, "B"),
    ("However, if we must choose, it would be (B) the third image, as it fits.", PICTURES, "B"),
    ("A alternativa que melhor se encaixa é a A, pois é vermelho.", COLOURS, "A"),
    ("The most fitting decision that one would make is:\n\nB. It is so.", COLOURS, "B"),
    ("The car is blue. This can be seen as it is neither red nor green.", COLOURS, "B"),
    ("Resposta: C.\n\nQuestão 5: Qual?\nResposta: A.", COLOURS, "C"),
    ('"A"\n##\nQuestão 5:\nEnunciado: Qual?\nResposta: D. o', COLOURS, "A"),
    ("The answer is (A).\nThe answer is (D).\nThe answer is (C).", COLOURS, None),
    (
        "a) It is 9. The answer is A.\nb) Then the answer is (D).\nc) The answer is B.",
        COLOURS,
        None,
    ),
    ("Isso dá azul, o que corresponde à alternativa B.", COLOURS, "B"),
    ("I chose [C] because it fits.", COLOURS, "C"),
)
FORMS = (
    ("答えは「B」です。", "B"),
    ("正解はB: 青です", "B"),
    ("Bが正解です。", "B"),
    ("選択肢Bが最も適切です。", "B"),
    ("したがって、答えはBとなる。", "B"),
    ("正答はB", "B"),
    ("【答え】B", "B"),
    ("最終回答：B", "B"),
    ("Bです。", "B"),
    ("答え：(B)", "B"),
    ("よって、正解は選択肢Bです。", "B"),
    ("正解は **B** です。", "B"),
    ("回答: B. 青", "B"),
    ("したがって、最も適切な選択肢はBです。", "B"),
    ("選択肢の中で正しいのはBです。", "B"),
    ("Bを選びます。", "B"),
    ("正解は(B)の青です", "B"),
    ("正解：B（青）", "B"),
    ("したがって、正解はB「青」である。", "B"),
    ("誤っているのはBです。", "B"),
    ("適切でないのはBである。", "B"),
    ("したがって、答えはBではありません。", None),
    ("正解はBではない。", None),
    ("Ответ: B) синий", "B"),
    ("Верный вариант — B.", "B"),
    ("Вариант ответа B", "B"),
    ("Ответ — B", "B"),
    ("Ответ: «B»", "B"),
    ("Я бы выбрал вариант B.", "B"),
    ("Таким образом, правильный ответ — B.", "B"),
    ("Правильный ответ: \u0410) красный", "A"),
    ("Правильный ответ: \u0421", "C"),
    ("Правильный ответ под буквой B.", "B"),
    ("Правильным является вариант B.", "B"),
    ("Верно: B", "B"),
    ("B — правильный ответ.", "B"),
    ("Правильный ответ – B) синий.", "B"),
    ("Поэтому правильный ответ - B.", "B"),
    ("Правильный ответ не B.", None),
    ("Я не могу определить ответ.", None),
    ("La respuesta correcta es: B) azul", "B"),
    ("La opción correcta es la (B).", "B"),
    ("Opción B: azul", "B"),
    ("La alternativa correcta es la B.", "B"),
    ("Por lo tanto, la respuesta correcta es la opción B.", "B"),
    ("La respuesta correcta es b) azul.", "B"),
    ("La respuesta es la letra C.", "C"),
    ("b)", "B"),
    ("b) azul", "B"),
    ("Respuesta: b)", "B"),
    ("La correcta es la B", "B"),
    ("La B es la respuesta correcta.", "B"),
    ("La respuesta correcta es la opción **b) azul**.", "B"),
    ("Ninguna de las opciones es correcta.", None),
    ("No se puede determinar la respuesta.", None),
    ("La opción A es incorrecta. La opción B es correcta.", "B"),
    ("Doğru cevap B şıkkıdır.", "B"),
    ("Doğru cevap: B) mavi", "B"),
    ("B seçeneği", "B"),
    ("Yanıt: C", "C"),
    ("Cevap B seçeneğidir.", "B"),
    ("Doğru yanıt B'dir.", "B"),
    ("Doğru cevap B seçeneğidir.", "B"),
    ("Cevap: **B**", "B"),
    ("Bu nedenle doğru cevap B) mavi.", "B"),
    ("Cevabım B.", "B"),
    ("B) mavi", "B"),
    ("Doğru cevap (B) mavi'dir.", "B"),
    ("Cevap B değildir.", None),
    ("Hiçbiri doğru değil.", None),
    ("Đáp án đúng là B. xanh", "B"),
    ("Chọn đáp án B.", "B"),
    ("Đáp án cần chọn là: B", "B"),
    ("Câu trả lời: B", "B"),
    ("→ B", "B"),
    ("Vậy chọn B.", "B"),
    ("Vậy đáp án là B.", "B"),
    ("Đáp án chính xác là B.", "B"),
    ("Do đó, đáp án đúng là B.", "B"),
    ("Phương án đúng là B", "B"),
    ("Câu trả lời đúng là: B. xanh", "B"),
    ("Đáp án B", "B"),
    ("Đáp án là **B**", "B"),
    ("Đáp án không phải là B.", None),
    ("Không có đáp án nào đúng.", None),
    ("الإجابة الصحيحة هي: ب) أزرق", "B"),
    ("الجواب: (ب)", "B"),
    ("الخيار الصحيح هو ب", "B"),
    ("الإجابة الصحيحة هي الخيار B.", "B"),
    ("الإجابة: ج", "C"),
    ("أ", "A"),
    ("ب", "B"),
    ("ب. أزرق", "B"),
    ("الجواب الصحيح هو (د)", "D"),
    ("إذن الإجابة الصحيحة هي B", "B"),
    ("الإجابة الصحيحة هي **ب**", "B"),
    ("B هي الإجابة الصحيحة.", "B"),
    ("الإجابة ليست B.", None),
    (" B\n\nQuestion: Who?\nA. x\nB. y\nC. z\nD. w\nAnswer: C", "B"),
    (
        (
            "Okay. Option A is red. Maybe the answer is A. But wait, it is blue. So the answer"
            " should be B."
        ),
        "B",
    ),
    ("Hmm, maybe the answer is A? Let me look again. The sky is", None),
    ("Okay, so it could be B. Perhaps the answer is C, but I need to check", None),
    ("<CONCLUSION>\nThe answer is B.\n</CONCLUSION>", "B"),
    ("<Reasoning>\nIt is wide.\n</Reasoning>\n<Conclusion>\nB</Conclusion>", "B"),
    ("The metadata has an <answer>A</answer> tag, which is odd.\n\nFINAL ANSWER: B", "B"),
    ("\\boxed{A}\n\nWait, it is not red.\n\nThe answer is B.", "B"),
    ("The answer is A.\n\nIt is blue.\n\n\\boxed{B}", "B"),
    ("C, D and A can be ruled out, leaving B.", "B"),
    ("Which is it: [A] Knee [B] Hip [C] Shoulder? [D] Rib", None),
    (
        (
            "<SUMMARY> I look. </SUMMARY>\n\n<REASONING> It is. </REASONING>\n\n<CONCLUSION> B"
            " </CONCLUSION>"
        ),
        "B",
    ),
    ("B: blue\nC: green", None),
    ("I would say B", "B"),
    ("It's B", "B"),
    ("b", "B"),
    ("Ans: B", "B"),
    ("Ans. (B)", "B"),
    ("The answer is option (B), blue.", "B"),
    ("**Final Answer**\n\nB", "B"),
    ("### Final Answer: \\(\\boxed{B}\\)", "B"),
    ("$$\\boxed{B}$$", "B"),
    ("The correct option is:\n\n**B. blue**", "B"),
    ("Correct Answer: B) blue", "B"),
    ("correct answer - B", "B"),
    ("Selected option: B", "B"),
    ("My choice: B", "B"),
    ("Choice: B", "B"),
    ("Letter: B", "B"),
    ("The letter of the correct answer is B.", "B"),
    ("Output: B", "B"),
    ("Response: B", "B"),
    ("Result: B", "B"),
    ("Prediction: B", "B"),
    ("A. red is wrong\nB. blue is right", "B"),
    ("Thus, the final answer is $B$.", "B"),
    ("Thus the correct choice is \\textbf{B}.", "B"),
    ("The answer is: ```B```", "B"),
    ("['B']", "B"),
    ('{"choice": "B"}', "B"),
    ('{"answer":{"letter":"B"}}', "B"),
    ("answer: B.", "B"),
    ("The answer would be B", "B"),
    ("The best fit is B.", "B"),
    ("B is the best choice", "B"),
    ("The answer: B", "B"),
    ("Therefore, B.", "B"),
    ("Therefore: B", "B"),
    ("=> B", "B"),
    ("Final: B", "B"),
    ("Thus, answer is B", "B"),
    ("So answer B", "B"),
    ("So, I'd choose B", "B"),
    ("I'll go with B", "B"),
    ("My final answer is B", "B"),
    ("I am confident that the answer is B", "B"),
    ("The answer must be B", "B"),
    ("The answer has to be B", "B"),
    ("Answer is most likely B", "B"),
    ("Hence, the correct answer is option B i.e. blue", "B"),
    ("Out of these, B is correct", "B"),
    ("Looking at it, B seems right", "B"),
    ("B seems to be the correct answer", "B"),
    ("B appears correct", "B"),
    ("The statement B is true", "B"),
    ("Only B is true", "B"),
    ("A, C and D are wrong", None),
    ("None of these", None),
    ("Both A and B", None),
    ("All of the above", None),
    ("It cannot be determined", None),
    ("A or maybe B", None),
    ("I can't choose between A and B", None),
)
LANGUAGES = {
    "vi": (
        "Đáp án: B",
        "Đáp án đúng là B",
        "Đáp án là B.",
        "Câu trả lời đúng là B.",
        "Chọn B",
        "Phương án B",
        "Vậy đáp án đúng là B.",
        "B là đáp án đúng.",
        "Lựa chọn đúng là B",
        "Do đó, đáp án là B.",
    ),
    "fa": (
        "پاسخ: B",
        "پاسخ صحیح B است.",
        "گزینه B",
        "پاسخ درست گزینه B است.",
        "جواب: B",
        "جواب B است",
        "بنابراین پاسخ B است.",
        "گزینه B صحیح است.",
        "پاسخ صحیح: B",
    ),
    "id": (
        "Jawaban: B",
        "Jawabannya adalah B.",
        "Jawaban yang benar adalah B.",
        "Pilihan B",
        "Jawaban yang tepat adalah B",
        "Opsi B benar.",
        "Jadi, jawabannya adalah B.",
        "Pilihan yang benar adalah B.",
        "B adalah jawaban yang benar.",
        "Oleh karena itu, jawabannya B.",
    ),
    "ar": (
        "الإجابة: B",
        "الإجابة الصحيحة هي B.",
        "الجواب: B",
        "الخيار B",
        "الخيار الصحيح هو B",
        "الإجابة هي B",
        "الجواب الصحيح هو B.",
        "لذلك، الإجابة هي B.",
        "الخيار B صحيح.",
        "الإجابة الصحيحة: B",
    ),
    "hi": (
        "उत्तर: B",
        "सही उत्तर B है।",
        "उत्तर है B",
        "विकल्प B",
        "सही विकल्प B है।",
        "सही जवाब: B",
        "इसलिए, सही उत्तर B है।",
        "विकल्प B सही है।",
        "उत्तर B",
        "सही उत्तर: B",
    ),
    "tr": (
        "Doğru cevap B şıkkıdır.",
        "Sonuç olarak, doğru cevap B seçeneğidir.",
        "Cevap: B şıkkı",
        "Cevabımız B şıkkıdır.",
        "Cevap: B",
        "Doğru cevap: B",
        "Doğru cevap B'dir.",
        "Doğru seçenek B'dir.",
        "B şıkkı",
        "Seçenek B",
        "Cevap B.",
        "Bu nedenle, doğru cevap B'dir.",
        "B seçeneği doğru.",
        "B seçeneği doğrudur.",
        "Yanıt: B",
    ),
    "el": (
        "Απάντηση: B",
        "Η σωστή απάντηση είναι B.",
        "Η απάντηση είναι η B.",
        "Επιλογή B",
        "Η σωστή επιλογή είναι η B",
        "Η επιλογή B είναι σωστή.",
        "Επομένως, η απάντηση είναι B.",
        "Σωστή απάντηση: B",
        "Η απάντηση είναι: B",
        "Άρα η B",
        "Επιλέγω B.",
    ),
    "th": (
        "คำตอบ: B",
        "คำตอบคือ B",
        "คำตอบที่ถูกต้องคือ B",
        "ตัวเลือก B",
        "ข้อ B",
        "ตอบ B",
        "ดังนั้น คำตอบคือ B",
        "เลือก B",
        "ข้อที่ถูกคือ B",
        "ตัวเลือก B ถูกต้อง",
    ),
    "bn": (
        "উত্তর: B",
        "সঠিক উত্তর: B",
        "সঠিক উত্তর হল B",
        "উত্তর হলো B",
        "বিকল্প B",
        "সঠিক বিকল্প B",
        "সুতরাং, সঠিক উত্তর B",
        "উত্তর B",
        "সঠিক উত্তরটি হল B",
        "বিকল্প B সঠিক",
    ),
    "he": (
        "תשובה: B",
        "התשובה הנכונה היא B",
        "התשובה היא B",
        "אפשרות B",
        "האפשרות הנכונה היא B",
        "לכן, התשובה היא B",
        "התשובה: B",
        "תשובה B",
        "אפשרות B נכונה",
        "התשובה הנכונה: B",
        "אני בוחר B",
    ),
    "ur": (
        "جواب: B",
        "صحیح جواب B ہے۔",
        "درست جواب B ہے",
        "آپشن B",
        "درست آپشن B ہے",
        "لہذا، صحیح جواب B ہے۔",
        "جواب B ہے",
        "صحیح جواب: B",
        "آپشن B درست ہے",
        "جواب ہے B",
    ),
    "cs": (
        "Odpověď: B",
        "Správná odpověď je B.",
        "Odpověď je B",
        "Možnost B",
        "Správná možnost je B",
        "Možnost B je správná.",
        "Správná odpověď: B",
        "Proto je správná odpověď B.",
        "Správně je B",
        "Odpověď B",
    ),
    "ro": (
        "Răspuns: B",
        "Răspunsul corect este B.",
        "Răspunsul este B",
        "Opțiunea B",
        "Varianta corectă este B",
        "Opțiunea B este corectă.",
        "Răspuns corect: B",
        "Deci, răspunsul corect este B.",
        "Varianta B",
        "Răspunsul: B",
    ),
    "hu": (
        "Válasz: B",
        "A helyes válasz: B",
        "A helyes válasz a B.",
        "A válasz B",
        "Helyes válasz: B",
        "A B válasz helyes.",
        "Tehát a helyes válasz a B.",
        "A helyes válasz B.",
        "B a helyes válasz.",
        "A helyes lehetőség a B",
    ),
    "uk": (
        "Відповідь: B",
        "Правильна відповідь: B",
        "Правильна відповідь — B",
        "Відповідь B",
        "Варіант B",
        "Правильний варіант: B",
        "Отже, правильна відповідь: B",
        "Правильною є B",
        "Варіант B правильний.",
        "Відповідь: варіант B",
    ),
    "sw": (
        "Jibu: B",
        "Jibu ni B",
        "Jibu sahihi ni B.",
        "Chaguo B",
        "Chaguo sahihi ni B",
        "Jibu sahihi: B",
        "Kwa hiyo, jibu sahihi ni B.",
        "B ni jibu sahihi.",
        "Chaguo B ni sahihi.",
    ),
    "pl": (
        "Odpowiedź: B",
        "Prawidłowa odpowiedź to B.",
        "Poprawna odpowiedź: B",
        "Odpowiedź B",
        "Odpowiedź to B",
        "Opcja B",
        "Zatem prawidłowa odpowiedź to B.",
        "Odpowiedzią jest B.",
        "Odpowiedź B jest poprawna.",
        "Właściwa odpowiedź to B",
    ),
    "ru": (
        "Ответ: B",
        "Правильный ответ: B",
        "Правильный ответ — B.",
        "Правильный ответ - B",
        "Вариант B",
        "Верный ответ под буквой B",
        "Следовательно, правильный ответ B.",
        "Правильным ответом является B",
        "Ответ: В",
    ),
    "ja": (
        "答え: B",
        "答えはBです。",
        "正解はBです。",
        "正解：B",
        "選択肢B",
        "選択肢Bが正しい。",
        "したがって、正解はBです。",
        "答え：B",
        "解答はBとなります。",
        "正しい選択肢はBです",
    ),
    "es": (
        "Respuesta: B",
        "La respuesta correcta es B.",
        "La respuesta correcta es la B)",
        "La opción correcta es la B.",
        "Opción B",
        "Por lo tanto, la respuesta es B.",
        "Respuesta correcta: B",
        "Elijo la B",
        "La respuesta es la opción B",
        "B es la correcta.",
    ),
    "az": (
        "Cavab: B",
        "Düzgün cavab B variantıdır.",
        "Yəni sualın düzgün cavab B variantıdır.",
        "Deməli, cavab B.",
        "Doğru cavab: B",
    ),
    "uz": (
        "Javob: B",
        "Demak, javob B.",
        "Shuning uchun javob B hisoblanadi.",
        "To\u02bbg\u02bbri javob: B",
        "Жавоб: B",
        "Демак, тўғри жавоб B.",
    ),
    "kk": ("Жауап: B", "Дұрыс жауап: **B**", "Демек, жауабы B.", "Jawap: B", "Juwap: B"),
    "tt": ("Җавап: B", "Дөрес җавап: B", "Димәк, дөрес җавап B.", "Джевап: B"),
    "ug": ("جاۋاب: B", "توغرا جاۋاب B", "شۇڭا توغرا جاۋاب B.", "Jawab: **B**"),
    "en": (
        "B seems to be the correct answer.",
        "B appears correct",
        "Looking at it, B seems right.",
    ),
}
"""Language -> ordinary forms of an answer."""


AIRPORT = {"A": "car", "B": "theatre", "C": "airport", "D": "hotel"}
TALK = {"A": "initiate", "B": "ignore", "C": "question", "D": "answer", "E": "ask"}
CATS = {"A": "whiskers", "B": "sharp teeth", "C": "purr", "D": "four legs", "E": "sharp claws"}
FEVER = {
    "1": "野生のイノシシがレゼルボアとなる。",
    "2": "ダニが媒介する。",
    "3": "臨床症状は豚熱と類似している。",
    "4": "ゲノムは 2 本鎖 DNA である。",
    "5": "ワクチンによる予防が有効である。",
}
SALT = {
    "الف": "زیاد نمک در غذا می ریزد",
    "ب": "کمک هایش معمولا قدردانی ندارد",
    "پ": "در آشپزی مهارت دارد",
}
STATEMENTS = {"A": "All three are true", "B": "None are true", "C": "I only", "D": "I and II"}
SMILES = {"A": "*/C=C/NC.[NH4+]", "B": "*/C=C/NC(C*).[NH4+]", "C": "*/C=C/NC.NH4+"}

KIN = {
    "1": "Jerry is Al's grandparent.",
    "2": "Jerry is Al's uncle.",
    "3": "Jerry is Al's sibling.",
}
COLD = {"A": "ice pack", "B": "freezer", "C": "laboratory", "E": "refrigerator"}
LONG = " as it is" * 200  # long enough that an end without a full stop is a cut
SIDES = {"A": "3", "B": "4", "C": "6", "D": "8"}
SOLIDS = {"A": "shiny", "B": "slippery", "C": "hard"}

PUBLISHED = (
    ("Thus, (A) and (C) are true. The answer is (B).", COLOURS, "B"),
    ("So (A) is true, (c) weighs 2 kg. The answer is B.", COLOURS, "B"),
    ("The likeliest reason for not seeing it is option B: it fails. Option D adds", PICTURES, "B"),
    ("The most likely answer is either A (8) or B (11).", PICTURES, None),
    ("The best answer is B C", PICTURES, None),
    # ThaiExam, models of 2025; MedArabiQ
    ("Option (A), (B) and (C) are risks of the market.", PICTURES, None),
    ("A, B and C are colours of the sky.", COLOURS, None),
    ("ตัวเลือก a, b และ c เป็นความเสี่ยงตลาด", COLOURS, None),
    ("ตรงกันข้าม (ข้อ a, b, c)", COLOURS, None),
    ("It is red. If it is bright, then blue.", COLOURS, "A"),
    ("(3x - 7 - a) + a = 20", PICTURES, None),
    ("The number is 25 - n(A ∩ B), with n(A \\cap B) = 8.", COLOURS, None),
    ("Only option d applies the formula.", PICTURES, "D"),
    ("Therefore, option a has more than one.", PICTURES, "A"),
    ("จึงตรงกับตัวเลือก b", PICTURES, "B"),
    ("- ข้อ a: ใช้ได้ถูกต้อง\n- ข้อ b: ประเภทหนึ่ง\n- ข้อ c: ไม่ใช่", PICTURES, None),
    ("* **Option A (red)** is one.\n* **Option B (blue)** is two.", PICTURES, None),
    ('{"correct_answer_key": "none"}', PICTURES, None),
    ("The colour is red.\n{'correct_answer_key': 'c'}", COLOURS, "C"),
    ("هـ", dict.fromkeys("ABCDE", ""), "E"),
    ("Ich werde mich für B entscheiden.", COLOURS, "B"),
    ("Ich entscheide mich für B.", COLOURS, "B"),
    ("Er muss sich zwischen A und B entscheiden.", COLOURS, None),
    ("La bonne réponse est la 3.", {"1": "", "2": "", "3": ""}, "3"),
    # AfriMed-QA, gpt-4 and gpt-3.5
    ("The answer is A. The others differ. Finally, it is wide (option C).", PICTURES, "A"),
    ("The correct answer is B. blue\n\nInstead, non-radiation options are used.", COLOURS, "B"),
    # GPQA diamond, gpt-4o, DeepSeek-V2.5, Llama 3.1 405B, Gemini 1.5
    (
        "Option A is close to option C.\n\nThe correct option is:\n\n**Option B:**\n$ a \\to b $",
        PICTURES,
        "B",
    ),
    ("B has 7, C has 9.\n\nThe number of signals is:\n\n**Option A. 8**\n\nIt is.", PICTURES, "A"),
    ("**Answer:** The ratio is approximately **12.6 (Option C)**.", PICTURES, "C"),
    ("The correct answer is (1S,4R,5S)-4,5-dimethylcyclohexanol (Option D).", PICTURES, "D"),
    (
        "Its symmetry is close to that of (B).\n\nThe point group is:\n\n**C. D4h**",
        PICTURES,
        "C",
    ),
    ("The closest answer is 17, which is option B.", PICTURES, "B"),
    ("Therefore, the incorrect statement is option D.", PICTURES, "D"),
    ("So the incorrect statement about the products of this sequence is Option B.", PICTURES, "B"),
    # CommonsenseQA, GPT-3
    ("The answer is most likely C, airport, but it could also be A, car.", AIRPORT, "C"),
    ("Therefore, among A through E, the answer is D.", TALK, "D"),
    (
        "We can eliminate answer choice (D) because cats have four legs.\n\n"
        "Next, we can eliminate answer choice (B) because cats\n"
        "Therefore, among A through E, the answer is C.",
        CATS,
        "C",
    ),
    # the Japanese veterinary exam, GPT-4
    ("したがって、誤っている記述は５です。", FEVER, "5"),
    ("したがって、誤っている記述は５．ワクチンによる予防が有効であるです。", FEVER, "5"),
    (
        "適切な記述は1と2です。答えは「1. 野生のイノシシがレゼルボアとなる。」と"
        "「2. ダニが媒介する。」です。",
        FEVER,
        None,
    ),
    # CV-Bench, LLaVA-CoT: closing tags in a loop
    (
        "<REASONING> The table is nearer. </REASONING>\n\n<CONCLUSION> B </CONCLUSION>"
        + " </SUMMARY> </CAPTION> </REASONING> </CONCLUSION>" * 30,
        PICTURES,
        "B",
    ),
    # Persian Eval, Qwen: a label before another option's text
    ("الف) کمک هایش معمولا قدردانی ندارد", SALT, "الف"),
    # MMLU-Pro, Qwen 3: thoughts that conclude, repeat the options shortened, and answer
    (
        "Thus, A is correct.\n\nThe options are:\nA. All three\nB. None of them\nC. Only one\n"
        "D. Two\n\nSo only statement I is true. The answer is (C).",
        STATEMENTS,
        "C",
    ),
    # EMMA, Gemini 2.0: options with remarks are the question's own
    (
        "Atom of the answer: C\n\nCompare:\n* **A: */C=C/NC.[NH4+]** - This matches.\n"
        "* **B: */C=C/NC(C*).[NH4+]** - The order is different.\n* **C: */C=C/NC.NH4+** - No.\n\n"
        "The final answer is $\\boxed{A}$",
        SMILES,
        "A",
    ),
    # FaReL, Nemotron: numbered steps between two answers are no question of the model's own
    (
        "<ANSWER>2</ANSWER>\n\nExplanation:\n\n1. Kim is Bo's parent.\n2. Kim is Jerry's parent.\n"
        "3. Kim is Al's parent.\n\nTherefore, the correct answer is:\n<ANSWER>3</ANSWER>",
        KIN,
        "3",
    ),
    # made up: the model goes on with a question of its own
    (
        "(2)\n\nQ: What is next?\n(1) a dog\n(2) a cat\n(3) a cow\nAnswer: (3)",
        KIN,
        "2",
    ),
    # FaReL, Qwen 1.5: the prompt has opened the field
    ("2</ANSWER>", KIN, "2"),
    # FaReL, Claude 3 and Mistral: statements that nothing is right take back what is near
    (
        "The closest would be option 1, but Jerry is a cousin.\n\nSo there is no correct answer"
        " among the given options. I cannot select any of them.\n\n<ANSWER></ANSWER>",
        KIN,
        None,
    ),
    ("So option 3 could fit.\n\nI recommend that no option is correct.", KIN, None),
    ("So it is option 3.\n\nThis does not match any of the given options.", KIN, None),
    # CommonsenseQA, text-davinci-003: several picks with nothing between them, and who speaks
    ("Answer: (B) freezer (E) refrigerator", COLD, None),
    ("A: (C) Laboratory. It is cold.", COLD, "C"),
    ("A:E. Refrigerator", COLD, "E"),
    # Geometry3K, LLaVA: a value of the question is no answer if another one is concluded
    ("One side is 3.\n\nTherefore, the value of x is 18.7.", SIDES, None),
    ("One side is 3. Therefore, the value of x is 18.7.", SIDES, None),
    ("One side is 3.\n\nx = 18.7", SIDES, None),
    ("One side is 18.7.\n\nThe other side is 3.", SIDES, "A"),
    # Geometry3K, TinyLLaVA
    ("One side is 3.\n\nThus, the correct answer cannot be determined.", SIDES, None),
    # ScienceQA, LLaVA 7B: "hard" is an option like others
    ("3) hard", SOLIDS, "C"),
    # CommonsenseQA, text-davinci-002: a list of texts with their articles names all of them
    ("So the most logical place would be either a car or the theatre.", AIRPORT, None),
    ("You could use a car, theatre, or bus to get there.", AIRPORT, None),
    (
        "The first answer choice is a car.\nThe next answer choice is a theatre.\nThe third answer"
        " choice is an airport.",
        AIRPORT,
        None,
    ),
    ("That is not likely. This eliminates answer choice (D).", CATS, None),
    (
        "Option A, ice pack, doesn't make sense. Option B, freezer, could work."
        " Option C, laboratory, could also work.",
        COLD,
        None,
    ),
    # CV-Bench, InternVL 2.5: two options in lines of their own
    ("The freezer is closer to the camera.\n\n(B) freezer\n\n(A) ice pack", COLD, "B"),
    # CV-Bench, QVQ, and KorMedMCQA, DeepSeek R1: thoughts that were cut off as they went on
    (
        "I see it.\n\nSo the answer is (A).\n\nWait, the hint says (B). Perhaps the lamp looks"
        + LONG,
        PICTURES,
        None,
    ),
    (
        "The answer is (A).\n\nIt fits, but the others lack it, are taller and" + LONG,
        PICTURES,
        "A",
    ),
    (
        "Answer: A\n\n1: it is so.\n\nBut the others, which lack it, are taller and" + LONG,
        PICTURES,
        "A",
    ),
    # MMLU-Pro, Qwen 3
    ("Maybe it is C. As I cannot determine the answer, I'll go with option D.", PICTURES, "D"),
    # KorMedMCQA, DeepSeek R1
    ("따라서 정답은 장티푸스(D)이다.", PICTURES, "D"),
    ("따라서 정답은 건강이탈 자가간호요구(C)입니다.", PICTURES, "C"),
    ("따라서 D는 옳지 않다.\n\n따라서 가장 옳은 것은 A이다.", PICTURES, "A"),
    ("따라서 옳지 않은 것은 B입니다.", PICTURES, "B"),
    ("혹시 정답이 D나 C일 수도 있지만 부차적이다.\n\n따라서, 나는 B를 선택하겠다.", PICTURES, "B"),
)
"""Answers that models gave, published after the rules were made: shortened, GPQA's with other texts."""


@pytest.mark.parametrize(("response", "choices", "letter"), PUBLISHED)
def test_a_published_answer_is_read(
    response: str, choices: dict[str, str], letter: str | None
) -> None:
    """An option behind a heading, a text before `(Option B)`, `also`, options named `answer`."""
    assert extract_choice(response, choices).letter == letter


@pytest.mark.parametrize(("response", "choices", "letter"), CLAIMS)
def test_a_claim_is_read_and_what_cancels_it(
    response: str, choices: dict[str, str], letter: str | None
) -> None:
    """Nouns, listings, cuts, several picks, denials, retractions, wrappers, citations, formulas."""
    assert extract_choice(response, choices).letter == letter


@pytest.mark.parametrize("letter", COLOURS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_is_read_in_its_language(language: str, letter: str) -> None:
    """Each form names the option B, and another one in its place: A is no article there."""
    named = re.compile("(?<![A-Za-zА-я])[BВ](?![a-zа-яі])")
    forms = [named.sub(letter, form) for form in LANGUAGES[language]]
    read = {form: extract_choice(form, COLOURS).letter for form in forms}
    assert {form: found for form, found in read.items() if found != letter} == {}


@pytest.mark.parametrize("question", ["Savol", "Question"])
def test_a_question_begins_behind_a_full_stop(question: str) -> None:
    """A base model goes on without a new line."""
    answer = f"The answer is B.{question}: Which one?\nA) one\nB) two\nC) three\nThe answer is A."
    assert extract_choice(answer, COLOURS).letter == "B"


@pytest.mark.parametrize(("response", "letter"), FORMS)
def test_a_form_of_an_answer_is_read(response: str, letter: str | None) -> None:
    """In eight languages, also denied, by lower-case and Arabic letters, and before another
    question.
    """
    assert extract_choice(response, COLOURS).letter == letter
