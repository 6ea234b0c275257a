// line 1 of a program that allocates
// line 2 of a program that allocates
// line 3 of a program that allocates
// line 4 of a program that allocates
// line 5 of a program that allocates
// line 6 of a program that allocates
// line 7 of a program that allocates
// line 8 of a program that allocates
// line 9 of a program that allocates
// line 10 of a program that allocates
// line 11 of a program that allocates
// line 12 of a program that allocates
// line 13 of a program that allocates
// line 14 of a program that allocates
// line 15 of a program that allocates
// line 16 of a program that allocates
// line 17 of a program that allocates
// line 18 of a program that allocates
// line 19 of a program that allocates
// line 20 of a program that allocates
// line 21 of a program that allocates
// line 22 of a program that allocates
// line 23 of a program that allocates
// line 24 of a program that allocates
var sink []byte

func allocLoop() {
	sink = make([]byte, 64<<10)
}


