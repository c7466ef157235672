"""Many videos at once: in this process, in several on this machine, or on Ray.

All engines run the same stage functions (:mod:`ravu_kg.engines.worker`) over the same tasks
(:mod:`ravu_kg.engines.records`), which :mod:`ravu_kg.engines.batch` hands out. A task can be done again: what an
earlier attempt wrote stays the same.
"""
