// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Numbers, words, objects, a lock that others hold, a pause. */
public class Work {
	private static final Object lock = new Object();
	private static final List<byte[]> kept = new ArrayList<>();

	private static int fibonacci(int n) {
		return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
	}

	private static int sortWords(int n) {
		String[] words = new String[n];
		for (int i = 0; i < n; i++)
			words[i] = "word " + (i * 7919L % n);
		Arrays.sort(words);
		return words.length;
	}

	private static int keepRecords(int n) {
		if (kept.size() > 20000)
			kept.clear();
		for (int i = 0; i < n; i++)
			kept.add(new byte[1024]);
		return kept.size();
	}

	private static void hold(long ms) {
		synchronized (lock) {
			LockSupport.parkNanos(ms * 1_000_000L);
		}
	}

	public static void main(String[] args) throws InterruptedException {
		Thread other = new Thread(() -> {
			for (int i = 0; i < 8; i++)
				hold(30);
		}, "holder");
		long end = System.nanoTime() + 2_000_000_000L, sum = 0;

		other.start();
		while (System.nanoTime() < end) {
			sum += fibonacci(24) + sortWords(5000) + keepRecords(200);
			hold(2);
		}
		other.join();
		System.out.println(sum);
	}
}
