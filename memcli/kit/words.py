"""Words of a text, and which of them carry little: stop words and everyday words."""

import unicodedata

from memcli.core.patterns import pattern

_WORD = pattern(r"[^\W_]+(?:['’][^\W_]+)*")

_OTHER_CASES = str.maketrans("\u017f\u212a\u0131\u0130", "skii")

# The embedder hash-1024 weighs words by these lists: to change one is to change its vectors, and
# with them its fingerprint.


def listed(text: str) -> frozenset[str]:
    """The words of a list written as one text, blanks between them."""
    return frozenset(text.split())


# Articles, pronouns, prepositions, auxiliaries: they say nothing about the topic.
STOP_WORDS = listed("""
    a about above after again against ain all also am an and any are aren as at be because been
    before being below between both but by can cannot could couldn d did didn do does doesn doing
    don down during each either else ever every few for from further had hadn has hasn have haven
    having he her here hers herself him himself his how i if in into is isn it its itself just ll
    let m may me might more most much must my myself neither no nor not of off on once one only or
    other our ours ourselves out over own per quite re s same shall she should shouldn so some such
    t than that the their theirs them themselves then there these they this those though through
    till to too under until up upon us ve very was wasn we were weren what when where whether which
    while who whom whose why will with within without won would wouldn yet you your yours yourself
    yourselves
    can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll he's here's how's i'd i'll
    i'm i've isn't it'd it'll it's let's she'd she'll she's shouldn't that'd that'll that's there's
    they'd they'll they're they've wasn't we'd we'll we're we've weren't what's where's who's won't
    wouldn't you'd you'll you're you've y'all gonna gotta wanna cause
    """)

# Frequent verbs, evaluations and fillers of talk: shared by texts on any topic.
COMMON_WORDS = listed("""
    able absolutely accept acceptance accepted accepting actually adventure affect ago agree ah
    almost alone already alright always amazed amazing another anymore anyone anything anyway
    appreciate approach around ask asked asking aspect attitude aw away awesome aww back bad
    based beautiful become believe believes best bet better big bit blast bless blessed bond
    bonded bonding bright bring brings brought bunch busy came catch certain challenge
    challenges challenging chance chat chats chatted check cherish cherished close come comes
    comfort comfortable comforting coming confidence confident congrats connect connected
    connecting connection connections cool couple courage create created creates creating
    current currently cute day days decided dedicated dedication deep definitely determined
    difference different difficult done easier easy eight eleven emotional emotions encourage
    encouraged encouragement encouraging end ended energy enjoy enjoyable enjoyed enjoying
    enough ensure especially even everyone everything exactly example examples excited exciting
    experience experiences explain express expressing expression extra face fam fantastic far
    fave favorite favourite feel feeling feelings feels felt finally find fine first five folks
    follow following forward found four free freedom friday fulfilled fulfilling full fun gave
    get gets getting gift give given giving glad go goal goals goes going gone good gorgeous got
    grateful gratitude great grow growing growth guess guy guys half hang hanging happen
    happened happiness happy hard hear heard heart hello help helped helpful helping helps hey
    hi honest honestly hope hopeful hoping hour hours however hug huge hundred idea ideas
    imagine impact important impressed impressive improve incredible inspiration inspire
    inspired inspires inspiring instead interesting issue issues journey joy keep keeping kind
    kinda kinds knew know known last late lately later learn learned least left less life like
    liked likes little live lives living lol long look looked looking looks lot lots love loved
    lovely loves loving luck lucky made main make makes making managed many mate matter maybe
    mean meaning meaningful means meant memorable memories mention mind minute minutes miss
    moment moments monday month months mood motivate motivated motivates motivation moving neat
    need needed needs never new next nice night nine nothing now often oh ok okay old omg others
    part passion passionate passions peace peaceful people perfect perhaps person photo pic pics
    picture place plan planning plans please plus positive possible powerful pretty priceless
    pride probably promise proud provide provided purpose put question questions quick reach
    ready realize realized really recent recently reflect relax relaxation relaxed relaxing
    remember remind reminded reminder reminds rewarding right safe said saturday saw say saying
    says scary second see seeing seem seems seen seriously seven share sharing show showed side
    similar simple since six small somebody someone something sometimes somewhere soon sorry
    sort sound sounds special specific specifically spirit start started starting stay still
    story strength stress strong struggle struggles stuff stunning success successful sunday
    super support supported supporting supportive sure surprise surprised sweet take taken takes
    taking talk talked talking tell telling tells ten thank thankful thanks therapeutic thing
    things think thinking third thought three thrilled thursday time times tip today together
    told tomorrow tonight tons took top totally touch tough tried true truly trust truth try
    trying tuesday turn twelve two understand unforgettable use used useful uses using usually
    various vibe vibes wait want wanted wanting wants warm way wednesday week weekend weeks
    welcome well went whole wild win wise wish wonder wonderful wondering word words work
    working works world worried worry worth wow yeah year years yep yes yesterday zero
    """)

_COUNTED = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
DIGITS = {word: number for number, word in enumerate(_COUNTED)}


def words(text: str) -> list[str]:
    """The words of `text` in lower case, Unicode NFKC, with a straight apostrophe inside."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    return _WORD.findall(plain)


def folded(text: str) -> str:
    """A text as it is compared word for word: case folded, a blank for any run of blanks."""
    return " ".join(text.split()).casefold()


def matched(found: str) -> str:
    """What a pattern found that ignores case, in lower case and in the letters of the pattern: to
    `re` the long s, the sign of kelvin and both i of Turkish are cases of s, k and i."""
    return found.translate(_OTHER_CASES).lower()


def content_words(text: str) -> list[str]:
    """Words that may say what a text is about: no stop word, no everyday word, no single letter."""
    return [word for word in words(text) if carries(word)]


def carries(word: str) -> bool:
    """Whether a lower-case word is neither stop word nor everyday word nor a single letter."""
    return len(word) > 1 and word not in STOP_WORDS and word not in COMMON_WORDS
