"""Words that say about the same as a word: its irregular forms, other words for it, its kinds.

A stemmer joins "camped" and "camping", and neither "bought" and "buy" nor "mum" and "mother"; and
who asks which pets somebody has is answered with a cat. English, of everyday life, and short: a word
that means several things stands in no row that would lead astray.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from memcli.kit.stem import stem

# Each row: forms of one word that share no stem.
_FORMS = """
    go goes went gone
    buy bought
    bring brought
    think thought
    teach taught teacher
    catch caught
    seek sought
    fight fought
    sell sold sale
    tell told
    say said
    make made
    take took taken
    give gave given gift
    get got gotten
    come came
    become became
    run ran
    begin began begun
    swim swam swum
    sing sang sung song
    drink drank drunk
    sink sank sunk
    see saw seen
    know knew known
    grow grew grown
    throw threw thrown
    fly flew flown flight
    draw drew drawn
    show shown
    write wrote written
    ride rode ridden
    drive drove driven
    rise rose risen
    choose chose chosen choice
    speak spoke spoken speech
    break broke broken
    wake woke woken
    steal stole stolen
    freeze froze frozen
    wear wore worn
    tear tore torn
    eat ate eaten
    fall fell fallen
    feel felt
    keep kept
    sleep slept asleep
    leave left
    meet met
    lead led
    feed fed
    win won victory
    lose lost loss
    find found
    hold held
    build built
    send sent
    spend spent
    lend lent
    bend bent
    pay paid
    lay laid
    sit sat
    stand stood
    understand understood
    hear heard
    mean meant
    learn learnt
    dream dreamt
    hang hung
    stick stuck
    strike struck
    dig dug
    shoot shot
    hide hid hidden
    bite bit bitten
    forget forgot forgotten
    forgive forgave forgiven
    shake shook shaken
    shrink shrank
    swear swore sworn
    born birth
    die died death dead
    marry married marriage wedding wed
    man men
    woman women
    person people
    foot feet
    tooth teeth
    mouse mice
    goose geese
    wife wives
    life lives
    knife knives
    leaf leaves
    shelf shelves
    half halves
    wolf wolves
    good better best
    bad worse worst
    far further farther
    one 1
    two 2
    three 3
    four 4
    five 5
    six 6
    seven 7
    eight 8
    nine 9
    ten 10
    eleven 11
    twelve 12
    second 2nd
    third 3rd
    january jan
    february feb
    april apr
    august aug
    september sept sep
    october oct
    november nov
    december dec
    color colour
    favorite favourite
    center centre
    theater theatre
    gray grey
    neighbor neighbour
    organize organise
    program programme
    jewelry jewellery
    tire tyre
    mold mould
    catalog catalogue
    cozy cosy
    pajamas pyjamas
    """
# Each row: words that are said for one another.
_SAME = """
    mom mother mum mama
    dad father papa
    kid kids child children
    son boy
    daughter girl
    parent parents
    grandma grandmother granny
    grandpa grandfather
    husband spouse partner wife
    sibling brother sister
    movie film
    picture photo photograph image pic
    car vehicle
    job work career profession occupation
    house home apartment flat
    buy purchase bought got
    begin start started began
    finish complete end
    large big huge
    small little tiny
    kind type sort
    trip travel vacation journey holiday getaway
    hobby pastime interest
    friend buddy pal
    doctor physician
    illness sick disease ill
    scared afraid fear
    glad happy
    sad unhappy
    angry mad upset
    gift present
    bike bicycle cycling
    tv television
    phone mobile smartphone
    city town
    country nation
    school college university
    store shop
    money cash
    meal food dish
    cook bake recipe
    exercise workout gym fitness
    run jog
    hike trail
    book novel
    concert gig show
    band group
    class course lesson
    instructor coach
    name called named
    injury hurt injured
    contest competition tournament
    award prize medal
    volunteer charity
    support help
    goal aim
    move moved relocate
    recommend suggest
    reason because why
    emotion feeling feel
    nickname called
    passion love
    enjoy love like
    relax unwind destress
    attend went
    participate join took
    own have
    allergic allergy
    degree studied major
    location place
    """
# Each row: a word, and what is one of these or shows it.
_KINDS = """
    pet dog cat puppy kitten hamster turtle fish rabbit bird parrot
    animal dog cat horse bird wolf bear turtle
    instrument guitar piano violin drum cello flute clarinet trumpet ukulele saxophone
    sport basketball soccer football tennis baseball hockey golf volleyball swimming surfing skiing
    activity hike camp paint swim run dance yoga cook read
    hobby paint photography cook read garden knit guitar
    martial karate judo taekwondo kickboxing boxing
    exercise yoga gym running weights pilates kickboxing
    food pizza pasta soup salad cake burger sushi
    dessert cake cookie pie cream brownie pudding
    drink coffee tea soda water wine beer juice
    fruit apple banana berry orange mango
    vegetable carrot tomato pepper spinach
    country france spain italy japan germany england canada mexico ireland
    city london paris tokyo chicago seattle boston
    state california florida texas oregon
    relative mom dad brother sister aunt uncle cousin grandma
    family mom dad brother sister husband wife kids son daughter parents
    sibling brother sister
    child son daughter kid
    vehicle car truck bike motorcycle van
    weather rain snow storm sun
    flower rose sunflower lily tulip daisy
    job nurse teacher engineer manager
    book novel series author read
    genre fantasy mystery romance comedy thriller jazz rock
    music jazz rock classical pop song band
    art painting drawing sculpture pottery
    color red blue green yellow purple pink black white
    event concert parade festival workshop conference meeting party
    place park beach museum cafe lake mountain
    outdoor hike camp swim trail park beach
    injury knee ankle back broken sprain
    health doctor hospital weight diet sick
    emotion happy sad anxious proud scared excited nervous
    device phone laptop tablet computer
    electronics phone laptop console headphones
    clothes dress shirt shoes jacket necklace
    shoe sneakers boots
    furniture table chair couch desk shelf
    game chess poker console video board
    holiday christmas thanksgiving easter halloween
    course class workshop lesson
    education degree college university certification school
    degree university college major studied
    charity donate shelter homeless fundraiser volunteer
    competition tournament contest race
    relationship dating married single divorced breakup boyfriend girlfriend partner
    religion church god faith pray
    """
# So many letters two words of one stem have in common at least.
_BEGIN = 2


def akin(words: Sequence[str]) -> tuple[str, ...]:
    """Words near to those of `words` (lower case), each once, that share no stem with any of them."""
    have = set(map(stem, words))
    found: dict[str, None] = {}
    for word in words:
        for other in _of(word):
            if stem(other) not in have:
                have.add(stem(other))
                found[other] = None
    return tuple(found)


@lru_cache(maxsize=4096)
def _of(word: str) -> tuple[str, ...]:
    """What the tables say of a word: its forms first, then the same, then its kinds."""
    own = stem(word)
    rows = (
        row for first, row in _table().get(word[:_BEGIN], ()) if first == word or stem(first) == own
    )
    return tuple(dict.fromkeys(other for row in rows for other in row))


@cache
def _table() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """The first letters of a word -> such words with their rows."""
    out: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for row in (*_rows(_FORMS), *_rows(_SAME)):
        for word in row:
            out.setdefault(word[:_BEGIN], []).append((word, row))
    for row in _rows(_KINDS):
        out.setdefault(row[0][:_BEGIN], []).append((row[0], row[1:]))
    return out


def _rows(text: str) -> Iterable[tuple[str, ...]]:
    return (tuple(line.split()) for line in text.strip().splitlines())
