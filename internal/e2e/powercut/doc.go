// Package powercut has only a test: what is left of a database after a power cut. The
// test has a file system of its own (FUSE, on Linux, as root). For every file and for the
// folder the file system knows what was synced and what was only written.
//
// Processes write to a database on this file system and report what was acknowledged. At
// some moment the file system stops, and the processes are killed. Then the test writes
// what a disk may hold into an ordinary folder: the unsynced changes are lost, kept in
// part, reordered or torn. The database there must open, must be whole, and must hold
// everything that was acknowledged.
//
//	cd internal/e2e && go test ./powercut                           # 60 cuts
//	cd internal/e2e && SCRATCHPAD_TEST=all go test -v ./powercut    # 500 cuts
//	cd internal/e2e && SCRATCHPAD_TEST=full go test -v -timeout 3h ./powercut    # 5,000 cuts
//
// A failed cut is named by its number. The number repeats the cut, except for the timing
// of the processes:
//
//	go test ./powercut -run 'TestAcknowledgedWriteSurvivesPowerCut/cut-17$'
//
// The file system assumes this of a disk:
//
//   - A sync of a file makes its bytes and its size durable, but not its name.
//   - A sync of the folder makes names durable, and nothing else.
//   - Any selection of the unsynced changes may be kept. A torn change is kept in part,
//     in sectors of 512 or 4,096 bytes.
//   - A rename is one step. In half of the cuts no rename can refuse to replace a file, as on
//     macOS. Then a file gets its name by a link.
//
// This is what POSIX promises. ext4 and XFS promise more.
//
// disk_test.go has the disk and its cut, mount_test.go shows the disk to processes,
// process_test.go starts and kills them, worker_test.go has their work and the checks
// afterwards, and powercut_test.go has the cuts.
package powercut
