module quotes

go 1.21
