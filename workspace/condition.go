package workspace

import "fmt"

// cloned copies a condition, because the caller may leave before the transaction ends,
// and use its variable again.
func cloned(ifVersion *int64) *int64 {
	if ifVersion == nil {
		return nil
	}
	return new(*ifVersion)
}

// checkIfVersion checks the argument itself.
func checkIfVersion(op, path string, ifVersion *int64) error {
	if ifVersion == nil {
		return nil
	}
	return checkNumber(op, path, ArgIfVersion, *ifVersion, 0)
}

// withTree adds to a condition that the path must fit into a tree.
func withTree(condition []byte, tree bool) []byte {
	if tree {
		return append(condition, 't')
	}
	return condition
}

func conditionBytes(ifVersion *int64) []byte {
	if ifVersion == nil {
		return nil
	}
	return fmt.Append(nil, *ifVersion)
}
