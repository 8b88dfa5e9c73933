"""Arrays and tensors of other libraries as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwell.errors import UsageError

NARROW = ("bfloat16", "float8")  # kinds of floats that NumPy lacks; single precision holds them exactly
IN_MAIN_MEMORY = (1, 3)  # DLPack's numbers of the processor's memory, and of such memory that a GPU reads too


def array_of(source: Any, name: str) -> np.ndarray:
    """Return an array or a tensor as a NumPy array: the same memory where it can be, one copy of a tensor on another device.

    UsageError if it cannot be converted.
    """
    try:
        if any(kind in str(getattr(source, "dtype", "")) for kind in NARROW):
            source = source.float() if hasattr(source, "float") else source.astype("float32")
        if isinstance(source, np.ndarray):  # a matrix of NumPy has two dimensions whatever is done with it
            return source if type(source) is np.ndarray or np.ma.isMaskedArray(source) else np.asarray(source)
        if getattr(source, "requires_grad", False):
            source = source.detach()
        if not hasattr(source, "__dlpack__"):
            return np.asarray(source)
        if source.__dlpack_device__()[0] not in IN_MAIN_MEMORY:
            return np.asarray(source.cpu() if hasattr(source, "cpu") else source)  # JAX copies by itself
        return np.from_dlpack(source)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise UsageError(
            f"{name}: the {type(source).__name__} cannot be converted to a NumPy array ({error}). Move it to the CPU "
            f"first: tensor.detach().cpu().numpy()."
        ) from error


def one_dimension(source: Any, name: str) -> np.ndarray:
    """Return an array or a tensor as ``array_of`` does; UsageError if it has another number of dimensions than one."""
    array = array_of(source, name)
    if array.ndim != 1:
        raise UsageError(f"{name} are one column; this array has {array.ndim} dimensions.")
    return array


def is_tensor(source: Any) -> bool:
    """Whether a value is an array of another library than NumPy, and no column of a table."""
    is_array = hasattr(source, "__dlpack__") and not hasattr(source, "__arrow_c_array__")
    return is_array and not isinstance(source, np.ndarray)
