"""Real texts in many scripts, and recipes ready to use. golden.json is made of the texts: add, never change."""

from functools import cache
from typing import Final

from hypothesis import strategies as st

from leitong.indexer.fingerprint.recipe import load
from leitong.indexer.fingerprint.simhash import Fingerprinter

TEXTS: Final[dict[str, str]] = {
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "zh-traditional": "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。",
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
    "and should act towards one another in a spirit of brotherhood.",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "ar": "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "poem": "床前明月光，疑是地上霜。举头望明月，低头思故乡。",
    "mixed": "他来到了网易杭研大厦，买了三台 iPhone15_Pro 手机和 C++ 编程书；价格是 1,299.50 元。"
    "Near-duplicate detection，简称 ＳｉｍＨａｓｈ，由 Charikar 于２００２年提出。",
    "news": "中国人民银行今天宣布，自下周一起下调金融机构存款准备金率零点五个百分点。此次降准将释放长期资金约一万亿元，"
    "有助于保持银行体系流动性合理充裕，支持实体经济发展。分析人士认为，降准有利于降低企业融资成本。",
    "news-edited": "央行今天宣布，自下周一起下调金融机构存款准备金率零点五个百分点。此次降准将释放长期资金约一万亿元，"
    "有助于保持银行体系流动性合理充裕，支持实体经济发展。",
    "empty": "",
    "punctuation": "……！？《》——",
    "stop words": "的 了 和 是 the of and",
}

words = st.sampled_from(
    [
        *("雷同", "检测", "中国人民银行", "自由", "权利", "明月", "一", "的", "ワード", "の", "ไทย", "слово", "كلمة"),
        *("free", "equal", "the", "iPhone15", "naïve", "don't", "a", "2026", "ＡＢＣ", "é", "𠮷野家", "😀", "x1"),
    ]
)
gaps = st.sampled_from(["", " ", "\n", "，", "。", "-", "_", "\u3000"])
passages = st.lists(st.tuples(words, gaps), max_size=25).map(lambda parts: "".join(a + b for a, b in parts))
"""Texts that mix scripts, widths and punctuation, with words that return."""
anything = st.one_of(passages, st.text(max_size=60))


@cache
def fingerprinter(name: str) -> Fingerprinter:
    """The fingerprinter of a named recipe, built once for all tests."""
    return Fingerprinter(load(name))
