"""Methods that choose what to judge next, one file each."""
