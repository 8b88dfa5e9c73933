"""Methods that choose what to judge next: the name of a file is the name of a method, and it is found there."""
