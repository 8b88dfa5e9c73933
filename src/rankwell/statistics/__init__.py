"""Statistics: arrays in, estimates out; nothing here knows what is ranked."""
