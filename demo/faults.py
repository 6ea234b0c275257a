# SPDX-License-Identifier: Apache-2.0
"""The faults of the demo: DEMO_FAULT=NAME puts one of them into the service that
it belongs to; the other services do not read the variable."""
import os
import sys
from typing import NamedTuple


class Fault(NamedTuple):
    service: str   # the program that has it: SERVICE.py
    function: str  # where it sits, as a profiler names it
    what: str


FAULTS = {
    "slow_query": Fault("data", "rank_in_category",
                        "a query compares rows of a category with one another"),
    "n_plus_one": Fault("data", "supplier_of",
                        "a query for every row of a list"),
    "leak": Fault("auth", "new_session",
                  "sessions are never forgotten"),
    "lock": Fault("auth", "write_audit",
                  "every request writes to a slow disk under one lock"),
    "cpu": Fault("frontend", "round_exactly",
                 "products are rounded by decimal arithmetic"),
    "downstream": Fault("auth", "ask_identity_provider",
                        "a service of somebody else, without telemetry, is slow"),
    "new_version": Fault("data", "pack_rows",
                         "version 1.1.0 packs every row into JSON and back"),
}
VERSION = "1.0.0"
NEW_VERSION = "1.1.0"


def chosen(service):
    """The fault of this service, None when it is to be healthy."""
    name = os.environ.get("DEMO_FAULT") or None
    if name and name not in FAULTS:
        sys.exit(f"DEMO_FAULT={name}: no such fault; there are "
                 + ", ".join(FAULTS))
    return name if name and FAULTS[name].service == service else None
