"""Words of Chinese, English and every other script, mixed in one text."""

import pytest
from hypothesis import given

from leitong.indexer.fingerprint.normalise import normalise
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.fingerprint.segment import CharacterNgrams, UnicodeWords, bigrams
from leitong.indexer.fingerprint.simhash import Fingerprinter
from tests.examples import examples
from tests.fingerprint.texts import TEXTS, anything, fingerprinter

CHINESE = ("standard", "jieba")


def cut(recipe: str, text: str) -> list[str]:
    """The words that have a letter or a digit."""
    return [word for word in fingerprinter(recipe).cut(text) if any(map(str.isalnum, word))]


@pytest.mark.parametrize("recipe", CHINESE)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("他来到了网易杭研大厦", ["他", "来到", "了", "网易", "杭研", "大厦"]),
        ("中国人民银行今天宣布", ["中国人民银行", "今天", "宣布"]),
        ("All human beings", ["all", "human", "beings"]),
        ("用Elasticsearch建立全文索引", ["用", "elasticsearch", "建立", "全文索引"]),
        ("ＳｉｍＨａｓｈ检测", ["simhash", "检测"]),
        ("Все люди рождаются", ["все", "люди", "рождаются"]),
        ("naïve café 咖啡", ["naïve", "café", "咖啡"]),
        ("Ελληνικά", ["ελληνικά"]),
        ("الكرامة والحقوق", ["الكرامة", "والحقوق"]),
        ("東京タワーと手机", ["東京", "タワ", "ワー", "ーと", "手机"]),
        ("の", ["の"]),
        ("ไทย", ["ไท", "ทย"]),
        ("a1é2中", ["a1é2", "中"]),
    ],
)
def test_mixed_texts(recipe: str, text: str, words: list[str]) -> None:
    assert cut(recipe, text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("中文words混合", ["中", "文", "words", "混", "合"]),
        ("don't stop l’été", ["don't", "stop", "l’été"]),
        ("snake_case-name 1,299.50", ["snake", "case", "name", "1", "299", "50"]),
        ("カタカナ と ไทย", ["カタ", "タカ", "カナ", "と", "ไท", "ทย"]),
        ("", []),
        ("…… !", []),
    ],
)
def test_unicode_words(text: str, words: list[str]) -> None:
    assert UnicodeWords().cut(normalise(text)) == words


def test_character_ngrams_skip_what_is_no_letter() -> None:
    assert CharacterNgrams(3).cut("床前，明月 光") == ["床前明", "前明月", "明月光"]
    assert CharacterNgrams(3).cut("a_b") == ["ab"], "a text shorter than n is one n-gram"
    assert CharacterNgrams(3).cut("。！") == []
    assert CharacterNgrams(1).cut("a b") == ["a", "b"]


def test_letters_become_neighbouring_pairs() -> None:
    assert list(bigrams("あ")) == ["あ"]
    assert list(bigrams("あいう")) == ["あい", "いう"]
    assert list(bigrams("")) == []


@pytest.mark.parametrize("segmenter", ["rjieba", "jieba"])
def test_user_words_are_known_and_folded_like_text(segmenter: str) -> None:
    text = "雷同检测器与ＬＥＩＴＯＮＧ指纹法"
    plain = Fingerprinter(Recipe(name="plain", segmenter=segmenter))
    taught = Fingerprinter(Recipe(name="taught", segmenter=segmenter, user_words=("雷同检测器", "Leitong指纹法")))
    assert "雷同检测器" not in plain.cut(text)
    assert taught.cut(text)[0] == "雷同检测器"
    assert plain.cut(text) != taught.cut(text)
    again = Fingerprinter(Recipe(name="plain", segmenter=segmenter))
    assert again.cut(text) == plain.cut(text), "a recipe's words stay with the recipe"


@pytest.mark.parametrize("recipe", CHINESE)
def test_subwords_are_shorter_words_inside(recipe: str) -> None:
    subwords = fingerprinter(recipe).segmenter.subwords("中国人民银行")
    assert {"中国", "人民", "银行"} <= set(subwords)
    assert "中国人民银行" not in subwords
    assert all(1 < len(word) < 6 and word in "中国人民银行" for word in subwords)


def test_nothing_is_inside_short_or_foreign_words() -> None:
    for word in ("银行", "elasticsearch", "a"):
        assert fingerprinter("standard").segmenter.subwords(word) == []
    assert UnicodeWords().subwords("中国人民银行") == CharacterNgrams(2).subwords("中国人民银行") == []


@pytest.mark.parametrize("recipe", ["standard", "jieba", "words"])
@given(text=anything)
@examples(60)
def test_no_letter_or_digit_is_lost(recipe: str, text: str) -> None:
    """Bigrams repeat letters; nothing else may add, drop or change one."""

    def letters(text: str) -> set[str]:
        return {letter for letter in text if letter.isalnum()}

    assert letters("".join(fingerprinter(recipe).cut(text))) == letters(normalise(text))


@pytest.mark.parametrize("recipe", ["standard", "words", "chars"])
@pytest.mark.parametrize("unit", ["a", "1", "é", "汉", "ア", "कि", "ع\u064e", "a\u200d", "a'"])
def test_a_word_of_half_a_million_characters_is_read_once(recipe: str, unit: str) -> None:
    """Among other scripts, too. Reading it again from each of its letters would take a day."""
    word = unit * (500_000 // len(unit))
    assert fingerprinter(recipe).cut(f"é {word}")[0].startswith("é")
    assert fingerprinter(recipe).cut(f"{word} é")[-1].endswith("é")


@pytest.mark.parametrize("recipe", CHINESE)
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_chinese_segmenters_leave_out_nothing_at_all(recipe: str, name: str) -> None:
    """The words of a text without Kana or Thai, joined, are the text."""
    if name not in ("ja", "th"):
        assert "".join(fingerprinter(recipe).cut(TEXTS[name])) == normalise(TEXTS[name])


def test_stop_words_are_no_features() -> None:
    assert fingerprinter("standard").weights("我们的自由 and the freedom of all") == {"freedom": 1.0, "自由": 1.0}
    own = Fingerprinter(Recipe(name="own", stop_words=(), more_stop_words=("ＦＲＥＥＤＯＭ",)))
    assert set(own.weights("the 自由 freedom")) == {"the", "自由"}, "own stop words are folded like the text"


@pytest.mark.parametrize("word", ["的", "了", "我们", "the", "and", "of"])
def test_shipped_lists_hold_the_commonest_words(word: str) -> None:
    assert word in fingerprinter("standard").recipe.stop_set


def test_shipped_lists_are_normalised() -> None:
    stop_set = fingerprinter("standard").recipe.stop_set
    assert stop_set and all(normalise(word) == word and word.strip() == word for word in stop_set)
