"""Ways in which models state an option, as functions of its letter, its text and the other
letters.
"""

from collections.abc import Iterator, Sequence


def _forms(table: str) -> list[str]:
    return [
        form.replace("\\n", "\n") for line in table.strip().splitlines() for form in line.split("|")
    ]


LETTER = _forms(r"""
{L}|{L}.|({L})|**{L}**|{l}|({l})|{L})|Option {L}|option ({l})|Figure {L}
The answer is {L}|The answer is ({L}).|the answer is {l}.|The correct answer is **{L}**.|Answer: {L}
Answer: ({L})|Answer - {l}
Answer: {l}|**Answer:** {L}|Answer:\n\n{L}|### Answer\n\n{L}|### Final Answer:\n**({L})**
The correct option is {L}.
The correct choice is ({L}).|The best answer is {L}, because the picture says so.|Final answer: {L}
My answer is {L}.
\boxed{{{L}}}|$\boxed{{\text{{{L}}}}}$|<answer>{L}</answer>|{{"answer": "{L}"}}
{{"reason": "It fits.", "answer": "{L}"}}
[ANSWER] {L} [/ANSWER]|<think>Maybe another one.</think>{L}|◁think▷Hmm.◁/think▷ {L}|Assistant: {L}
Therefore, the answer is {L}.|So, {L}.|Therefore, option {L}.|Hence ({L}) is correct.
Thus the correct answer is ({L}).
I think it's {L}.|I choose {L}.|I would go with {L}.|I'd go with option ({L}).|If I had to guess: {L}
If I had to guess, {L}.
{l} is correct|It is {l}.|{L} is the correct answer.|Option {L} is correct.|({L}) is best.
Option {L} is the most likely one.
This corresponds to option {L}.|The picture matches option ({L}).
Among these, option {L} best describes the picture.
At first glance it's {O}. On second thought, {L}.|The answer is {O}. Wait, actually the answer is {L}.
It's not {O}, it's {L}.
The answer is not {O}. The answer is {L}.|{O} is wrong, so the answer must be {L}.
{R} can be ruled out, leaving {L}.
{V}|{T}|所以选择{L}。|答案是{L}|答案：{L}|正确选项是 {L}|选项{L}正确|故选：{L}|因此，正确答案是（{L}）。
答えは{L}です|正解は{L}です。|정답은 {L}|정답: {L}|La respuesta correcta es la {L}|Respuesta: {L}|La réponse est {L}
Die richtige Antwort ist {L}|Antwort: {L}|Ответ: {L}|Правильный ответ: {L}|La risposta corretta è {L}
A resposta correta é a letra {L}.
Let me look at the picture.\n\nThe answer is {L}.\n\nI hope this helps!|The picture shows a scene.\n\n{L}
Looking at it closely, one thing stands out. The answer is {L}
""")

BOTH = _forms(r"""
{L}. {t}|({L}) {t}|{L}: {t}|{L}) {t}|**{L}. {t}**|The answer is {L}. {t}|The answer is ({L}) {t}.
Answer: {L}. {t}
The correct answer is **{L}: {t}**.|The correct answer is ({L}) {t}, as the picture says.|Answer: {L}) {t}
The answer is {t} ({L}).
\boxed{{{L}. {t}}}|{{"answer": "({L}) {t}"}}|<answer>{L}. {t}</answer>
Therefore, the correct option is {L}. {t}.|Option {L}: {t}
The most fitting option is:\n\n{L}. {t}|So the answer is {L}: {t}.\n\nThe others do not fit.
""")

TEXT = _forms(r"""
{t}|{t}.|The answer is {t}.|Answer: {t}|The correct answer is: {t}|\boxed{{{t}}}|{{"answer": "{t}"}}
""")


def phrasings(letter: str, text: str, letters: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a kind of evidence (`letter`, `both`, `text`) and an answer that states the option
    so.
    """
    others = [other for other in letters if other != letter]
    values = {
        "L": letter,
        "l": letter.lower(),
        "t": text,
        "O": others[0],
        "R": " and ".join(filter(None, [", ".join(others[:-1]), others[-1]])),
        "V": " ".join(f"{one}: {'correct' if one == letter else 'incorrect'}." for one in letters),
        "T": "\n".join(f"{one}. {'✓' if one == letter else '✗'}" for one in letters),
    }
    for form in LETTER:
        yield "letter", form.format(**values)
    if text:
        for form in BOTH:
            yield "both", form.format(**values)
        for form in TEXT:
            yield "text", form.format(**values)
