package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The weights are the memory that calls take at their worst moment, in multiples of
// bytes. They follow from the copies that the SDK and encoding/json make. TestLoad
// checks them.
const (
	bodyFactor   = 6         // of the request: as it came, in the buffers of the decoder, and decoded
	readFactor   = 30        // of the content that is read: escaping may make it six times longer
	answerFactor = 5         // of the answer as JSON while it is encoded
	diffFactor   = 24        // of both texts while they are compared
	editFactor   = 4         // of the file that is edited or moved
	logFactor    = 5         // of the page of a log, counted as JSON
	changeWeight = 1 << 10   // of a row of the journal of changes
	folderWeight = 256 << 10 // of the list of a folder
)

const ordinaryFile = 1 << 20 // the default limit of a file

// weight returns the weight of a request before it is known what its tool reads. A large
// request weighs as much as its tool may need, because it cannot wait again.
func (m message) weight(bytes int) int64 {
	w := leastCall + bodyFactor*int64(bytes)
	switch {
	case w <= smallCall:
		return w
	case m.tool == "write_file" || m.tool == "append_log":
		return w
	case m.tool == "edit_file" || m.tool == memorycommand.Name:
		return w + editFactor<<20
	}
	return math.MaxInt64 // no other tool needs a large request: it runs alone
}

// writtenWeight returns the weight of an encoded answer.
func writtenWeight(bytes int) int64 { return leastCall + int64(bytes) + int64(bytes)/4 }

// reserve waits until there is memory for what a tool reads. For a diff it also waits for
// a free processor. done is to be called when only the answer is left.
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
		s.budget.refused.Add(1)
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

// need returns the weight of a call. A call that the workspace will refuse has the least
// weight.
func (s *Server) need(ctx context.Context, ws *workspace.Workspace, tool string, a *arguments) (weight int64, isDiff bool, err error) {
	var f workspace.Extent
	switch tool {
	case searchName:
		return min(leastCall+workspace.SearchMemory, s.budget.large.size), false, nil
	case "read_file", "resources/read", "edit_file", "move_file", summarizeName:
		f, err = ws.FileExtent(ctx, a.text("path"))
	case memorycommand.Name:
		if path := a.command.Path(); path != "" {
			f, err = ws.FileExtent(ctx, path)
		}
	case "read_log":
		f, err = ws.LogExtent(ctx, a.text("path"))
	case changesName:
		f, err = ws.ChangesExtent(ctx, a.changes())
	}
	switch {
	case errors.Is(err, workspace.ErrInvalid):
		return leastCall, false, nil // the call itself returns the error
	case err != nil:
		return 0, false, err
	}
	since := a.integer("since_version")
	switch {
	case tool == changesName:
		return leastCall + changeWeight*f.Rows + 2*diffFactor*f.Largest, a.flag("diffs") && f.Rows > 0, nil
	case tool == "read_log":
		return min(leastCall+logFactor*f.Bytes, smallCall), false, nil
	case tool == "edit_file":
		return leastCall + editFactor*f.Bytes + 2*bodyFactor*int64(len(a.text("new_text"))+len(a.text("old_text"))), false, nil
	case tool == summarizeName && s.asksModel():
		return leastCall, false, nil // it may take minutes, and should not hold memory for so long
	case tool == memorycommand.Name && f.Version == 0:
		return leastCall + folderWeight, false, nil
	case tool == memorycommand.Name:
		return leastCall + editFactor*f.Bytes + 2*bodyFactor*a.command.Bytes(), false, nil
	case tool == summarizeName, tool == "move_file":
		return leastCall + editFactor*f.Bytes, false, nil
	case since == f.Version && since > 0:
		return leastCall, false, nil
	case since > 0 && since < f.Version:
		return max(leastCall+diffFactor*(f.Bytes+f.Largest), s.readWeight(f.Bytes)), true, nil
	}
	return s.readWeight(f.Largest), false, nil
}

// readWeight returns the weight of reading some bytes, before it is known how much
// escaping adds. For a file of ordinary size it is at most half of the lane, so that two
// files can be read at once.
func (s *Server) readWeight(bytes int64) int64 {
	w := leastCall + readFactor*bytes
	if bytes <= ordinaryFile {
		w = min(w, max(s.budget.large.size/2, smallCall+1))
	}
	return w
}

// chargeForAnswer lowers the charge of a call to the weight of its answer.
func chargeForAnswer(ctx context.Context, texts ...string) {
	r := requestOf(ctx)
	if r == nil || r.charge == nil {
		return
	}
	weight := int64(leastCall)
	for _, t := range texts {
		weight += 2*int64(len(t)) + answerFactor*rawjson.EscapedLen(t)
	}
	r.charge.shrink(weight)
}

// texts returns the texts of an answer.
func texts(res *mcp.CallToolResult) (all []string) {
	for _, c := range res.Content {
		all = append(all, c.(*mcp.TextContent).Text)
	}
	return all
}
