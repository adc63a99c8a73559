"""Refusals are told from findings about the picture, in the words that models use."""

import pytest

from spiqa_tasks.scoring.refusals import is_refusal

REFUSALS = (
    "I cannot see the image.",
    "I can’t clearly see any images here.",
    "I'm unable to view the figure.",
    "We are not able to open the attachment.",
    "Sure, but I do not have access to the chart.",
    "I don't have the ability to look at pictures.",
    "I'm unable to determine the answer without the image.",
    "I can't identify the structure from the image.",
    "I cannot answer this from the given picture.",
    "I can't assist with that.",
    "I must decline to answer any of these.",
    "I won't help.",
    "I am unable to choose the best option.",
    "I cannot determine which of the captions is right.",
    "I'm sorry, I can't do that.",
    "My apologies, but I won't be able to go on.",
    "No image was provided.",
    "There aren't any pictures attached.",
    "The image is not provided.",
    "Your figure did not load.",
    "The image is not visible, so it is not possible to answer",
    "It is impossible to answer this.",
    "I'm missing the relevant text chunks.",
    "图片不可见，所以无法回答",
    "图像无法显示。",
    "You have not uploaded an image.",
    "The user didn't share any figure.",
    "Please upload the figure.",
    "Could you share the image?",
    "Would you kindly resend it?",
    "I'm missing the relevant text chunks. Could you provide them?",
    "You seem to be missing the figure.",
    "Could you please provide the relevant text?",
    "The question is not clear, please provide more context.",
    "As an AI language model, I cannot view images.",
    "As an AI, I am unable to say.",
    "抱歉，我无法查看图片。",
    "抱歉，我看不到图片。",
    "我看不清这张照片",
    "很抱歉，我没有看到图像。",
    "申し訳ありませんが、お手伝いできません。",
    "죄송하지만 이미지를 볼 수 없습니다.",
    "Lo siento, no puedo ver la imagen.",
    "Desculpe, não posso ajudar.",
    "Désolé, je ne peux pas voir l'image.",
    "Es tut mir leid, ich kann das Bild nicht sehen.",
    "Mi dispiace, non posso vedere l'immagine.",
    "Извините, я не могу увидеть изображение.",
    "لا أستطيع رؤية الصورة.",
    "मैं चित्र नहीं देख सकता।",
    "Tôi không thể xem hình ảnh.",
    "Saya tidak dapat melihat gambar.",
    *("Görseli göremiyorum.", "Bu soruyu cevaplayamam.", "Bu soruyu yanıtlayamam."),
    *("Bu konuda yardımcı olamam.", "Hangisi belirleyemiyorum."),
    "Nao consigo ver a imagem.",
    "画像が表示されていません。",
    "이미지를 확인할 수 없습니다.",
    "No se ha proporcionado ninguna imagen.",
    "Je ne suis pas en mesure de répondre.",
)
FINDINGS = (
    "",
    "B",
    "The answer is B.",
    "The person says sorry to the dog.",
    "I cannot see the cat in option A, so the answer is B",
    "The speed cannot be determined.",
    "The figure does not show error bars.",
    "The robot is unable to see the chart",
    "Please note that the image shows a cat.",
    "The image is not blurry.",
    "The image is not visible in the mirror.",
    "The cat is not visible, so it is behind the box.",
    "图片显示一只猫",
    "图中看不到汽车。",
    "图片中看不到汽车。",
    "我看不到图中的汽车。",
    "No image shows a cat.",
    "You have not seen such a curve.",
    "The AI cannot play chess.",
    "The table is missing the text of row 3.",
    "If you mean another paper, please provide more context.",
    "They provide them with text chunks.",
)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_speaks_of_its_author(text: str) -> None:
    """A text whose author cannot see the picture, will not answer or asks for the picture is a
    refusal.
    """
    assert is_refusal(text)


@pytest.mark.parametrize("text", FINDINGS)
def test_a_finding_speaks_of_the_content(text: str) -> None:
    """What cannot be seen in the picture, or told from it, is no refusal."""
    assert not is_refusal(text)


@pytest.mark.parametrize("form", [str, str.upper, lambda text: text.replace(" ", " \t ")])
@pytest.mark.parametrize("text", REFUSALS)
def test_case_and_space_do_not_count(text: str, form: type[str]) -> None:
    """A refusal is one in any case and with any space in it."""
    assert is_refusal(form(text))


@pytest.mark.parametrize("between", [". ", "\n", "! ", "? ", "。"])
@pytest.mark.parametrize("sentence", ["It rains", "B"])
def test_one_sentence_is_enough(sentence: str, between: str) -> None:
    """A text with a refusal among its sentences is one, wherever it stands."""
    assert is_refusal(f"{sentence}{between}I cannot see the image{between}{sentence}")


def test_words_of_two_sentences_do_not_make_a_refusal() -> None:
    """What one sentence begins the next does not end."""
    assert is_refusal("I cannot see a chart")
    assert not is_refusal("I cannot see. A chart has bars")


def test_of_a_sentence_the_beginning_is_read() -> None:
    """A sentence is read as far as its first 400 characters."""
    assert is_refusal(
        "x" * (399 - len("I cannot see the image")) + " I cannot see the image and more"
    )
    assert not is_refusal(
        "x" * (400 - len("I cannot see the image")) + " I cannot see the image and more"
    )
