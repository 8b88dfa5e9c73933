"""Pictures of boards: one file each, found by being here."""
