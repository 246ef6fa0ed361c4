package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Every write takes this path:
//
//  1. The method makes a write, which says what the call is, and checks its arguments.
//  2. transact runs one transaction of the store. A store may run it more than once, each time
//     with a new run.
//  3. The run loads all that the write needs in one go, and looks for a repeated request
//     and at the conditions of the write. Then the method's own function changes a head,
//     calls account, and stores the head.
//  4. account counts the operation, checks the quotas, numbers the change for the journal,
//     and keeps the request.
//
// For an agent that holds nothing, account returns errNewAgent. Then transact calls admit,
// outside of transactions, and runs the transaction again.

// A write is one call that writes. Nothing changes it once transact has begun.
type write struct {
	w       *Workspace
	op      string
	object  string // what the caller gave as the path
	path    string // as it is stored
	now     time.Time
	key     string            // the idempotency key; "": none
	hash    [sha256.Size]byte // of the request; only with a key
	once    *[]byte           // the entry of an append that stores it once; nil: another write
	deletes bool              // a full store and an archive never refuse the write

	exists    bool   // there must be a file at the path
	ifVersion *int64 // the version of the file; nil: any

	err error // of the first argument that is wrong
}

// newWrite returns a write to a path. It checks the path and the context.
func (w *Workspace) newWrite(ctx context.Context, op, path, key string) *write {
	p, err := w.start(ctx, path)
	if err == nil {
		err = w.checkStart(p.name)
	}
	return &write{w: w, op: op, object: path, path: p.name, now: w.svc.stamp(time.Time{}), key: key, err: err}
}

// newMaker returns a write that makes a file or a log if there is none, so that its path has to
// be one of [Options].Paths.
func (w *Workspace) newMaker(ctx context.Context, op, path, key string) *write {
	c := w.newWrite(ctx, op, path, key)
	_, err := w.svc.o.Paths.Parse(path)
	c.refuse(err)
	return c
}

// refuse keeps the error of an argument, unless another one was wrong before.
func (c *write) refuse(err error) {
	if c.err == nil {
		c.err = err
	}
}

// hashArgs checks the key, and hashes the operation with all of its arguments. A write that
// happens once gets a key of the hash. The tab in it is in no key of a caller.
func (c *write) hashArgs(args ...[]byte) {
	if c.key == "" && c.once == nil {
		return
	}
	if cause := names.Key(c.key); cause != "" {
		c.refuse(Errorf(ErrInvalid, "%s", cause))
	}
	h := sha256.New()
	for _, arg := range append([][]byte{[]byte(c.op), []byte(c.path)}, args...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(arg))))
		h.Write(arg)
	}
	h.Sum(c.hash[:0])
	if c.once != nil {
		c.key = fmt.Sprintf("once\t%x", c.hash)
	}
}

// explain returns the error of the call. The error of a file that does not exist says which
// file may be meant.
func (c *write) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return within(c.op, c.object, c.w.withNearest(ctx, c.path, err))
}

// errNewAgent ends a transaction that would be the first write of an agent.
var errNewAgent = errors.New("a new agent")

// transact runs the one transaction of a write, and returns its last run. A repeated request
// gets the outcome of the first one. fn is what the write does in its transaction, with
// what was loaded for q. transact also writes the count of reads.
func (c write) transact(ctx context.Context, q store.Query, fn func(*run) error) (run, error) {
	if c.err != nil {
		return run{}, c.err
	}
	first, svc := run{write: c}, c.w.svc
	if !c.deletes {
		err := svc.archive.Check(ctx, svc.store, c.w.owner)
		if err == nil {
			first.storeBytes, err = svc.totalBytes(ctx)
		}
		if err != nil {
			return run{}, beforeStart(err)
		}
	}
	r, err := first.try(ctx, q, fn)
	if !errors.Is(err, errNewAgent) {
		return r, err
	}
	turn, late := svc.total.admitting.Take(ctx, "", 1)
	if late != nil {
		return run{}, beforeStart(late)
	}
	defer turn.Leave()
	for errors.Is(err, errNewAgent) { // twice if the agent's state was changed meanwhile
		if err := first.admit(ctx, r.Owner); err != nil {
			return run{}, err
		}
		r, err = first.try(ctx, q, fn)
	}
	return r, err
}

// beforeStart returns the error of a write whose context ended before it began.
func beforeStart(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && Kind(err) == nil {
		late := or(Errorf(ErrBusy, "the deadline came before it could begin, nothing happened"), store.DoRetry, 0)
		late.Err = err
		return late
	}
	return err
}
