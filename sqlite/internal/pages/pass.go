package pages

import (
	"errors"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Pass visits every page of a database and sets the bytes that are not in use to zero. They
// may hold content that was removed: SQLite leaves bytes behind when it moves rows between
// pages, cuts them short or frees pages, some of them also with PRAGMA secure_delete
// (its rebuildPage does not clear the space that it frees).
//
// A pass goes in steps, each in a transaction of its own, and others write meanwhile. Only
// what is reached from the roots of the trees in the same transaction is taken for a page
// of its kind. A page that somebody writes after its visit is visited again: SQLite may
// have given it the bytes of a page that was not visited yet. When there is a moment without
// pages to visit, content that was removed before the pass is in none of them.
type Pass struct {
	c      *engine.Conn
	header Header
	count  uint32 // pages of the database in this step

	todo   []uint64 // a bit for each page that is to be visited
	left   int      // how many
	Done   bool     // there was a moment without pages to visit
	Wrote  bool     // this step has changed pages
	budget int      // of this step; below 1: it ends
	most   int      // the budget of the first steps; tests set it

	// Where the next step goes on: in which tree, and there at which child of each page
	// from the root on. It is only a hint, since the trees change meanwhile.
	tree int
	path []int

	walks     int  // that came to their end
	deep      bool // also leaves that are not to be visited are read, for pages below them
	deepened  bool // there was such a walk
	Unreached int  // pages that nothing leads to
}

const (
	stepPages  = 1000 // the budget of a step: pages to read
	writeCosts = 4    // of the budget
	mostHeight = 20   // of a tree
)

// errPause says that the budget of a step is used up.
var errPause = errors.New("the step ends")

// NewPass begins a pass in a transaction of the connection.
func NewPass(c *engine.Conn) (*Pass, error) {
	p := &Pass{c: c, most: stepPages}
	if err := p.look(); err != nil {
		return nil, err
	}
	p.Restart()
	return p, nil
}

// look reads the first page.
func (p *Pass) look() error {
	n, err := p.c.Number("PRAGMA page_count")
	if err != nil {
		return err
	}
	p.count = uint32(n)
	first, err := p.read(1)
	if err != nil {
		return err
	}
	p.header, err = ReadHeader(first)
	return err
}

// Restart makes the pass visit all pages.
func (p *Pass) Restart() {
	p.todo, p.left = nil, 0
	for n := uint32(1); n <= p.count; n++ {
		p.Add(n)
	}
	p.tree, p.path, p.walks, p.deep, p.deepened = 0, nil, 0, false, false
}

// Add makes the pass visit a page.
func (p *Pass) Add(n uint32) {
	if n == p.header.LockPage() {
		return
	}
	for int(n/64) >= len(p.todo) {
		p.todo = append(p.todo, 0)
	}
	if !p.has(n) {
		p.todo[n/64] |= 1 << (n % 64)
		p.left++
	}
}

// Left returns how many pages are to be visited.
func (p *Pass) Left() int { return p.left }

func (p *Pass) has(n uint32) bool { return int(n/64) < len(p.todo) && p.todo[n/64]&(1<<(n%64)) != 0 }

func (p *Pass) visited(n uint32) {
	if p.has(n) {
		p.todo[n/64] &^= 1 << (n % 64)
		p.left--
	}
}

// Step visits pages until the budget is used up. The caller has begun a transaction.
func (p *Pass) Step() error {
	p.Wrote = false
	// A later walk reads few leaves. In the end one fits in a single step, between the
	// writes of others.
	p.budget = p.most << min(p.walks, 8)
	if err := p.look(); err != nil {
		return err
	}
	for whole := p.tree == 0 && len(p.path) == 0; !p.Done; whole = true {
		err := p.walk()
		if err == errPause {
			return nil
		}
		if err != nil {
			return err
		}
		p.walks++
		p.tree, p.path = 0, nil
		wasDeep := p.deep
		p.deep = false
		switch {
		case p.left == 0:
			p.Done = true
		case !whole || wasDeep:
		case p.deepened:
			p.Done, p.Unreached = true, p.left
		default:
			p.deep, p.deepened = true, true
		}
	}
	return nil
}

// walk goes through all trees and the list of free pages.
func (p *Pass) walk() error {
	roots := []uint32{1}
	err := p.c.Each(func(f *row.Fields) error {
		roots = append(roots, uint32(f.Int()))
		return f.Err("roots", "sqlite_master")
	}, "SELECT rootpage FROM sqlite_master WHERE rootpage > 0 ORDER BY rootpage")
	if err != nil {
		return err
	}
	for ; p.tree < len(roots); p.tree++ {
		height, err := p.height(roots[p.tree])
		if err != nil {
			return err
		}
		if err := p.subtree(roots[p.tree], 0, height); err != nil {
			return err
		}
		p.path = nil
	}
	return p.freeList()
}

// height returns how far the leaves of a tree are from its root.
func (p *Pass) height(root uint32) (int, error) {
	for height, at := 0, root; height < mostHeight; height++ {
		node, _, err := p.node(at)
		if err != nil {
			return 0, err
		}
		if len(node.Children) == 0 {
			return height, nil
		}
		at = node.Children[0]
	}
	return 0, workspace.Errorf(workspace.ErrCorrupt, "the tree of page %d is too high", root)
}

// subtree visits a page of a tree and those below it, from p.path on.
func (p *Pass) subtree(n uint32, depth, height int) error {
	if depth == height {
		if !p.has(n) && !p.deep {
			return nil
		}
		_, err := p.visit(n)
		return err
	}
	node, err := p.visit(n)
	if err != nil {
		return err
	}
	if depth == len(p.path) {
		p.path = append(p.path, 0)
	}
	for i := p.path[depth]; i < len(node.Children); i++ {
		p.path[depth] = i
		if p.budget < 1 {
			return errPause
		}
		if err := p.subtree(node.Children[i], depth+1, height); err != nil {
			return err
		}
		p.path = p.path[:depth+1]
	}
	p.path = p.path[:depth]
	return nil
}

// visit clears a page of a tree, and the overflow pages of its cells. If the step ends
// between the chains of two cells, the next one goes on there.
func (p *Pass) visit(n uint32) (*Node, error) {
	node, data, err := p.node(n)
	if err != nil {
		return nil, err
	}
	if p.has(n) || p.deep {
		some := false
		for _, chain := range node.Chains {
			if !p.deep && !p.has(chain.First) { // visited in an earlier step
				continue
			}
			if some && p.budget < 1 {
				return nil, errPause
			}
			some = true
			if err := p.chain(chain); err != nil {
				return nil, err
			}
		}
	}
	if node.Clear() {
		err = p.write(n, data)
	}
	p.visited(n)
	return node, err
}

func (p *Pass) node(n uint32) (*Node, []byte, error) {
	data, err := p.read(n)
	if err != nil {
		return nil, nil, err
	}
	node, err := p.header.ReadNode(data, n == 1)
	return node, data, err
}

func (p *Pass) chain(chain Chain) error {
	for n, left := chain.First, chain.Bytes; left > 0; {
		data, err := p.read(n)
		if err != nil {
			return err
		}
		next, rest, changed, err := p.header.ClearOverflow(data, left)
		if err == nil && changed {
			err = p.write(n, data)
		}
		if err != nil {
			return err
		}
		p.visited(n)
		n, left = next, rest
	}
	return nil
}

// freeList visits the free pages.
func (p *Pass) freeList() error {
	trunk := p.header.Trunk
	for seen := uint32(0); trunk != 0; seen++ {
		if seen > p.count {
			return workspace.Errorf(workspace.ErrCorrupt, "the list of free pages has no end")
		}
		data, err := p.read(trunk)
		if err != nil {
			return err
		}
		next, free, changed, err := p.header.ClearTrunk(data)
		if err == nil && changed {
			err = p.write(trunk, data)
		}
		if err != nil {
			return err
		}
		p.visited(trunk)
		p.budget++ // this page is read in each step again
		for _, n := range free {
			if !p.has(n) {
				continue
			}
			if p.budget < 1 {
				return errPause
			}
			if err := p.free(n); err != nil {
				return err
			}
		}
		trunk = next
	}
	return nil
}

func (p *Pass) free(n uint32) error {
	data, err := p.read(n)
	if err == nil && Zero(data) {
		err = p.write(n, data)
	}
	p.visited(n)
	return err
}

func (p *Pass) read(n uint32) (data []byte, err error) {
	p.budget--
	if n < 1 || n > p.count {
		return nil, workspace.Errorf(workspace.ErrCorrupt, "page %d of %d is in use", n, p.count)
	}
	_, err = p.c.One(func(f *row.Fields) error {
		data = f.Bytes()
		return f.Err("page of", "the database")
	}, "SELECT data FROM sqlite_dbpage WHERE pgno = ?", int64(n))
	return data, err
}

func (p *Pass) write(n uint32, data []byte) error {
	p.budget -= writeCosts
	p.Wrote = true
	_, err := p.c.Exec("UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?", data, int64(n))
	return err
}
