package doctor

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// ExamineOpen makes the checks that a running server can make on its open store, and opens
// nothing. Options.Database is the path of the file, and pool has the server's options; the
// report contains neither. IsDefault and Limits are not used.
//
// The report is for people on other machines. No text names a path, an agent, another
// process, or the cause of an error. ExamineOpen leaves out these checks of [Examine]:
// program, which is on every page; neighbours, which shows the commands of other processes;
// agents and limits, which differ by tenant; integrity, which takes as long as reading the
// whole file and holds a snapshot for that time; and what keeps a server from starting.
//
// ExamineOpen waits for a file system that does not answer, even after ctx has ended.
func ExamineOpen(ctx context.Context, store workspace.Store, pool postgres.Options, o Options) *Report {
	r := &checkup{Report: Report{Status: OK, Database: o.Database}, o: o, open: true}
	switch s := store.(type) {
	case *sqlite.Store:
		r.ready(s.Ready(ctx))
		r.ok("durability", "acknowledged writes survive a power cut")
		r.summaries()
		r.disk()
		if r.folder() && r.files() {
			r.modes()
		}
		if info, err := s.Info(ctx); err != nil {
			r.trouble("database", err, "")
		} else {
			r.pages(info)
		}
		r.ok("integrity", "scratchpad doctor checks the structure, scratchpad verify all content and the counters")
	case *postgres.Store:
		r.ready(s.Ready(ctx))
		r.summaries()
		if info, err := s.Info(ctx); err != nil {
			r.trouble("server", err, "")
		} else {
			r.settings(info, pool)
		}
		r.ok("integrity", "scratchpad verify checks all content and the counters; pg_amcheck checks the pages")
	default:
		r.summaries()
		r.warn("database", "it is in memory; all of it is gone when the server stops", "Name a file with --db.")
	}
	r.Database = "" // who may not see a path gets none
	return &r.Report
}

// ready adds the store's own word on whether it works, which names nothing of the machine.
func (r *checkup) ready(err error) {
	if err != nil {
		r.fail("writes", err.Error(), onMachine)
		return
	}
	r.ok("writes", "the database answers and takes writes")
}
