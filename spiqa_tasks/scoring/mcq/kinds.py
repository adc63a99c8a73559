"""Kinds of words, marks and mentions, one character each, so that a line is a short string that patterns match.

The characters are arbitrary: forms are written with the names (`forms`). `cues` lists the words and marks of a kind.
"""

ANSWER, OPTION, GOOD, FITS, WRONG, IS = "A", "O", "G", "V", "W", "="
PICK, NOT, IF, SO, BUT, IT, AND, FILL, BECAUSE, ONLY, LISTING = "P", "N", "H", "S", "C", "I", "J", "F", "Y", "U", "K"
COLON, COMMA, STOP, QUESTION = ":", ",", ".", "?"
THAN, ASIDE, LESS, MAY, PART, EXAMINE, HARD, KNOW = "<", ">", "-", "M", "Z", "b", "X", "B"
OTHER = "x"  # one or more words that are no cue

LETTER = "L"  # a capital
ENCLOSED = "E"  # a letter in brackets
CONFIRMED = "D"  # a letter with its option's text
TEXT = "T"  # an option's text alone
WORD = "w"  # an option's text that is a word like others: "no", "II"
WEAK = "l"  # a letter that may be a word: the article, the pronoun, one in lower case
OUT_OF_RANGE = "R"  # a capital that is no option
ARTICLE = "a"  # an A that the next word shows to be the article or the option
