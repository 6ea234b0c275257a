function burn(n: number) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 65521; return s; }
function cart(ms: number) { const end = performance.now() + ms; while (performance.now() < end) burn(200000); }
cart(500);
await new Promise(resolve => setTimeout(resolve, 1000));
cart(500);
