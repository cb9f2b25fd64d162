"""A second, slow verifier of certificates, for tests: Python's standard library alone, numbers of 160 fractional bits.

It shares nothing with the verifier in Rust but FORMAT.md, and uses only the statement and the meaning of the steps from
it: a step is right if its axis separates the two nodes at every time of its range. Motions are bounded by automatic
Taylor expansions with a remainder over the interval, and an interval that is too long for a proof is cut further.
"""
