"""The machine-checked proofs, and what ties them to the rest: the record of what they prove, and ``make prove``.

The ``.v`` files are the proofs, one for each claim or shared notion (``README.md`` is their map). ``record`` reads
``proofs.json``, the record of the last replay; ``prove`` makes it anew.
"""
