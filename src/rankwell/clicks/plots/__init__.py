"""Pictures of clicks: one file each, found by being here."""
