"""Sections of the report on costs: one file each, found by being here."""
