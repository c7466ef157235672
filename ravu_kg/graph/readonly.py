"""What somebody's own Cypher may do: read this graph, and nothing else.

The server's access mode alone is no boundary: ``LOAD CSV FROM 'http://...'``, ``TERMINATE TRANSACTIONS`` and ``SHOW
SETTINGS`` all count as reading. So the text and the plan are looked at before anything runs, and both by lists of what
is allowed: a function, a procedure or an operator that is not listed is refused, whatever it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ravu_kg.errors import UsageError
from ravu_kg.graph.hints import did_you_mean, placed
from ravu_kg.graph.templates import blank, parameters_used
from ravu_kg.graph.values import is_mapping, is_sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAX_TEXT_BYTES = 100_000
"""Longer statements are refused: the server plans them for minutes; long lists belong into parameters."""

PROCEDURES = frozenset(
    {
        "db.index.fulltext.listAvailableAnalyzers",
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.index.vector.queryNodes",
        "db.index.vector.queryRelationships",
        "db.labels",
        "db.relationshipTypes",
        "db.propertyKeys",
        "db.schema.visualization",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
    }
)
"""The procedures that a query may call."""

FUNCTIONS = _words(
    """abs acos all allReduce allShortestPaths any asin atan atan2 avg btrim cardinality ceil ceiling char_length
    character_length coalesce collect cos cosh cot coth count date datetime degrees duration e element_id elementId
    endNode exists exp floor haversin head id isEmpty isNaN keys labels last left length ln localdatetime localtime log
    log10 lower ltrim max min nodes none normalize nullIf path_length percentileCont percentileDisc percentile_cont
    percentile_disc pi point power properties property_exists radians rand randomUUID range reduce relationships replace
    reverse right round rtrim shortestPath sign sin single sinh size split sqrt startNode stDev stDevP stddev_pop
    stddev_samp substring sum tail tan tanh time timestamp toBoolean toBooleanList toBooleanOrNull toFloat toFloatList
    toFloatOrNull toInteger toIntegerList toIntegerOrNull toLower toString toStringList toStringOrNull toUpper trim type
    upper valueType vector vector_dimension_count vector_distance vector_norm"""
)
"""Cypher's own functions without a dot; ``file()`` and ``linenumber()`` belong to ``LOAD CSV``."""

FUNCTION_SPACES = frozenset(
    {"date", "datetime", "localdatetime", "localtime", "time", "duration", "point", "vector", "coll"}
)
"""What may stand before the dot of a function's name; plug-ins have their own."""

_OPERATORS = _words(
    """Anti AntiConditionalApply AntiSemiApply Apply Argument ArgumentTracker BidirectionalRepeat CacheProperties
    CartesianProduct ConditionalApply Distinct Eager EagerAggregation EmptyResult Error ExhaustiveLimit Expand Filter
    LetAntiSemiApply LetSelectOrAntiSemiApply LetSelectOrSemiApply LetSemiApply Limit NodeCountFromCountStore
    NodeHashJoin NodeLeftOuterHashJoin NodeRightOuterHashJoin NonFuseable NonPipelined NullifyMetadata Optional
    OptionalExpand OrderedAggregation OrderedDistinct OrderedUnion PartialSort PartialTop PartitionedUnwind
    PathPropagatingBFS PreserveOrder ProcedureCall ProduceResults ProjectEndpoints Projection
    RelationshipCountFromCountStore Repeat RepeatOptions RollUpApply SelectOrAntiSemiApply SelectOrSemiApply SemiApply
    ShortestPath Skip Sort StatefulShortestPath Top Top1WithTies TriadicBuild TriadicFilter TriadicSelection Union
    Unwind ValueHashJoin ValueMergeJoin VarLengthExpand"""
)
_LEAVES = re.compile(
    r"(?:Partitioned)?(?:AllNodes|Directed|Undirected|Dynamic|Intersection|MultiNode|Node|Subtraction|Union)\w*"
    r"(?:Scan|Seek|SeekByRange|Search|Lookup)"
)
# Words that may stand before a parenthesis and call nothing. Those that write are among them: the plan tells better.
_KEYWORDS = _words(
    """acyclic all and any as assert by call case collect contains count create csv delete detach different distinct
    each element elements else ends exists filter finish for foreach from group groups if in insert is join let limit
    load match merge next nodetach not of offset on optional or order path paths profile relationship remove repeatable
    require return rows search set shortest simple skip starts then trail transactions union unique unwind use using
    walk when where with xor yield"""
)
_PREPARSER = re.compile(r"\s*(?:(CYPHER)\b((?:\s+(?:\d+|\w+\s*=\s*\w+))*)|(EXPLAIN|PROFILE)\b)", re.IGNORECASE)
_NAME = r"(?:`(?:``|[^`])*`|\w+)"
_NAMED = re.compile(rf"(?<![\w$])({_NAME}(?:\s*\.\s*{_NAME})*)\s*(\()?")
_CALLED_PROCEDURE = re.compile(rf"\bCALL\s+({_NAME}(?:\s*\.\s*{_NAME})*)", re.IGNORECASE)
_INDEX_HINT = re.compile(rf"\bUSING\s+(?:\w+\s+)?INDEX\s+(?:SEEK\s+)?{_NAME}\s*:\s*{_NAME}\s*(?=\()", re.IGNORECASE)
_OTHER_GRAPH = re.compile(r"(?:^|\{|\bUNION(?:\s+(?:ALL|DISTINCT))?|\bNEXT)\s*USE\s+[\w`]", re.IGNORECASE)
_ESCAPE = re.compile(r"\\u+([0-9a-fA-F]{4})")


def refuse_text(text: str) -> None:
    """Refuse what can be told from the text alone.

    Raises:
        UsageError: an empty or huge statement, several of them, a leading EXPLAIN or PROFILE, another database, or a
            function or procedure that is not listed.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise UsageError(f"The query is no well-formed text: character {error.start} is half a character.") from error
    if size > MAX_TEXT_BYTES:
        raise UsageError(
            f"The query is {size:,} bytes long; {MAX_TEXT_BYTES:,} are the most. Put long lists into parameters."
        )
    # The server resolves \u escapes before anything else, in comments and in names too: they can end a comment.
    for variant in dict.fromkeys((text, _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text))):
        _refuse_variant(variant, text)


def missing_parameters(text: str, given: Mapping[str, object]) -> list[str]:
    """The ``$parameters`` of the statement that have no value."""
    return [name for name in parameters_used(text) if name not in given]


def refuse_plan(query_type: str, plan: Mapping[object, object]) -> None:
    """Refuse what the server's plan shows.

    Args:
        query_type: of the plan's summary.
        plan: the operator tree as the server describes it.

    Raises:
        UsageError: the statement writes, changes the schema, reads files or manages the server.
    """
    if query_type != "r":
        raise UsageError("Refused: the query would change something. Only statements that read are allowed here.")
    for operator, details in _operators(plan):
        name = operator.partition("(")[0]
        if name not in _OPERATORS and not _LEAVES.fullmatch(name):
            raise UsageError(f"Refused: the query does more than read this graph ({operator}).")
        if name == "ProcedureCall":
            called = re.split(r"[\s(:]", details.strip(), maxsplit=1)[0]
            if called not in PROCEDURES:
                raise UsageError(f"Refused: procedure '{called}' may not be called here, only {_allowed()}.")
        else:
            for match in re.finditer(r"(?<![\w.])(\w+)(?:\.\w+)+\(", blank(details)):
                if match.group(1).lower() not in FUNCTION_SPACES:
                    raise UsageError(f"Refused: '{match.group()[:-1]}' may not be called here.")


def _refuse_variant(text: str, original: str) -> None:
    code = blank(text)
    if not code.strip(" \t\r\n;"):
        raise UsageError("The query is empty. Give one Cypher statement that reads.")
    if ";" in code.rstrip(" \t\r\n;"):
        raise UsageError("One statement at a time: leave out what follows the ';'.")
    position = 0
    while match := _PREPARSER.match(code, position):
        if match.group(3):
            raise UsageError(f"Leave out {match.group(3).upper()}: the query is planned and checked anyway.")
        position = match.end()
    if _OTHER_GRAPH.search(code[position:].lstrip()):
        raise UsageError("Leave out USE: a query reads the memory's own database. NEO4J_DATABASE names another one.")
    named = _INDEX_HINT.sub(lambda match: " " * len(match.group()), blank(text, keep_names=True))
    for match in _CALLED_PROCEDURE.finditer(named):
        _refuse_name(match, original, procedure=True)
    for match in _NAMED.finditer(named):
        if match.group(2):
            _refuse_name(match, original, procedure=False)


def _refuse_name(match: re.Match[str], text: str, *, procedure: bool) -> None:
    """Refuse a name that is called and not listed."""
    name = re.sub(r"\s", "", match.group(1).replace("`", ""))
    lower = name.lower()
    if name in PROCEDURES or ("." not in name and (lower in _LOWER_FUNCTIONS or lower in _KEYWORDS)):
        return
    if not procedure and "." in name and lower.split(".")[0] in FUNCTION_SPACES:
        return
    hint = did_you_mean(name, PROCEDURES if procedure else FUNCTIONS | PROCEDURES)
    what = hint or f"only Cypher's own functions that read, and {_allowed()}"
    raise UsageError(placed(f"'{name}' may not be called here", text, match.start(1), what))


def _operators(plan: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    """Every operator of the plan with its details."""
    waiting: list[Mapping[object, object]] = [plan]
    while waiting:
        one = waiting.pop()
        arguments = one.get("args")
        details = str(arguments.get("Details", "")) if is_mapping(arguments) else ""
        yield str(one.get("operatorType", "")).partition("@")[0], details
        children = one.get("children")
        if is_sequence(children):
            waiting.extend(child for child in children if is_mapping(child))


def _allowed() -> str:
    return ", ".join(sorted(PROCEDURES))


_LOWER_FUNCTIONS = frozenset(name.lower() for name in FUNCTIONS)
