"""Pictures of costs: one file each, found by being here."""
