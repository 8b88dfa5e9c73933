"""The command line: each command parses, calls one function of the library, and prints."""

from __future__ import annotations

from rankwell.cli.main import run

__all__ = ["run"]
