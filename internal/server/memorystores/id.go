package memorystores

import (
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	storePrefix   = "memstore_"
	memoryPrefix  = "mem_"
	versionPrefix = "memver_"
)

func storeID(agent string) string { return storePrefix + agent }

// storeAgent returns the agent of a store's id, or "" if it is not one.
func storeAgent(id string) string {
	name, ok := strings.CutPrefix(id, storePrefix)
	if _, err := workspace.ParseAgentID(name); !ok || err != nil {
		return ""
	}
	return name
}

// A memory is known by when its file was created: no two files of an agent have the same
// time, and a file keeps it when it moves.
func memoryID(created time.Time) string {
	return memoryPrefix + strconv.FormatInt(created.UnixMicro(), 36)
}

func versionID(created time.Time, number int64) string {
	return versionPrefix + strconv.FormatInt(created.UnixMicro(), 36) + "_" + strconv.FormatInt(number, 10)
}

// parseMemoryID returns the time in an id. It accepts only ids that memoryID returns.
func parseMemoryID(id string) (created time.Time, ok bool) {
	text, ok := strings.CutPrefix(id, memoryPrefix)
	n, err := strconv.ParseInt(text, 36, 64)
	created = time.UnixMicro(n).UTC()
	return created, ok && err == nil && n > 0 && created.Year() <= 9999 && memoryID(created) == id
}

// parseVersionID is parseMemoryID for ids of versionID.
func parseVersionID(id string) (created time.Time, number int64, ok bool) {
	rest, ok := strings.CutPrefix(id, versionPrefix)
	first, second, _ := strings.Cut(rest, "_")
	created, known := parseMemoryID(memoryPrefix + first)
	number, err := strconv.ParseInt(second, 10, 64)
	return created, number, ok && known && err == nil && number > 0 && versionID(created, number) == id
}
