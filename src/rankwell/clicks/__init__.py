"""Clicks: what logs of users say of rankers, with honest intervals: interleaving, position bias, judgements, other orders, other policies."""

from __future__ import annotations

from rankwell.faces import Commands, face

COMMANDS = Commands("Evaluate", 0.5, "clicks", "Say what users prefer, by the logs of what they clicked")
# what a file says that it holds, and the class that loads it
KINDS = {
    "interleaving": "Interleaving", "position bias": "Positions", "counterfactual value": "Counterfactual", "off-policy value": "OffPolicy",
}  # fmt: skip

# public names, and the modules that they are imported from on first use
HOMES = {
    "Counterfactual": "rankwell.clicks.new_order",
    "Interleaving": "rankwell.clicks.interleaving",
    "Log": "rankwell.clicks.log",
    "OffPolicy": "rankwell.clicks.policy_value",
    "Positions": "rankwell.clicks.position_bias",
    "counterfactual": "rankwell.clicks.new_order",
    "interleaved": "rankwell.clicks.interleaving",
    "judgements": "rankwell.clicks.click_rates",
    "off_policy": "rankwell.clicks.policy_value",
    "positions": "rankwell.clicks.position_bias",
    "read_log": "rankwell.clicks.read",
}

__all__ = sorted(HOMES)  # noqa: PLE0605 - names of a table
__getattr__, __dir__ = face(__name__, HOMES)
