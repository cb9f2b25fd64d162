"""Checks motions of an arm of two joints over a table, and shows what the results contain."""

from pathlib import Path

import numpy as np

import firstcontact as fc

ARM = Path(__file__).resolve().parents[2] / "examples" / "arm"


def main() -> None:
    # Contact is a distance of 5 mm.
    engine = fc.Engine(ARM / "arm.urdf", ARM / "table.obj", margin=0.005)
    print(engine, "with the joints", engine.joints)

    # A thousand motions, from the upright arm to random configurations.
    ends = np.random.default_rng(1).uniform(-1.0, 1.0, (1000, 2))
    results = engine.check(np.zeros_like(ends), ends)
    print(results)

    # Columns are arrays: the earliest contact of all, and how certain the contacts are.
    first = int(np.nanargmin(results.toc[:, 0]))
    print("the earliest contact:", results[first])
    print("certified:", int(results.certified.sum()), "of", int((results.verdict == fc.CONTACT).sum()))

    # Until the contact, nothing touches; this is guaranteed. So the shortened motions are free.
    contact = results.verdict == fc.CONTACT
    shortened = ends[contact] * (results.clear_until[contact, np.newaxis] - 1e-6)
    again = engine.check(np.zeros_like(shortened), shortened)
    print("free when they end before the contact:", int((again.verdict == fc.FREE).sum()), "of", len(again))
    assert again.all_free


if __name__ == "__main__":
    main()
