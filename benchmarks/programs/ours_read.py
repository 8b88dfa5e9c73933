"""rankwell reading a run and keeping it: RUN. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys

import rankwell as rw


def main() -> None:
    run = rw.read_run(sys.argv[1])
    print(json.dumps({"values": {"rows": float(len(run))}}))


if __name__ == "__main__":
    main()
