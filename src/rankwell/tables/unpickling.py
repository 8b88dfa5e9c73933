"""What unpickles tables: functions of a module, since pickles made for other machines copy methods together with what these refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankwell.tables.ids import Ids


def integers_again(values: np.ndarray) -> Ids:
    """Return a column of integer ids."""
    from rankwell.tables.ids import Ids

    return Ids.of_integers(values)
