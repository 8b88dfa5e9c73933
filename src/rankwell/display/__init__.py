"""What people see: tables, output files and findings."""

from __future__ import annotations
