// SPDX-License-Identifier: Apache-2.0
//
// Something for profilers of C++ to look at: templates, a lambda, a conversion,
// an unnamed namespace, recursion, allocation. ../../../testdata/pprof/ORIGIN.md
// tells how it was built and profiled.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace shop {

template <typename T, int N> class Ring {
      public:
	NOINLINE void push(const T &item)
	{
		items_[at_++ % N] = item;
	}
	NOINLINE T sum(T start) const
	{
		for (const T &item : items_)
			start += item;
		return start;
	}

      private:
	T items_[N] = {};
	unsigned at_ = 0;
};

struct Price {
	uint64_t cents;
	NOINLINE operator std::string() const
	{
		return std::to_string(cents) + " ct";
	}
	NOINLINE bool operator<(const Price &other) const
	{
		return cents < other.cents;
	}
};

namespace {
NOINLINE uint64_t mix(uint64_t x)
{
	for (int i = 0; i < 400; i++)
		x = (x ^ (x >> 13)) * 0x9E3779B97F4A7C15u;
	return x;
}
} // namespace

template <typename F> NOINLINE void repeat(int times, F each)
{
	for (int i = 0; i < times; i++)
		each(i);
}

class Cart {
      public:
	NOINLINE explicit Cart(int count)
	{
		repeat(count, [this](int i) {
			prices_.push_back({ mix((uint64_t)i) % 9999 });
		});
	}
	NOINLINE uint64_t total() const
	{
		Ring<uint64_t, 64> ring;
		for (const Price &price : prices_)
			ring.push(price.cents);
		return ring.sum(0);
	}
	NOINLINE size_t print() const
	{
		std::map<std::string, Price> rows;
		for (const Price &price : prices_)
			rows[static_cast<std::string>(price)] = price;
		return rows.size();
	}
	NOINLINE void sort()
	{
		std::sort(prices_.begin(), prices_.end());
	}

      private:
	std::vector<Price> prices_;
};

NOINLINE int walk(int depth)
{
	return depth ? walk(depth - 1) + (int)(mix((uint64_t)depth) & 1) : 0;
}

} // namespace shop

int main()
{
	auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
	uint64_t kept = 0;

	while (std::chrono::steady_clock::now() < end) {
		auto cart = std::make_unique<shop::Cart>(3000);
		cart->sort();
		kept += cart->total() + cart->print() +
			(uint64_t)shop::walk(40);
	}
	return kept == 1;
}
