package nearest

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// most is among how many of an agent's paths the nearest is looked for, the first ones in
// byte order.
const most = 1000

// File returns the agent's file whose path is most like a path; "" if none is near.
func File(r store.Reader, path string) (string, error) {
	heads, err := r.Files("", "", most)
	return among(path, heads, func(h store.FileHead) string { return h.Path }), err
}

// Log returns the agent's log whose path is most like a path; "" if none is near.
func Log(r store.Reader, path string) (string, error) {
	heads, err := r.Logs("", "", most)
	return among(path, heads, func(h store.LogHead) string { return h.Path }), err
}

func among[H any](path string, heads []H, pathOf func(H) string) string {
	all := make([]string, len(heads))
	for i, h := range heads {
		all[i] = pathOf(h)
	}
	return Path(path, all)
}

// IsFile reports whether a path is a file.
func IsFile(r store.Reader, path string) (bool, error) {
	head, _, err := r.File(path)
	return head.Exists(), err
}

// IsLog reports whether a path is a log.
func IsLog(r store.Reader, path string) (bool, error) {
	head, _, err := r.Log(path)
	return head.Exists(), err
}
