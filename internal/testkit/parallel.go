package testkit

import "flag"

// SideBySide lets more parallel tests run than there are processors, unless the command line
// says how many. It is for tests that wait for disks and other processes more than they
// compute. TestMain calls it before the tests.
func SideBySide() {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return
	}
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
}
