# Made by tools/make_names.py; do not edit.
# ruff: noqa: A004, I001, RUF022, RUF100
from rankwell.clicks.new_order import Counterfactual as Counterfactual
from rankwell.clicks.interleaving import Interleaving as Interleaving
from rankwell.clicks.log import Log as Log
from rankwell.clicks.policy_value import OffPolicy as OffPolicy
from rankwell.clicks.position_bias import Positions as Positions
from rankwell.clicks.new_order import counterfactual as counterfactual
from rankwell.clicks.interleaving import interleaved as interleaved
from rankwell.clicks.click_rates import judgements as judgements
from rankwell.clicks.policy_value import off_policy as off_policy
from rankwell.clicks.position_bias import positions as positions
from rankwell.clicks.read import read_log as read_log

__all__ = [
    "Counterfactual",
    "Interleaving",
    "Log",
    "OffPolicy",
    "Positions",
    "counterfactual",
    "interleaved",
    "judgements",
    "off_policy",
    "positions",
    "read_log",
]
