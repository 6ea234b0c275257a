# SPDX-License-Identifier: Apache-2.0
"""data-service: the orders of a user, best first. Its version is the folder
that discounts.py comes from; in 1.1.0 match_discounts became slow.
usage: data_service.py VERSION FOLDER COUNT"""
import json
import random
import sys
from pathlib import Path

import sampler

ORDERS, ITEMS, ROWS = 2000, 24, 420


class OrderStore:
    def __init__(self, discounts):
        self.discounts = discounts
        draw = random.Random(5)
        self.rows = [json.dumps({"id": n, "items": [
            f"item-{draw.randrange(ROWS * 2)}" for _ in range(ITEMS)]})
            for n in range(ORDERS)]

    def fetch_rows(self):
        return [json.loads(row) for row in self.rows]

    def price_order(self, order):
        order["price"] = (len(order["items"]) * 10 -
                          self.discounts.match_discounts(order["items"]))
        return order

    def rank_orders(self, orders):
        priced = [self.price_order(order) for order in orders]
        return sorted(priced, key=lambda o: (-o["price"], o["id"]))

    def encode_page(self, orders):
        return json.dumps(orders, indent=1)


class OrderHandler:
    def __init__(self, store):
        self.store = store

    def get_orders(self):
        orders = self.store.fetch_rows()
        return self.store.encode_page(self.store.rank_orders(orders))


def main():
    sys.path.insert(0, str(Path(__file__).parent / sys.argv[1]))
    from discounts import Discounts
    store = OrderStore(Discounts((f"item-{n}", n % 7) for n in range(ROWS)))
    sampler.run(OrderHandler(store).get_orders, 1.0, sys.argv[2],
                int(sys.argv[3]))


if __name__ == "__main__":
    main()
