"""Pictures of judging: one file each, found by being here."""
