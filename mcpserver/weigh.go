package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The weights are the memory that calls take at their worst moment, in multiples of
// bytes. They follow from the copies that the SDK and encoding/json make. TestLoad
// checks them.
const (
	bodyFactor   = 6 // of the request: as it came, in the buffers of the decoder, and decoded
	answerFactor = 5 // of the answer as JSON while it is encoded
	editFactor   = 4 // of the file that is edited
)

// Nobody knows how much a call reads before it has read. So only a few calls read at once:
//   - maxReads of them have at most four copies of a file, or a page of a log.
//   - maxHeavy of them search, in about 14 MiB, or compare two large texts, in 24 times the
//     bytes of both.
//
// With files of 1 MiB, the default limit, that is 32 MiB and 96 MiB beside Options.Memory.
const (
	maxReads  = 8
	maxHeavy  = 2
	largePair = 128 << 10 // bytes of two texts that are compared by a few calls at once
)

// A weight says what memory a tool needs beside its request. Every tool has one.
type weight uint8

const (
	light  weight = iota + 1 // it reads no contents
	medium                   // it reads contents, and its answer is small
	large                    // it reads contents, and its answer may be large
	heavy                    // it reads all contents, and its answer may be large
)

// weigh returns the weight of a request before it is known what its tool reads. A large
// request weighs as much as its tool may need, because it cannot wait again.
func (s *Server) weigh(m message, bytes int) int64 {
	w := leastCall + bodyFactor*int64(bytes)
	t := s.tools[m.tool]
	switch {
	case w <= smallCall, t.weight == light && t.scope == writes:
		return w
	case t.weight == medium && t.scope&writes != 0:
		return w + editFactor<<20
	}
	return math.MaxInt64 // no other tool needs a large request: it runs alone
}

// writtenWeight returns the weight of an encoded answer.
func writtenWeight(bytes int) int64 { return leastCall + int64(bytes) + int64(bytes)/4 }

// errNoRoom ends a call that keeps nothing of what it has read.
var errNoRoom = errors.New("there is no room now")

// weighed runs the part of a call that uses the workspace, and returns its answer. A few calls
// read at once, and a call takes the weight of its answer when it has read. If there is no
// memory for that, or if it has large texts to compare, the call lets go of what it has read,
// waits, is checked again, and reads again. If it kept what it has read, clients that do not
// take their answers would hold all places, and nobody else could read.
func (s *Server) weighed(
	ctx context.Context, t tool, a *arguments, check func() error, run func() (*mcp.CallToolResult, error),
) (*mcp.CallToolResult, error) {
	r := requestOf(ctx)
	light := t.weight == light && !a.Has("restore_version") // which reads what it restores
	if light || t.openWorld {                               // a model may take minutes
		return run()
	}
	few := t.weight == heavy
	a.compare = func(bytes int64) error {
		if bytes <= largePair || few {
			return nil
		}
		few = true
		return errNoRoom
	}
	for again := false; ; again = true {
		weight := int64(0)
		out, err := s.inPlace(ctx, r, t.name, few, func(waited bool) (out *mcp.CallToolResult, err error) {
			if again || waited {
				if err = check(); err != nil {
					return nil, err
				}
			}
			// The weight of the request is enough for a small answer.
			if out, err = run(); err != nil || t.weight == medium {
				return out, err
			}
			if weight = answerWeight(texts(out)...); !r.charge.tryTake(weight) {
				return nil, errNoRoom
			}
			return out, nil
		})
		if !errors.Is(err, errNoRoom) {
			return out, err
		}
		if err := s.takeWeight(ctx, r, weight); err != nil {
			return nil, s.full(t.name)
		}
	}
}

// inPlace runs a function in a place among those that read, and in one among the heavy ones if
// the call is heavy. waited says whether it had to wait for a place. Whoever has a place among
// those that read waits for nothing else.
func (s *Server) inPlace(
	ctx context.Context, r *request, tool string, heavy bool, run func(waited bool) (*mcp.CallToolResult, error),
) (*mcp.CallToolResult, error) {
	wanted, stop := r.whileWanted(ctx)
	defer stop()
	waited := false
	for _, places := range []*admission.Semaphore{s.budget.heavy, s.budget.reads} {
		if places == s.budget.heavy && !heavy {
			continue
		}
		place, err := places.Take(wanted, "", 1)
		if err != nil {
			return nil, s.full(tool)
		}
		defer place.Leave()
		waited = waited || place.Waited
	}
	return run(waited)
}

// takeWeight waits for memory. Over HTTP it returns errFull at once if too many calls already wait
// for a large weight.
func (s *Server) takeWeight(ctx context.Context, r *request, weight int64) error {
	ctx, stop := r.whileWanted(ctx)
	defer stop()
	if r.client != nil && weight > smallCall {
		place, ok := s.budget.waiting.TryTake("", 1)
		if !ok {
			return errFull
		}
		defer place.Leave()
	}
	return r.charge.take(ctx, weight)
}

// full returns the error of a call that found no room.
func (s *Server) full(tool string) error {
	s.budget.refused.Add(1)
	return fmt.Errorf("%s: %v: %w", tool, errFull, workspace.ErrBusy)
}

// answerWeight returns the weight of an answer with these texts while it is encoded.
func answerWeight(texts ...string) int64 {
	weight := int64(leastCall)
	for _, t := range texts {
		weight += 2*int64(len(t)) + answerFactor*strictjson.EscapedLen(t)
	}
	return weight
}

// chargeForAnswer lowers the charge of a call to the weight of its answer.
func chargeForAnswer(ctx context.Context, texts ...string) {
	requestOf(ctx).charge.shrink(answerWeight(texts...))
}

// texts returns the texts of an answer.
func texts(res *mcp.CallToolResult) (all []string) {
	for _, c := range res.Content {
		all = append(all, c.(*mcp.TextContent).Text)
	}
	return all
}
