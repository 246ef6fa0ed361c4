// Package doors has only tests. Sixteen writers use the memory of one agent at the same
// time: four through MCP, four through the Memory Stores API, four with the memory tool and
// four in the console. Twelve of them use one scratchpad serve, each with its own key. Two
// have servers of their own over stdio, and two are in the process of the test. So four
// processes write to one database.
//
//		cd internal/e2e && go test ./doors
//
//	  - doors_test.go lets the writers work.
//	  - mcp_test.go, rest_test.go, tool_test.go and console_test.go are the four doors.
//	  - check_test.go compares what is stored with what each writer was told.
package doors
