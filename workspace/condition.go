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

// checkCondition refuses if the file is not at the version that the caller expects.
func checkCondition(h FileHead, ifVersion *int64) error {
	if ifVersion == nil {
		return nil
	}
	want := *ifVersion
	switch {
	case !h.Exists() && want == 0:
		return nil
	case !h.Exists():
		return or(Errorf(ErrConflict, "it does not exist, %s is %d", ArgIfVersion, want), DoExpectNone, 0)
	case want == 0:
		e := or(Errorf(ErrConflict, "it exists at version %d, %s is 0", h.Version, ArgIfVersion), DoRead, 0)
		e.Err = &Overlap{Path: h.Path, Created: h.Created}
		return e
	case want > h.Version:
		return or(Errorf(ErrConflict, "it is at version %d, %s is %d, which it never had", h.Version, ArgIfVersion,
			want), DoRead, 0)
	case want != h.Version:
		return or(Errorf(ErrConflict, "it is at version %d, %s is %d", h.Version, ArgIfVersion, want), DoReadSince,
			want)
	}
	return nil
}
