# SPDX-License-Identifier: Apache-2.0
"""frontend-service: asks the gateway, and renders a page of the answer.
usage: frontend_service.py FOLDER COUNT"""
import html
import string
import sys
import time

import sampler

ROW = string.Template("<tr><td>$id</td><td>$name</td><td>$price</td></tr>\n")


class GatewayClient:
    def fetch_orders(self):
        time.sleep(0.1)
        return [{"id": str(n), "name": f"order <{n}>", "price": str(n * 3)}
                for n in range(2400)]


class PageRenderer:
    def render_row(self, order):
        return ROW.substitute({k: html.escape(v) for k, v in order.items()})

    def render_page(self, orders):
        return "<table>" + "".join(self.render_row(o) for o in orders * 3)


class OrdersView:
    def __init__(self):
        self.client, self.renderer = GatewayClient(), PageRenderer()

    def get(self):
        return self.renderer.render_page(self.client.fetch_orders())


def main():
    sampler.run(OrdersView().get, 0.4, sys.argv[1], int(sys.argv[2]))


if __name__ == "__main__":
    main()
