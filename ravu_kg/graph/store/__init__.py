"""The one door to Neo4j.

Nothing else imports the driver (but the server's probe). Every error of the driver leaves as one of
:mod:`ravu_kg.errors`; the driver itself retries transient ones.
"""

from ravu_kg.graph.results import Counters, ReadResult, TemplateProblem
from ravu_kg.graph.store.connection import Store, check_templates
from ravu_kg.graph.store.failures import translate
from ravu_kg.graph.store.plain import Record, as_record
from ravu_kg.graph.values import Rows, Vector

__all__ = [
    "Counters",
    "ReadResult",
    "Record",
    "Rows",
    "Store",
    "TemplateProblem",
    "Vector",
    "as_record",
    "check_templates",
    "translate",
]
