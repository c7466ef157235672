"""A local server that speaks the real protocols of model providers, for the real SDKs.

::

    def answer(received: Received) -> Reply | Fault:
        if received.stage == "plan":
            return Reply({"steps": []})
        return Fault.rate_limited(retry_after_s=1)

    with ModelServer(answer) as server:
        ...  # OpenAI's base_url: server.url + "/v1"; Gemini's: server.url
    assert server.received[0].images
"""

from tests.model_server.records import Fault, Received, Reply
from tests.model_server.script import says_nothing, scripted
from tests.model_server.server import DIMENSIONS, Answer, ModelServer, bags_of_words

__all__ = [
    "DIMENSIONS",
    "Answer",
    "Fault",
    "ModelServer",
    "Received",
    "Reply",
    "bags_of_words",
    "says_nothing",
    "scripted",
]
