package doctor

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Verify checks all content of a database. If an older version of this program made the
// database, the note says what the next write changes. Otherwise the note is "".
func Verify(
	ctx context.Context, store workspace.Store, progress func(done, total int64),
) (report sqlite.VerifyReport, note string, err error) {
	switch s := store.(type) {
	case *postgres.Store:
		found, err := s.Verify(ctx, postgres.VerifyOptions{Progress: progress})
		return sqlite.VerifyReport(found), "", err
	case *sqlite.Store:
		if report, err = s.Verify(ctx, sqlite.VerifyOptions{Progress: progress}); err != nil {
			return report, "", err
		}
		info, err := s.Info(ctx)
		return report, olderSchema(info), err
	}
	return report, "", workspace.Errorf(workspace.ErrInvalid, "this database cannot be verified")
}
