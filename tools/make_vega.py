"""Pack the libraries that draw the charts of pages, as the vl-convert that is installed bundles them; bundling takes longer than a report.

python tools/make_vega.py [--check]

BSD-3 (Vega) and ISC (D3): `charts.licences.txt` beside the file has their terms, and each page begins its script with these.
"""

from __future__ import annotations

import gzip
import sys

import vl_convert

from rankwell.faces import HERE
from rankwell.reporting.page import bundle

FILE = HERE / "reporting" / "static" / "vega.js.gz"


def main() -> int:
    """Write the file, or say that it is not what vl-convert makes."""
    made = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    if "--check" in sys.argv:
        if made != bundle():
            sys.stderr.write(f"{FILE.name} is not of this vl-convert; run python tools/make_vega.py\n")
        return int(made != bundle())
    FILE.write_bytes(gzip.compress(made.encode(), mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
