"""Tiny CLIP and SigLIP checkpoints with random weights, tokenizer and image processor included."""

from pathlib import Path
from typing import Any

CONTEXT = 128
VISION = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
TEXT = {**VISION, "max_position_embeddings": CONTEXT, "vocab_size": 400}


def build(kind: str, folder: Path) -> Path:
    """Write a checkpoint, `clip` or `siglip`; return its folder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import (
        CLIPConfig,
        CLIPImageProcessor,
        CLIPModel,
        CLIPProcessor,
        PreTrainedTokenizerFast,
        SiglipConfig,
        SiglipImageProcessor,
        SiglipModel,
    )

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    special = ["<s>", "</s>", "<pad>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        ["loss accuracy of the model"],
        trainers.BpeTrainer(special_tokens=special, initial_alphabet=alphabet),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        model_max_length=CONTEXT,
    )
    torch.manual_seed(0)
    if kind == "clip":
        text = {**TEXT, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
        vision = {**VISION, "image_size": 32, "patch_size": 8}
        model: Any = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))
        size = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
        processor: Any = CLIPProcessor(CLIPImageProcessor(**size), fast)
    else:
        vision = {**VISION, "image_size": 32, "patch_size": 8}
        model = SiglipModel(SiglipConfig(text_config=TEXT, vision_config=vision))
        processor = CLIPProcessor(SiglipImageProcessor(size={"height": 32, "width": 32}), fast)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    processor.image_processor.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
