"""Patterns of questions, in lower case and without contractions; :mod:`ravu_kg.reasoning.language` applies them."""

from __future__ import annotations

import re

from ravu_kg.reasoning.plan import Direction, TargetPart
from ravu_kg.reasoning.states import PICTURE
from ravu_kg.reasoning.words import AUX

CONTRACTIONS = (
    ("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not"), ("what's", "what is"),
    ("who's", "who is"), ("where's", "where is"), ("when's", "when is"), ("how's", "how is"), ("there's", "there is"),
    ("it's", "it is"), ("he's", "he is"), ("she's", "she is"), ("they're", "they are"), ("that's", "that is"),
)  # fmt: skip
WH = r"(?:what|who|whom|whose|where|why|how|which|when|at what|in which)"
VIDEO = r"(?:(?:the|this|whole|entire|that) )*(?:video|clip|movie|film|footage|recording|scene|picture)"

_PART = (
    r"(?:(?:(?<!the )(?<!his )(?<!her )right |only |just )?"
    r"(?:at|in|(?<!till the )(?<!until the )near|nearing|towards?|by|from|during|for|close to|around) "
    r"(?:the )?(?:very )?"
    r"(?P<word>beginning|start|opening|middle|midpoint|centre|center|end|ending|close|first third|second third|"
    r"last third|"
    r"final third|first part|last part|middle part|final part|(?:first|second|last|other|final) half|"
    r"(?:first|last|final|fourth) quarter)"
)
PART = re.compile(
    rf"[, ]*\b{_PART}(?: of {VIDEO}| part of {VIDEO})?|"
    rf"(?:just |right )?(?P<side>after|before) (?:the )?(?:very )?(?P<limit>beginning|start|middle|end)(?: part)?"
    rf"(?: of {VIDEO})?|"
    rf"halfway(?: (?:through|into|in)(?: {VIDEO})?)?|in between(?=\Z))"
    rf"(?=\Z|,| (?:what|who|where|why|how|which|when|does|is|are|did|do|was|were|and|that|while|after|before|as|once|"
    rf"until|each|every|during)\b)"
)
PART_OF_VIDEO = re.compile(rf"[, ]*\b{_PART}(?P<side>(?!))?(?P<limit>(?!))?(?: part)? of {VIDEO})\b")
"""In the midst of a clause: "the man at the start of the video walks on the grass"."""
PART_VERB = re.compile(rf"\Ahow (?:does|did|do) {VIDEO} (?P<word>begin|start|open|end|finish|close)\Z")
PARTS: dict[str, TargetPart] = {
    **dict.fromkeys(("beginning", "start", "opening", "begin", "open"), "beginning"),
    **dict.fromkeys(("first third", "first part"), "beginning"),
    **dict.fromkeys(("middle", "midpoint", "centre", "center", "second third", "middle part"), "middle"),
    **dict.fromkeys(("end", "ending", "close", "finish"), "end"),
    **dict.fromkeys(("last third", "final third", "last part", "final part"), "end"),
    "first half": "first half",
    **dict.fromkeys(("second half", "last half", "other half", "final half"), "second half"),
    "first quarter": "first quarter",
    **dict.fromkeys(("last quarter", "final quarter", "fourth quarter"), "last quarter"),
}  # fmt: skip

_BEGINS = r"(?= (?:the|an?|he|she|it|they|we|you|i|his|her|their|its|this|that|these|those|another|one|both|all|each|" \
    r"some|someone|somebody|everyone|everybody|people|two|three)\b)"  # fmt: skip
CONNECTIVES: tuple[tuple[Direction, str], ...] = (
    (
        "after",
        r"(?:right |just |immediately |shortly |soon |directly |straight )?after(?:wards)?|as soon as|"
        r"(?:(?<!.)|(?<=, )|(?<=\bdo )|(?<=happens )|(?<=happened ))(?:right |directly )?following|"
        rf"once{_BEGINS}|since|subsequent to|upon",
    ),
    (
        "before",
        r"(?:right |just |immediately |shortly )?(?:before|prior to|until|till|up to the moment|ahead of)|"
        r"by the time",
    ),
    (
        "around",
        r"while|whilst|whenever|when|as long as|during(?: the time)?|at the (?:time|moment)(?: when| that)?|"
        r"in the meantime when|at the same time (?:as|when)|each time|every ?time|"
        rf"(?<!well )(?<!such )(?<!same )as{_BEGINS}",
    ),
)
ANY_CONNECTIVE = "|".join(f"(?P<{name}>{pattern})" for name, pattern in CONNECTIVES)
INNER = re.compile(rf"(?<!for a)(?<!\bafter)(?:[, ]+|\A)(?:{ANY_CONNECTIVE}) (?P<clause>.+)\Z")
LEADING = tuple(
    re.compile(rf"\A(?:{ANY_CONNECTIVE}) (?P<clause>.+?){stop}\Z")
    for stop in (
        rf", ?(?:then )?(?P<main>(?:{WH}|{AUX}|count|tell|describe|the number)\b.+)",
        rf" (?P<main>(?:{WH})\b.+)",
        rf" (?P<main>(?:{AUX})\b.+)",
    )
)
"""A clause before the main one: ended by a comma, else by a question word, else by a verb."""
WITHOUT = re.compile(r"[, ]+(?:in the absence of (?P<a>.+)|in (?P<b>.+?)'s? absence|"
    r"without (?P<c>the .+) (?:there|around|in .+))\Z")  # fmt: skip
NOT_A_CLAUSE = re.compile(
    r"\A(?:(?:a|some|a few|several) (?:while|time|moments?|seconds?|minutes?)|that|this|all|which|it|then|"
    r"(?:the )?(?:whole|entire) time|"
    rf"(?:the )?(?:very |near )?end(?: of {VIDEO})?|in {VIDEO})\Z"
)

COUNT = re.compile(
    r"\A(?:(?:in total|overall|altogether),? )?(?:(?:please )?(?:can|could) you )?"
    r"(?:(?:please )?(?:tell me|say|give me|give|find|state|what is|what was|do you know|can you tell me|"
    r"could you say)(?: me)? )?"
    r"(?:(?:the )?(?:total |overall |exact )?(?:number|count|amount) of|how many(?: of)?|count|how much|"
    r"how large is the number of|how numerous are)"
    r"(?: up)?(?: the| all the| all)?(?: different| distinct| total| individual| unique|"
    r" separate)?(?: the)? (?P<rest>.+)\Z"
)
COUNT_TAIL = re.compile(
    r"\A(?P<rest>.+?)[,:]? (?:how many(?: (?:are there|do you see|can you see))?|are (?:there )?in total)\Z"
)
WHEN = re.compile(
    r"\A(?:(?:please )?(?:tell me|say|show me|show|find|give me|list) )?(?:(?:at|during|in|for|from|on|"
    r"between) (?:what|which)|what|which|the|all)?"
    r" ?(?:(?:exact )?(?:time )?(?:points?|moments?|times?|seconds?|parts?|periods?|intervals?|timestamps?|span|"
    r"stretch(?:es)?)(?! of (?!time\b|the video\b))(?: (?:in|of) (?:time|the video))?"
    r"(?: is it)?(?: (?:when|where|at which|in which|during which|that|is it that|of))?|"
    r"(?:(?:from|since|until|between) )?when (?:to|until|till|and) (?:(?:until|till) )?when|"
    r"(?:what|which) (?:is|are|was|were) the (?:time |exact )*(?:points?|moments?|times?|periods?|intervals?|span|"
    r"stretch(?:es)?|range|duration|seconds?)(?: of time)? (?:when|where|at which|in which|during which|that)|"
    r"(?:since|until|till) when|"
    r"when(?: exactly)?(?: is it that| is the moment that)?)"
    r" (?P<rest>.+)\Z"
)
LENGTH = re.compile(
    rf"\A(?:for )?how (?:long|many (?:seconds|minutes)|much time) {AUX} {VIDEO}"
    rf"(?: (?:last|take|run|play|go on)s?| long)?\Z"
    rf"|\A(?:what is |tell me )?(?:the )?(?:\w+ )?(?:length|duration|running time|runtime) of {VIDEO}\Z"
    rf"|\A(?:what is )?(?:the |this )?(?:video|clip|movie|film|recording)'s (?:length|duration|running time|runtime)\Z"
)
"""The video's own length is asked for."""
HOW_LONG = re.compile(r"\A(?:for )?how (?:long|many (?:seconds|minutes)|much time)(?: is it that)? (?P<rest>.+)\Z")
WHERE = re.compile(
    r"\A(?:where(?: exactly| else)?|(?:at|in|on) (?:what|which) (?:place|position|location|side|"
    r"part)(?: of (?:the )?\w+)?) (?P<rest>.+)\Z"
)
SETTING = re.compile(
    rf"\A{AUX} (?:this|it|that|this place|(?:this |the )?(?:place|location|setting|scene|event|action)|"
    rf"{VIDEO}|{VIDEO} \w+|everyone|(?:these|the) people|they)"
    r"(?: (?:happening|taken|taking place|place|set|filmed|shot|recorded|located|hanging out|being \w+|"
    r"take place|going on))*\Z"
)
COLOR = re.compile(r"\bcolou?rs?\b|\bcolou?red\b")
COLOR_SUBJECT = re.compile(
    rf"(?:colou?rs? (?:of|on|for) (?P<of>.+)|colou?rs? {AUX} (?P<is>.+?)(?: (?:wear|have|wearing|has|"
    rf"painted))?|(?P<poss>[\w ]+?)'s? (?:\w+ )?colou?rs?|"
    r"colou?r (?P<noun>\w+).*)\Z"
)
WHICH_VIDEO = re.compile(
    r"\A(?:in )?(?:which|what|how many)(?: of)?(?: the| these| my)?(?: indexed)? (?:video|clip|movie|film|"
    r"recording|file)s?\b(?: (?:can|do|did|does) (?:i|we|you) (?:see|find))? ?(?P<rest>.*)\Z"
    r"|\A(?:find|show|list)(?: me)?(?: all)?(?: the)? (?:video|clip|recording)s? (?:with|where|that|in which|of|"
    r"containing|showing) ?(?P<with>.*)\Z"
)
SUMMARY = re.compile(
    rf"\A(?:summari[sz]e\b.*|give (?:me )?an? (?:\w+ )?(?:summary|overview|description)\b.*|"
    rf"describe (?:{VIDEO}|what happens|everything).*|"
    rf"(?:please )?tell me (?:about|what happens in) {VIDEO}.*|what (?:is|are|was) {VIDEO} (?:about|showing)|"
    rf"what (?:happens|happened|is happening|was happening|is going on|goes on|takes place|occurs|"
    rf"all happens)(?: (?:here|overall|over time))?(?: (?:in|during|throughout|over) {VIDEO})?|"
    rf"what (?:does|did|do) {VIDEO} (?:show|depict|contain|present)|what is shown(?: in {VIDEO})?|what (?:is|"
    rf"are) the (?:main|overall|overarching|primary|key|most important)\b.*|"
    rf"(?:overall|overview|summary|plot|synopsis)\b.*|(?:in )?(?:one|a few|two|three) sentences?\b.*|"
    rf"what is the (?:video|clip|story|summary|gist|topic|theme|purpose|occasion)\b.*|"
    rf"(?:taking into account|considering|based on) .*(?:video|actions?|events?).*)\Z"
)
INVENTORY = re.compile(
    rf"\A(?:(?:what|which) (?:objects?|things?|animals?|entities|items?|people)?(?: else)? ?(?:is|are|can be|"
    rf"do you see|can (?:i|you|we) see)(?: there)?(?: (?:seen|visible|found|present|shown|there))?(?: (?:in|on|"
    rf"inside) {VIDEO})?|"
    rf"(?:what|who|which (?:objects?|things?)) (?:is|are) (?:there|visible|seen|present|all)?(?: ?(?:in|"
    rf"on) {VIDEO})|who (?:is|are) (?:there|visible|present|seen)|who (?:appears?|can be seen|"
    rf"is shown)(?: in {VIDEO})|list (?:all |the )*(?:objects?|entities|people).*)\Z"
)
PRESENCE_ONLY = re.compile(
    rf"(?:(?:that|who|which|in total|altogether|overall|all in all|there|total|{AUX}|be|do|you|we|i|one|see|"
    rf"seen|visible|present|shown|show|shows|appear|appears|appearing|"
    rf"exist|featured|involved|included|count|counted|detected|found|spotted|observe|observed|{VIDEO}|"
    rf"in {PICTURE}|in|on|at|of|inside|within|throughout|during|over|the|this|room|"
    rf"whole|entire|length|course|video|contain|contains|has|have|come up|show up|different|together|"
    rf"on[- ]?screen|camera|view|any|ever|once|at least)(?: |\Z))*\Z"
)
DO = re.compile(
    rf"\A(?:what(?: else| exactly| action| activity| actions)?|how) {AUX} (?P<subject>.+?) (?:do|does|doing|"
    rf"done|up to|busy with|react(?:ing)?|respond(?:ing)?|behav(?:e|ing)|perform(?:ing)?)\b(?P<rest>.*)\Z"
)
REACTION = re.compile(
    r"\A(?:what|how) (?:is|was|are|were) (?:the )?(?:\w+ )?(?:responses?|reactions?) (?:of|from|by) (?P<subject>.+)\Z"
)
OF_VIDEO = re.compile(rf" (?:in|of) {VIDEO}s?\Z")
TWICE = re.compile(r"\b(the|an?|is|are|was|were|of|did|does) \1\b")
"""A small word that was written twice."""
HAPPENS_TO = re.compile(r"\Awhat (?:happens|happened|is happening|becomes|became) (?:to|with|of) (?P<subject>.+)\Z")
HAPPENS = re.compile(
    r"\A(?:what|which event|anything|does anything)(?: else)? (?:happens?|happened|is happening|is going on|"
    r"takes place|occurs|occurred|was happening|comes|follows|"
    r"is(?= (?:next|then|first|last|there)\b|\Z))\b(?P<rest>.*)\Z"
)
WHO_NEXT = re.compile(
    r"\A(?:who|which (?P<noun>\w+)) (?:is|was|are|were|will be) (?:the )?(?P<order>next|first|last|second|"
    r"third)(?: (?:one|person|people|\w+))?(?: (?:to|who|that) (?P<verb>.+))?\Z"
)
FOLLOWS = re.compile(
    r"\A(?P<who>who|which \w+) (?:is the one (?:that|who) )?(?:replaces|follows|succeeds|takes the place of|"
    r"is after|is right after|comes next after) (?P<np>.+)\Z"
)
GERUND = re.compile(r"\A(?:(?:\w+ly|not|first|then|just) )?(?!(?:some|any|no|every)thing\b)\w+ing\b")
PLACED = re.compile(
    r"\A(?:(?:in|on|at|under|behind|near|beside|inside|with)\b|(?:dressed|seated|asked|held|carried|pushed|pulled|told|"
    r"given|taken|shown|left|placed|put)\b(?! (?:the|an?|his|her)\b))"
)
"""A clause without a verb of its own: "while on the slide"."""
PRONOUN = re.compile(r"\A(?:he|she|it|they|him|her|them|this person)\b")
WHO_NTH = re.compile(
    r"\A(?:who|which person) (?P<verb>comes?|came|arrives?|arrived|enters?|entered|appears?|appeared|leaves?|left)"
    r"(?: in)? "
    r"(?P<order>second|third|fourth|fifth|sixth)\Z"
)
ASKING = re.compile(r"\A(?:please )?(?:(?:can|could) you )?(?:tell me|show me|show|say|find|find out|give me|list)\Z")
AT_ONCE = re.compile(
    r"(?:^| )(?:at most )?(?:at (?:the )?(?:same time|once|same moment)|simultaneously|at (?:any |one |a )"
    r"(?:one |given |single )?(?:time|moment|point)|at a time|in (?:a|one|any) (?:single )?(?:frame|picture)|at most)"
    r"(?= |$)"
)
MOST = re.compile(
    r"\A(?:what (?:is|was) )?the (?:maximum|max|largest|highest|greatest|biggest|peak)(?: possible)? "
    r"(?=(?:number|count|amount) of)"
)
LASTING = re.compile(
    r" (?:(?:for )?(?:the )?(?:(?P<long>longest|most)|(?P<short>shortest|least|briefest))"
    r"(?: (?:time|while|period|stay))?"
    r"(?: of all)?)(?= |$)"
)
ALWAYS = re.compile(r" (?:always|constantly|continuously|permanently|all the time|the (?:whole|entire) time|all along|"
                    r"throughout(?: the (?:video|clip|film|movie))?|in every frame)(?= |$)")  # fmt: skip
EVER = re.compile(r" (?:ever|at any (?:time|point|moment)|at some (?:time|point|moment)|sometimes|once)(?= |$)")
SIDE = re.compile(
    r"\A(?:(?P<how>from|to|on|at|through|via|in|towards?|over|by)? ?(?:what|which) (?:side|edge|border|direction|end)"
    r"(?: of (?:the )?\w+)?|where(?P<where>)) "
    r"(?P<rest>.*\b(?:come|comes|came|coming|enter|enters|entered|entering|leave|leaves|left|leaving|exit|exits|exited|"
    r"exiting|disappear|disappears|disappeared|vanish|vanishes|vanished|go|goes|went|arrive|arrives|arrived|appear|"
    r"appears|appeared|return|returns|returned|reappear|reappears|reappeared|walk in|walks in|walk out|walks out|"
    r"re-enter|re-enters|depart|departs|departed|emerge|emerges)\b.*)\Z"
)
WEARING = re.compile(
    rf"\A(?:what (?:clothes |clothing |kind of clothes )?{AUX} (?P<a>.+?) (?:wear|wearing|dressed in|have on)(?: .*)?|"
    rf"how (?:is|are|was|were) (?P<b>.+?) dressed|describe (?:the )?(?:clothes|clothing|outfit) of (?P<c>.+)|"
    rf"describe (?P<d>.+?)'s? (?:clothes|clothing|outfit)|what (?:does|do|did) (?P<e>.+?) look like)\Z"
)
PERFECT = re.compile(
    r"\b(?:has|have|had|is|are|was|were) (?:\w+ )?(?:disappeared|left|vanished|gone|departed|exited)\b"
)
