// Command trial measures how well an agent works with Scratchpad: how many calls ten tasks take, how many
// of them fail, and how many o200k tokens they cost. The agent gets the definitions of the tools,
// or the help of the command, and nothing else.
//
//	trial make  -program P -db D            fills a new memory: some 60 files and two logs
//	trial tasks                             prints the ten tasks
//	trial answers                           prints what a right answer has
//	trial tools -program P -db D            prints the definitions of the tools
//	trial open  -program P -db D -record R  keeps a session of the server open
//	trial call  -record R TOOL JSON         calls a tool in that session
//	trial run   -program P -db D -record R ARG...  runs a command of the program
//	trial sum   -record R                   prints the calls, the failed calls and the tokens
//
// The memory is made through the tools of the program, so an older program can be measured too.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

type options struct {
	program, database, record string
	args                      []string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("name what to do: make, tasks, answers, tools, open, call, run or sum")
	}
	var o options
	flags := flag.NewFlagSet("trial "+args[0], flag.ContinueOnError)
	flags.StringVar(&o.program, "program", "scratchpad", "the program to measure")
	flags.StringVar(&o.database, "db", "trial.db", "the database of the memory")
	flags.StringVar(&o.record, "record", "trial.jsonl", "the file that records each call")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	o.args = flags.Args()
	ctx := context.Background()
	switch args[0] {
	case "make":
		return o.fill(ctx)
	case "tasks":
		for i, t := range tasks {
			fmt.Printf("%d. %s\n", i+1, t.text)
		}
	case "answers":
		for i, t := range tasks {
			fmt.Printf("%d. %s\n", i+1, t.answer)
		}
	case "tools":
		return o.tools(ctx)
	case "open":
		return o.open(ctx)
	case "call":
		return o.call()
	case "run":
		return o.command(ctx)
	case "sum":
		return o.sum()
	default:
		return fmt.Errorf("there is no %s", args[0])
	}
	return nil
}

// connect starts the server as a client of a name would.
func (o options) connect(ctx context.Context, client string) (*mcp.ClientSession, error) {
	cmd := exec.CommandContext(ctx, o.program, "--db", o.database, "mcp", "--agent", "trial",
		"--max-read-tokens", "20000")
	cmd.Stderr = os.Stderr
	return mcp.NewClient(&mcp.Implementation{Name: client, Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
}

func (o options) tools(ctx context.Context) error {
	session, err := o.connect(ctx, "reader")
	if err != nil {
		return err
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println(session.InitializeResult().Instructions)
	for _, tool := range list.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			return err
		}
		fmt.Printf("\n%s: %s\n%s\n", tool.Name, tool.Description, schema)
	}
	return nil
}

// A record is one call.
type record struct {
	What   string
	Failed bool
	Tokens int // of what the agent wrote and of what it read
}

func (o options) write(r record) error {
	f, err := os.OpenFile(o.record, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	return errors.Join(err, f.Close())
}

// open serves one session on a socket beside the record, until it is stopped.
func (o options) open(ctx context.Context) error {
	session, err := o.connect(ctx, "solver")
	if err != nil {
		return err
	}
	defer session.Close()
	listener, err := net.Listen("unix", o.record+".socket")
	if err != nil {
		return err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		answer := o.answer(ctx, session, bufio.NewReader(conn))
		_, err = conn.Write([]byte(answer))
		if err = errors.Join(err, conn.Close()); err != nil {
			return err
		}
	}
}

// answer makes the call that a line asks for, and records it.
func (o options) answer(ctx context.Context, session *mcp.ClientSession, r *bufio.Reader) string {
	line, err := r.ReadString('\n')
	tool, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	if err != nil {
		return err.Error() + "\n"
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	text, failed := "", true
	if err != nil {
		text = err.Error()
	} else {
		failed = result.IsError
		for _, c := range result.Content {
			if t, ok := c.(*mcp.TextContent); ok {
				text += t.Text
			}
		}
	}
	done := record{What: tool, Failed: failed, Tokens: o200k.Count(args) + o200k.Count(text)}
	if err := o.write(done); err != nil {
		return err.Error() + "\n"
	}
	return text + "\n"
}

func (o options) call() error {
	if len(o.args) != 2 {
		return errors.New("give a tool and its arguments as JSON")
	}
	var compact json.RawMessage
	if err := json.Unmarshal([]byte(o.args[1]), &compact); err != nil {
		return fmt.Errorf("the arguments are not JSON: %w", err)
	}
	conn, err := net.Dial("unix", o.record+".socket")
	if err != nil {
		return err
	}
	defer conn.Close()
	line := strings.NewReplacer("\n", " ", "\r", " ").Replace(o.args[1])
	if _, err := fmt.Fprintf(conn, "%s %s\n", o.args[0], line); err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, conn)
	return err
}

// command runs the program, and records what it printed.
func (o options) command(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, o.program, o.args...)
	cmd.Env = append(os.Environ(), "SCRATCHPAD_DB="+o.database, "SCRATCHPAD_AGENT=trial", "SCRATCHPAD_PROJECT=")
	cmd.Stdin = os.Stdin
	out, err := cmd.CombinedOutput()
	fmt.Print(string(out))
	args := strings.Join(o.args, " ")
	return o.write(record{What: args, Failed: err != nil, Tokens: o200k.Count(args) + o200k.Count(string(out))})
}

func (o options) sum() error {
	f, err := os.Open(o.record)
	if err != nil {
		return err
	}
	defer f.Close()
	var calls, failed, tokens int
	for lines := json.NewDecoder(f); ; calls++ {
		var r record
		if err := lines.Decode(&r); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		tokens += r.Tokens
		if r.Failed {
			failed++
		}
	}
	fmt.Printf("%d calls, %d failed, %d tokens\n", calls, failed, tokens)
	return nil
}
