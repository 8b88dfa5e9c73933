"""How far judgements agree with each other, and orders of systems under metrics and judgements."""
