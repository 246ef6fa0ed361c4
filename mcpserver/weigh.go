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
	case w <= smallCall, m.tool == "write_file", m.tool == "append_log":
		return w
	case m.tool == "edit_file" || m.tool == memorycommand.Name:
		return w + editFactor<<20
	}
	return math.MaxInt64 // no other tool needs a large request: it runs alone
}

// writtenWeight returns the weight of an encoded answer.
func writtenWeight(bytes int) int64 { return leastCall + int64(bytes) + int64(bytes)/4 }

// errNoRoom ends a call that keeps nothing of what it has read.
var errNoRoom = errors.New("there is no room now")

// weighed runs the part of a call that uses the workspace when there is memory for it. Most
// calls tell how much they read when they begin to. If there is no memory for that, they wait
// for it, are checked again, and begin again. A diff also waits for a free processor.
func (s *Server) weighed(ctx context.Context, ws *workspace.Workspace, c Call, a *arguments, run func(context.Context) error) (err error) {
	r, tool := requestOf(ctx), c.Tool
	if r == nil || r.charge == nil {
		return run(ctx)
	}
	weight, isDiff := int64(0), false
	weigh := func(f workspace.Extent) error {
		since := a.integer("since_version")
		isDiff = tool == changesName && a.flag("diffs") && f.Rows > 0 || 0 < since && since < f.Version
		if weight = s.weightOf(tool, a, f); isDiff || !r.charge.tryTake(weight) {
			return errNoRoom
		}
		return nil
	}
	switch path := a.text("path"); tool {
	default:
		return run(ctx)
	case "read_file", "resources/read", "edit_file", "move_file", "read_log", changesName:
		err = run(workspace.WithWeigher(ctx, weigh))
		if !errors.Is(err, errNoRoom) {
			return err
		}
	case searchName:
		err = weigh(workspace.Extent{})
	case memorycommand.Name, summarizeName: // they may read and write several times
		var f workspace.Extent
		if tool == memorycommand.Name {
			path = a.command.Path()
		}
		if path != "" {
			if f, err = ws.FileExtent(ctx, path); err != nil && !errors.Is(err, workspace.ErrInvalid) { // run returns that itself
				return err
			}
		}
		err = weigh(f)
	}
	if err == nil {
		return run(ctx)
	}
	if r.turn != nil && r.turn.ended != nil { // those that wait for its turn may hold all the memory: one at a time goes over the limit
		if err = s.budget.over.Acquire(ctx, 1); err != nil {
			return waited(ctx)
		}
		defer s.budget.over.Release(1)
	} else if err = s.wait(ctx, r, tool, weight, isDiff); err != nil {
		return err
	}
	if isDiff {
		defer s.budget.diffs.Release(1)
	}
	if _, err = s.o.Workspace(ctx, c); err != nil {
		return err
	}
	return run(ctx)
}

// wait waits for memory, and for a free processor if the call makes a diff.
func (s *Server) wait(ctx context.Context, r *request, tool string, weight int64, isDiff bool) error {
	ctx, stop := r.whileWanted(ctx)
	defer stop()
	var err error
	if r.client != nil {
		err = s.budget.takeSoon(ctx, r.charge, weight)
	} else {
		err = r.charge.take(ctx, weight)
	}
	if err != nil {
		s.budget.refused.Add(1)
	} else if isDiff {
		err = s.budget.diffs.Acquire(ctx, 1)
	}
	if err != nil {
		return fmt.Errorf("%s: %v: %w", tool, errFull, workspace.ErrBusy)
	}
	return nil
}

// weightOf returns the weight of a call that reads so much. A call that the workspace will
// refuse has the least weight.
func (s *Server) weightOf(tool string, a *arguments, f workspace.Extent) int64 {
	since := a.integer("since_version")
	switch {
	case tool == searchName:
		return min(leastCall+workspace.SearchMemory, s.budget.large.size)
	case tool == changesName:
		return leastCall + changeWeight*f.Rows + 2*diffFactor*f.Largest
	case tool == "read_log":
		return min(leastCall+logFactor*f.Bytes, smallCall)
	case tool == "edit_file":
		return leastCall + editFactor*f.Bytes + 2*bodyFactor*int64(len(a.text("new_text"))+len(a.text("old_text")))
	case tool == summarizeName && s.asksModel():
		return leastCall // it may take minutes, and should not hold memory for so long
	case tool == memorycommand.Name && f.Version == 0:
		return leastCall + folderWeight
	case tool == memorycommand.Name:
		return leastCall + editFactor*f.Bytes + 2*bodyFactor*a.command.Bytes()
	case tool == summarizeName, tool == "move_file":
		return leastCall + editFactor*f.Bytes
	case since == f.Version && since > 0:
		return leastCall
	case since > 0 && since < f.Version:
		return max(leastCall+diffFactor*(f.Bytes+f.Largest), s.readWeight(f.Bytes))
	}
	return s.readWeight(f.Largest)
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
