// Package powercut holds no code, only a test: what is left of a database after a
// power cut. It has a file system of its own (FUSE, Linux, as root) that knows of
// every file and of the folder what was synced and what was only written.
// Processes write to a database on it and say what was acknowledged. At some
// moment the file system stops, the processes are killed, and what a disk may
// hold then is put into an ordinary folder: the unsynced changes are lost, kept
// in part, reordered or torn. The database there must open, must be whole, and
// must hold everything that was acknowledged.
//
//	cd internal/e2e && go test ./powercut                           # 60 cuts
//	cd internal/e2e && SCRATCHPAD_TEST=all go test -v ./powercut    # 500 cuts
//
// A cut that fails is named by its number, which makes it again up to the timing
// of the processes:
//
//	go test ./powercut -run 'TestPowerCut/cut-17$'
//
// What the file system assumes of a disk: a sync of a file makes its bytes and
// its size durable, but not its name; a sync of the folder makes names durable,
// and nothing else; what was not synced is kept or not in any selection, in
// sectors of 512 or 4,096 bytes where it is torn. A rename is one step. That is
// what POSIX promises, and less than what ext4 or XFS do.
//
// disk_test.go is the disk and its cut, mount_test.go shows it to processes,
// worker_test.go is what the processes do and what is checked afterwards, and
// powercut_test.go has the cuts.
package powercut
