"""Sections of the report: one file each, found by being here."""
