"""Sections of the report: one file each, found by being here: its ``section`` is a function that ``part`` has made a part of the page."""
