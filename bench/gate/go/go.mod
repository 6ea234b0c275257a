module bench.example/shop

go 1.21
