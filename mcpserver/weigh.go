package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The weights are what calls take at their worst moment, in multiples of bytes. They
// come from what the SDK and encoding/json copy, and TestLoad checks them.
const (
	bodyFactor   = 6  // of a request: as it came, in the decoder's buffers, decoded
	readFactor   = 30 // of content that is read: all of it may be escaped, sixfold
	answerFactor = 5  // of an answer as JSON while it is encoded
	diffFactor   = 24 // of both texts while they are compared
	editFactor   = 4  // of a file that is edited
	logFactor    = 5  // of a page of a log, which is counted as JSON
)

const ordinaryFile = 1 << 20 // the default limit of a file

// weight is what the request weighs until its tool is known to need more. A large
// one weighs as much as its tool may need, because it cannot wait again.
func (m message) weight(bytes int) int64 {
	w := leastCall + bodyFactor*int64(bytes)
	switch {
	case w <= smallCall:
		return w
	case m.tool == "write_file" || m.tool == "append_log":
		return w
	case m.tool == "edit_file":
		return w + editFactor<<20
	}
	return math.MaxInt64 // a tool that needs no large request: alone
}

// writtenWeight is that of an answer that is encoded.
func writtenWeight(bytes int) int64 { return leastCall + int64(bytes) + int64(bytes)/4 }

// reserve waits until there is memory for what a tool reads, and for a diff until a
// processor is free. done ends the work: only the answer is left then.
func (s *Server) reserve(ctx context.Context, ws *workspace.Workspace, tool string, a *arguments) (done func(), err error) {
	done = func() {}
	r := requestOf(ctx)
	if r == nil || r.charge == nil {
		return done, nil
	}
	weight, isDiff, err := s.need(ctx, ws, tool, a)
	if err != nil {
		return done, err
	}
	busy := fmt.Errorf("%s: %v: %w", tool, errFull, workspace.ErrBusy)
	ctx, stop := r.whileWanted(ctx)
	defer stop()
	take := r.charge.take
	if r.client != nil {
		take = func(ctx context.Context, weight int64) error { return s.budget.takeSoon(ctx, r.charge, weight) }
	}
	if take(ctx, weight) != nil {
		return done, busy
	}
	if isDiff {
		if s.budget.diffs.Acquire(ctx, 1) != nil {
			return done, busy
		}
		done = func() { s.budget.diffs.Release(1) }
	}
	return done, nil
}

// need is what a call will weigh. What the workspace would refuse weighs nothing.
func (s *Server) need(ctx context.Context, ws *workspace.Workspace, tool string, a *arguments) (weight int64, isDiff bool, err error) {
	var f workspace.Extent
	switch tool {
	case "read_file", "resources/read", "edit_file", summarizeName:
		f, err = ws.FileExtent(ctx, a.text("path"))
	case "read_log":
		f, err = ws.LogExtent(ctx, a.text("path"))
	}
	switch {
	case errors.Is(err, workspace.ErrInvalid):
		return leastCall, false, nil // it says so itself
	case err != nil:
		return 0, false, err
	}
	since := a.integers["since_version"]
	switch {
	case tool == "read_log":
		return min(leastCall+logFactor*f.Bytes, smallCall), false, nil
	case tool == "edit_file":
		return leastCall + editFactor*f.Bytes + 2*bodyFactor*int64(len(a.text("new_text"))+len(a.text("old_text"))), false, nil
	case tool == summarizeName && s.asksModel():
		return leastCall, false, nil // it may take minutes
	case tool == summarizeName:
		return leastCall + editFactor*f.Bytes, false, nil
	case since == f.Version && since > 0:
		return leastCall, false, nil
	case since > 0 && since < f.Version:
		return max(leastCall+diffFactor*(f.Bytes+f.Largest), s.readWeight(f.Bytes)), true, nil
	}
	return s.readWeight(f.Largest), false, nil
}

// readWeight is that of reading so many bytes, of which it is not known how they
// will be escaped. For a file of ordinary size it is at most half of the lane, so
// that two can be read at once.
func (s *Server) readWeight(bytes int64) int64 {
	w := leastCall + readFactor*bytes
	if bytes <= ordinaryFile {
		w = min(w, max(s.budget.large.size/2, smallCall+1))
	}
	return w
}

// settle lowers the charge to what the answer takes, now that it is known.
func settle(ctx context.Context, texts ...string) {
	r := requestOf(ctx)
	if r == nil || r.charge == nil {
		return
	}
	weight := int64(leastCall)
	for _, t := range texts {
		weight += 2*int64(len(t)) + answerFactor*escapedLen(t)
	}
	r.charge.shrink(weight)
}

// texts are those of an answer.
func texts(res *mcp.CallToolResult) (all []string) {
	for _, c := range res.Content {
		all = append(all, c.(*mcp.TextContent).Text)
	}
	return all
}

// escapedLen is the length of a text as JSON, or a little more.
func escapedLen(text string) int64 {
	n := int64(len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			n += 5
		}
	}
	return n
}
