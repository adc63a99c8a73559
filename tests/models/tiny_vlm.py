"""A Qwen2.5-VL of random weights that fits in a test: built on the CPU without any download.

`build(folder)` writes a checkpoint that the host's class `qwen2_5_vl` loads with
`model_args(folder)`. Its answers are gibberish, but they depend on the pictures and on the text.
"""

from pathlib import Path
from typing import Any

CONTROL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
)
VIDEO = "<|video_pad|>"
SPREAD = 0.5
"""Standard deviation of the weights; smaller ones give the same answer to everything."""

CHAT_TEMPLATE = """\
{%- for message in messages -%}
{{ '<|im_start|>' + message['role'] + '\\n' }}
{%- if message['content'] is string -%}
{{ message['content'] }}
{%- else -%}
{%- for part in message['content'] -%}
{{ '<|vision_start|><|image_pad|><|vision_end|>' if part['type'] == 'image' else part['text'] }}
{%- endfor -%}
{%- endif -%}
{{ '<|im_end|>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}
"""


def model_args(folder: Path) -> str:
    """The host's `--model_args` for a checkpoint."""
    return f"pretrained={folder},device=cpu,device_map=cpu,min_pixels=3136,max_pixels=12544"


def build(folder: Path) -> Path:
    """Write the checkpoint."""
    import torch
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
        Qwen2_5_VLProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
    )

    tokenizer = _tokenizer()
    number = tokenizer.convert_tokens_to_ids
    sizes = {"hidden_size": 32, "intermediate_size": 64, "initializer_range": SPREAD}
    text = sizes | {
        "vocab_size": len(tokenizer),
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 32768,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [1, 1, 2]},
        "bos_token_id": number("<|im_start|>"),
        "eos_token_id": number("<|im_end|>"),
        "pad_token_id": number("<|endoftext|>"),
    }
    vision = sizes | {
        "depth": 2,
        "num_heads": 2,
        "out_hidden_size": 32,
        "fullatt_block_indexes": [1],
        "window_size": 112,
    }
    config = Qwen2_5_VLConfig(
        text_config=text,
        vision_config=vision,
        initializer_range=SPREAD,
        tie_word_embeddings=False,
        image_token_id=number("<|image_pad|>"),
        video_token_id=number(VIDEO),
        vision_start_token_id=number("<|vision_start|>"),
        vision_end_token_id=number("<|vision_end|>"),
    )
    pixels = {"min_pixels": 3136, "max_pixels": 12544}
    torch.manual_seed(0)
    Qwen2_5_VLForConditionalGeneration(config).save_pretrained(folder)
    Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(**pixels),
        tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(**pixels),
        chat_template=CHAT_TEMPLATE,
    ).save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    """Bytes as tokens, without merges."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=0, special_tokens=[*CONTROL, VIDEO], initial_alphabet=alphabet
    )
    tokenizer.train_from_iterator([], trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=[*CONTROL[1:], VIDEO],
        model_max_length=32768,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast
