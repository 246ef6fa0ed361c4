//go:build linux

package powercut

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// isShared reports whether SQLite maps a file into memory.
func isShared(name string) bool { return strings.HasSuffix(name, "-shm") }

// needFUSE skips the test if nothing can be mounted.
func needFUSE(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("NO POWER CUTS WERE TRIED: this needs root, to mount a file system")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip("NO POWER CUTS WERE TRIED: this needs /dev/fuse:", err)
	}
}

// mount shows a disk to processes. It returns the folder and a function that unmounts it.
// This process serves the folder, so it must not use the folder itself.
func mount(t *testing.T, d *disk) (dir string, unmount func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "powercut-")
	testkit.Must(t, err)
	atOnce := time.Duration(0)
	server, err := fs.Mount(dir, &folder{disk: d}, &fs.Options{
		EntryTimeout: &atOnce, AttrTimeout: &atOnce, NegativeTimeout: &atOnce,
		MountOptions: fuse.MountOptions{
			DirectMountStrict: true, FsName: "powercut", Name: "powercut",
			ExplicitDataCacheControl: true, // only this side changes files, and only on demand of the kernel
		},
	})
	if err != nil {
		os.Remove(dir)
		t.Fatalf("mount a FUSE file system: %v", err)
	}
	return dir, func() {
		if err := server.Unmount(); err != nil {
			t.Errorf("unmount: %v", err)
			syscall.Unmount(dir, syscall.MNT_DETACH)
		}
		server.Wait()
		os.Remove(dir)
	}
}

// A folder is the root of the file system. It has only files.
type folder struct {
	fs.Inode
	disk *disk
}

// A node is a file.
type node struct {
	fs.Inode
	disk *disk
	file *file
}

// A handle is an open file.
type handle struct{ wrote bool }

func (n *folder) child(ctx context.Context, f *file, out *fuse.EntryOut) *fs.Inode {
	if f.node == nil {
		f.node = n.NewPersistentInode(ctx, &node{disk: n.disk, file: f}, fs.StableAttr{Mode: syscall.S_IFREG, Ino: f.ino})
	}
	n.disk.attr(f, &out.Attr)
	return f.node
}

func (d *disk) attr(f *file, a *fuse.Attr) {
	a.Ino, a.Mode, a.Nlink, a.Size = f.ino, syscall.S_IFREG|0o600, d.links(f), uint64(len(f.content))
	a.Blocks, a.Blksize = (a.Size+511)/512, 4096
}

func (n *folder) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	f := n.disk.names[name]
	if f == nil {
		return nil, syscall.ENOENT
	}
	return n.child(ctx, f, out), 0
}

func (n *folder) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	var entries []fuse.DirEntry
	for name, f := range n.disk.names {
		entries = append(entries, fuse.DirEntry{Name: name, Mode: syscall.S_IFREG, Ino: f.ino})
	}
	return fs.NewListDirStream(entries), 0
}

func (n *folder) Create(ctx context.Context, name string, flags, _ uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	f := n.disk.names[name]
	switch {
	case f != nil && flags&syscall.O_EXCL != 0:
		return nil, nil, 0, syscall.EEXIST
	case f == nil:
		f = n.disk.newFile(name)
		if errno := n.disk.rename("create", f, nameChange{added: name, file: f}); errno != 0 {
			return nil, nil, 0, errno
		}
	}
	return n.child(ctx, f, out), &handle{}, openFlags(f), 0
}

// openFlags keeps the kernel from caching files, except those that it maps into memory.
func openFlags(f *file) uint32 {
	if isShared(f.name) {
		return fuse.FOPEN_KEEP_CACHE
	}
	return fuse.FOPEN_DIRECT_IO
}

func (n *folder) Unlink(_ context.Context, name string) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	f := n.disk.names[name]
	if f == nil {
		return syscall.ENOENT
	}
	return n.disk.rename("unlink", f, nameChange{removed: name})
}

func (n *folder) Rename(_ context.Context, from string, _ fs.InodeEmbedder, to string, flags uint32) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	f := n.disk.names[from]
	switch {
	case f == nil:
		return syscall.ENOENT
	case flags&^1 != 0, flags == 1 && n.disk.mayReplace: // other than RENAME_NOREPLACE
		return syscall.EINVAL
	case flags == 1 && n.disk.names[to] != nil:
		return syscall.EEXIST
	}
	return n.disk.rename("rename", f, nameChange{removed: from, added: to, file: f})
}

func (n *folder) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	f := target.(*node).file
	if n.disk.names[name] != nil {
		return nil, syscall.EEXIST
	}
	if errno := n.disk.rename("link", f, nameChange{added: name, file: f}); errno != 0 {
		return nil, errno
	}
	return n.child(ctx, f, out), 0
}

func (n *folder) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	return n.disk.syncFolder()
}

// Statfs says that no space is left. So package sqlite makes no reserve file: 4 MiB of zeros
// would only take time.
func (n *folder) Statfs(context.Context, *fuse.StatfsOut) syscall.Errno { return 0 }

func (n *node) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	return &handle{}, openFlags(n.file), 0
}

func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	n.disk.attr(n.file, &out.Attr)
	return 0
}

func (n *node) Setattr(ctx context.Context, h fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		if errno := n.disk.truncate(n.file, int64(size)); errno != 0 {
			return errno
		}
	}
	return n.Getattr(ctx, h, out)
}

func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	n.disk.mu.Lock()
	defer n.disk.mu.Unlock()
	content := n.file.content
	k := copy(dest, content[min(at, int64(len(content))):])
	return fuse.ReadResultData(dest[:k]), 0
}

func (n *node) Write(_ context.Context, h fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	open, ok := h.(*handle)
	if !ok { // the kernel writes back what a process has mapped
		open = &handle{}
	}
	if errno := n.disk.write(n.file, open, data, at); errno != 0 {
		return 0, errno
	}
	return uint32(len(data)), 0
}

func (n *node) Fsync(_ context.Context, h fs.FileHandle, _ uint32) syscall.Errno {
	open, ok := h.(*handle)
	if !ok {
		return syscall.EBADF
	}
	return n.disk.sync(n.file, open)
}
