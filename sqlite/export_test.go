package sqlite

import "fmt"

// OnMigrationStep has fn called before each step of a migration.
func OnMigrationStep(fn func(step string)) { migrationStep = fn }

// SchemaVersion is the present schema.
const SchemaVersion = schemaVersion

// MigrationSteps returns the steps of a migration from a schema, in order.
func MigrationSteps(from int64) []string {
	steps := []string{"copy", "sync", "verify", "name", "begin"}
	for to := from + 1; to <= schemaVersion; to++ {
		for _, step := range []string{"schema", "rows", "version"} {
			if step != "rows" || migrationRows[to] != nil {
				steps = append(steps, fmt.Sprint(step, " ", to))
			}
		}
	}
	return append(steps, "commit", "end")
}
