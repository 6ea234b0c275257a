static int mix(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }
static int odd(int n);
static int even(int n) { return n ? odd(n - 1) : mix(50); }
static int odd(int n) { return n ? even(n - 1) : mix(10); }
static int parse(int n) { return mix(n) + mix(2 * n); }
int main(void) { int s = 0; for (int i = 0; i < 3; i++) s += parse(200); s += even(4); s += mix(1000); return s & 1; }
