"""What people bring, as typed columns, and the tables made from it."""

from __future__ import annotations
