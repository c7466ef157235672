"""Closed lists of words by which noun phrases are found in questions."""

from __future__ import annotations

AUX = r"(?:is|are|was|were|does|do|did|can|could|will|would|has|have|had)"
"""Verbs that questions are made with, as a pattern."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


DETERMINERS = _set("the a an this that these those his her its their my our your another each every any some no")
PRONOUNS = _set(
    "he she it they we you i him them us everyone everybody someone somebody anyone anybody nobody everything "
    "something anything nothing"
)
QUANTITIES = _set("all both some one each most many none several few two three half any either")
"""Before "of": all of them, one of the men."""
NUMBERS = _set(
    "one two three four five six seven eight nine ten 1 2 3 4 5 6 7 8 9 10 all both many several few some more most "
    "other others so"
)
ADJECTIVES = _set(
    "same whole only big bigger biggest small smaller smallest little tiny tall taller tallest short shorter shortest "
    "old older oldest elderly young younger youngest fair bald blonde blond brunette large larger largest huge fat "
    "thin slim skinny chubby long longer longest high higher low lower upper left right middle front back rear main "
    "next previous different similar new cute pretty handsome beautiful wooden plastic metal stuffed inflatable open "
    "closed empty full round square wet dry dirty clean soft hard hot cold asian indian african caucasian male female "
    "bearded masked spectacled naked half-naked nearest closest furthest leftmost rightmost striped checkered "
    "chequered spotted dotted patterned bright pale certain particular possible electric musical military great "
    "strong sleeveless sleeved curly straight furry fluffy"
)
SIDES = _set("left right middle front back rear side top bottom other")
"""Adjectives that are nouns as well: the man on the left."""
WORN = _set(
    "shirt shirts tshirt t-shirt tee top jacket coat dress skirt pants shorts jeans trousers cap hat beanie hood "
    "hoodie scarf headscarf veil hijab glasses sunglasses spectacles specs goggles suit swimsuit bathing wetsuit tie "
    "bowtie sweater jumper cardigan vest jersey uniform costume bikini shoes boots sneakers sandals slippers socks "
    "gloves helmet mask headband apron overalls overall romper onesie pyjamas pajamas polo blouse singlet turban "
    "bandana gown robe cloak stripe stripes stripped checks checkered plaid dots bun ponytail pigtails hair beard "
    "moustache mustache headphones earphones headset mittens leggings tights sleeves sleeve clothes clothing attire "
    "outfit tutu kimono cape cloth diaper diapers nappy bib trunks hairband headgear wig tattoo necklace lipstick "
    "bandage backpack bag white-shirt collar shades lanyard tank polka dot raincoat windbreaker tuxedo"
)
"""What somebody is told by."""
THINGS = _set(
    "pram stroller balloon rope stick board pool container pumpkin cushion bull fish wall snow bucket pole house road "
    "instrument basket guitar grass field sea penguin pig tiger lion lioness leopard monkey goat rabbit turtle "
    "tortoise panda deer dolphin crocodile donkey camel butterfly insect snake spider lizard squirrel hamster cloth "
    "ipad ipod tablet camera microphone mic drums piano violin fence bone bridge sand towel mat priest platform ledge "
    "pillow cards card tree leaves candle candles helicopter coach vacuum cleaner member members team band group "
    "audience audiences crowd guitarist drummer pianist singer musician musicians cameraman photographer emcee "
    "cashier lifeguard officer officers gymnast skater skaters surfer diver divers swimmer pilot captain referee "
    "clown monk nun bridegroom barber chef waiter waitress doctor nurse farmer hunter brick blocks paper plate "
    "presents gift food toy toys animal animals floor ground stage room tricycle wheelchair sled sleigh scooter "
    "tractor bulldozer jeep gun sword spear racket racquet oar barrier rod pen pencil crayon ribbon tissue wrapper "
    "blanket crib cot cradle carpet rug ladder window leash collar gate stairs stair bush shelf cupboard drawer "
    "fountain river lake pond beach shore system systems statue puppet robot doll sculpture mascot structure machine "
    "body fur tail ears eyes legs arms surroundings"
)
"""Common nouns that no detector labels."""
ABSTRACT = (
    r"(?:relationship|relation|response|responses|reaction|reactions|expression|emotion|feeling|feelings|mood|action|"
    r"actions|behaviou?r|purpose|role|roles|occupation|occupations|gender|age|names?|posture|position|colou?rs?|"
    r"attitude|race|hairstyle|intention|gesture)"
)
PREPOSITIONS = _set(
    "in on at of with without from near beside besides behind under underneath over by inside outside opposite next "
    "close among between beneath below above alongside across along facing wearing out around"
)
"""Those with which a noun phrase goes on; "wearing" and "facing" do the same."""
PARTICLES = _set(
    "up down off away back to into onto through around towards toward past forward forwards backward backwards "
    "downward downwards upward upwards sideways outwards inwards together apart ahead for after before while when as "
    "during until till than again"
)
"""What no noun phrase goes on with, and no verb is."""
CONJUNCTIONS = _set("and or but if because so that which who whom whose")
BARE_PLACES = _set("behind inside outside nearby opposite below above")
"""Places that need no noun: the man behind."""
ING_NOUNS = _set(
    "thing something anything nothing everything king ring building painting string clothing wing ceiling morning "
    "evening pudding wedding swimming earring sling railing lighting surrounding meeting crossing bring swing cling "
    "fling spring sting wring"
)
"""Words that end like participles and are none."""
