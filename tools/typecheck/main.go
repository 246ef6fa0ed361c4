// Command typecheck checks the types of every package and test of the module for other
// systems. It compiles nothing, so it takes seconds. go vet compiles what a package imports,
// which takes minutes with an empty build cache. The exit code is 1 if there are mistakes.
//
//	go -C tools run ./typecheck windows/amd64 darwin/arm64
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) == 1 {
		fmt.Fprintln(os.Stderr, "name systems, such as windows/amd64")
		os.Exit(2)
	}
	status := 0
	for _, system := range os.Args[1:] {
		goos, goarch, _ := strings.Cut(system, "/")
		found, err := packages.Load(&packages.Config{
			Mode:  packages.LoadAllSyntax,
			Dir:   "..",
			Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
			Tests: true,
		}, "./...")
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", system, err)
			os.Exit(2)
		}
		if n := packages.PrintErrors(found); n > 0 {
			fmt.Fprintf(os.Stderr, "%s: %d mistakes\n", system, n)
			status = 1
		}
	}
	os.Exit(status)
}
