package memorycommand

import (
	"context"
	"errors"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// These stand for what package workspace is about to have.

type overlap struct{ Path string }

func (o *overlap) Error() string { return o.Path + " is in the way" }

type conflictAt struct{ o *overlap }

func (c conflictAt) Error() string   { return c.o.Error() }
func (c conflictAt) Unwrap() []error { return []error{workspace.ErrConflict, c.o} }

type tree struct{ Files int64 }

func files(ctx context.Context, ws *workspace.Workspace) (all []string, err error) {
	o := workspace.ListOptions{}
	for {
		l, err := ws.ListFiles(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, f := range l.Files {
			all = append(all, f.Path)
		}
		if !l.More {
			return all, nil
		}
		o.After = l.Next
	}
}

func inTree(ctx context.Context, ws *workspace.Workspace, path string) error {
	all, err := files(ctx, ws)
	for _, f := range all {
		if f == path || strings.HasPrefix(path, f+"/") || strings.HasPrefix(f, path+"/") {
			return conflictAt{&overlap{f}}
		}
	}
	return err
}

func createFile(ctx context.Context, ws *workspace.Workspace, path string, content []byte, o workspace.WriteOptions) (workspace.WriteResult, error) {
	if err := inTree(ctx, ws, path); err != nil {
		var at *overlap
		if !errors.As(err, &at) || at.Path != path || o.IfVersion != nil {
			return workspace.WriteResult{}, err
		}
	}
	return ws.WriteFile(ctx, path, content, o)
}

func updateFile(ctx context.Context, ws *workspace.Workspace, path string, fn func([]byte) ([]byte, error)) (workspace.WriteResult, error) {
	for {
		r, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
		if err != nil {
			return workspace.WriteResult{}, err
		}
		content, err := fn(r.Content)
		if err != nil {
			return workspace.WriteResult{}, err
		}
		w, err := ws.WriteFile(ctx, path, content, workspace.WriteOptions{IfVersion: &r.Version})
		if !errors.Is(err, workspace.ErrConflict) {
			return w, err
		}
	}
}

func deleteTree(ctx context.Context, ws *workspace.Workspace, path string) (tree, error) {
	all, err := files(ctx, ws)
	if err != nil {
		return tree{}, err
	}
	n := int64(0)
	for _, f := range all {
		if f == path || strings.HasPrefix(f, path+"/") {
			if _, err := ws.DeleteFile(ctx, f, workspace.DeleteOptions{}); err != nil {
				return tree{}, err
			}
			n++
		}
	}
	if n == 0 {
		return tree{}, workspace.ErrNotFound
	}
	return tree{n}, nil
}

func moveTree(ctx context.Context, ws *workspace.Workspace, path, newPath string) (tree, error) {
	all, err := files(ctx, ws)
	if err != nil {
		return tree{}, err
	}
	var moves []string
	for _, f := range all {
		if f == path || strings.HasPrefix(f, path+"/") {
			moves = append(moves, f)
		}
	}
	if moves == nil {
		return tree{}, workspace.ErrNotFound
	}
	if strings.HasPrefix(newPath, path+"/") {
		return tree{}, workspace.Errorf(workspace.ErrInvalid, "%s lies in %s", newPath, path)
	}
	if err := inTree(ctx, ws, newPath); err != nil {
		return tree{}, err
	}
	for _, f := range moves {
		if _, err := ws.MoveFile(ctx, f, newPath+f[len(path):], workspace.MoveOptions{}); err != nil {
			return tree{}, err
		}
	}
	return tree{int64(len(moves))}, nil
}
