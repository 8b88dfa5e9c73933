"""Every number from outside or computed a second time, slowly."""
