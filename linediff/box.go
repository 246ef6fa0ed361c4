package linediff

// A box is one part of the search. It compares some lines of one text with some
// lines of the other, all by their numbers.
// The marks ina and inb, as long as a and b, say which lines have a partner.
type box struct {
	a, b     []int32
	ina, inb []bool
}

func (x box) empty() bool {
	return len(x.a) == 0 || len(x.b) == 0
}

// cut divides a box at a point of both texts. No line before the point has its
// partner after it.
func (x box) cut(i, j int) (before, after box) {
	before = box{a: x.a[:i], b: x.b[:j], ina: x.ina[:i], inb: x.inb[:j]}
	after = box{a: x.a[i:], b: x.b[j:], ina: x.ina[i:], inb: x.inb[j:]}
	return before, after
}

// flip exchanges the two texts.
func (x box) flip() box {
	return box{a: x.b, b: x.a, ina: x.inb, inb: x.ina}
}

func (x box) pair(i, j int) {
	x.ina[i], x.inb[j] = true, true
}

// trim pairs the lines that both texts begin with and end with, and returns the
// rest. Some minimal difference has these pairs.
func (x box) trim() box {
	i := 0
	for i < len(x.a) && i < len(x.b) && x.a[i] == x.b[i] {
		x.pair(i, i)
		i++
	}
	_, x = x.cut(i, i)
	n, m := len(x.a), len(x.b)
	for n > 0 && m > 0 && x.a[n-1] == x.b[m-1] {
		n, m = n-1, m-1
		x.pair(n, m)
	}
	x, _ = x.cut(n, m)
	return x
}

func (x box) lines() int {
	return len(x.a) + len(x.b)
}
