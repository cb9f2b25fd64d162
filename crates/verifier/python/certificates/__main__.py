"""`python3 -m certificates FILE FOLDER [NUMBER…]`: a line for each certificate; exit code 1 if one is refused."""

import sys
from pathlib import Path

from .proof import Refused
from .verify import Verifier


def main(file: str, folder: str, *numbers: str) -> int:
    try:
        verifier = Verifier(Path(file).read_bytes(), Path(folder))
    except (Refused, ValueError) as error:
        print(f"refused: {error}")
        return 1
    refused = 0
    for number in map(int, numbers) if numbers else range(len(verifier.certificates)):
        try:
            proved = verifier.verify(number)
        except Refused as error:
            print(f"{number} refused: {error}")
            refused = 1
            continue
        claim = "none" if proved is None else f"{proved.kind} until {proved.end}, {proved.steps} steps"
        print(f"{number} {claim}")
    return refused


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
