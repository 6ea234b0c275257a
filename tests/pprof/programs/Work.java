// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Something for profilers of Java to look at, for four seconds. */
public class Work {
	static long mix(long x) {
		for (int i = 0; i < 400; i++)
			x = (x ^ (x >>> 13)) * 0x9E3779B97F4A7C15L;
		return x;
	}

	static int walk(int depth) {
		return depth == 0 ? 0
				  : walk(depth - 1) + (int)(mix(depth) & 1);
	}

	static class Cart {
		final List<Long> prices = new ArrayList<>();

		Cart(int count) {
			for (int i = 0; i < count; i++)
				prices.add(Long.remainderUnsigned(mix(i), 9999));
		}

		int print() {
			TreeMap<String, Long> rows = new TreeMap<>();
			for (long price : prices)
				rows.put(Long.toString(price), price);
			return rows.size();
		}

		List<Long> dear() {
			return prices.stream().filter(p -> mix(p) > 0)
				.collect(Collectors.toList());
		}
	}

	public static void main(String[] args) {
		long end = System.nanoTime() + 4_000_000_000L;
		long kept = 0;
		while (System.nanoTime() < end) {
			Cart cart = new Cart(2000);
			kept += cart.print() + cart.dear().size() + walk(40);
		}
		System.exit(kept == 1 ? 1 : 0);
	}
}
