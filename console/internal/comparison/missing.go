package comparison

import (
	"slices"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Missing says why a version cannot be compared. versions are those that are kept, the
// oldest first.
func Missing(n int64, versions []workspace.VersionInfo) string {
	oldest, newest := versions[0].Version, versions[len(versions)-1].Version
	switch {
	case n > newest:
		return "There is no version " + number(n) + ". The newest is version " + number(newest) + "."
	case n < oldest:
		return "Version " + number(n) + " is not kept any more. The oldest that is kept is version " + number(oldest) + "."
	}
	i := slices.IndexFunc(versions, func(v workspace.VersionInfo) bool { return v.Version == n })
	if i >= 0 && versions[i].Redacted != nil {
		return "Version " + number(n) + " was redacted at " + versions[i].Redacted.Time.UTC().Format(time.RFC3339) + ". Its text is gone for good."
	}
	return "Version " + number(n) + " is not kept."
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
