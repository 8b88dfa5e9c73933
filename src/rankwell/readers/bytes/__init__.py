"""Files as bytes: opened, decompressed, recoded, and split into blocks of whole lines; nothing here knows a format."""
