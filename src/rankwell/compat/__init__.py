"""Other programs' names, arguments and conventions, in terms of rankwell's metrics and policies."""
