package sqlite

// OnMigrationStep has fn called before each step of a migration.
func OnMigrationStep(fn func(step string)) { migrationStep = fn }

// MigrationSteps are in the order in which a migration takes them.
var MigrationSteps = []string{"copy", "sync", "verify", "name", "begin", "schema", "rows", "version", "commit", "end"}
