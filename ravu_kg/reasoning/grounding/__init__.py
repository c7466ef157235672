"""When something happens in a video of which only words are known: how likely each second shows what is asked.

Where boxes were tracked, presence and change are measured (:mod:`ravu_kg.reasoning.presence`). A memory of captions has
none: there the sentences of each second are compared with the question's parts, and what the question says of time
(after the dog leaves; at the end of the video) weighs the seconds.
"""
