"""Interfaces of other tools: their names, arguments and conventions, in terms of rankwell's metrics and policies."""
