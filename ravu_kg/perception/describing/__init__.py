"""The measured describer's parts: from boxes over time to words.

``path`` measures one track, ``scene`` knows who is in the picture when, ``relations`` compares boxes of one frame,
``wording`` holds every English phrase, ``events`` finds change points, ``windows`` puts frames together.
:func:`ravu_kg.perception.geometry.describe` is the way in.
"""
