package conversation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// An Append beside its floor, a loop that writes as much and syncs; and what many
// at once get out of one fsync.
func BenchmarkFileJournal(b *testing.B) {
	for _, size := range []int{200, 20_000, 1 << 20} {
		r := saidRecord(strings.Repeat("lorem ips ", size/10))
		line, err := r.MarshalJSON()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("floor/%d", size), func(b *testing.B) {
			f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			for b.Loop() {
				if _, err := f.Write(line); err != nil {
					b.Fatal(err)
				}
				if err := dataSync(f); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("append/%d", size), func(b *testing.B) {
			f := openFile(b, filepath.Join(b.TempDir(), "journal"))
			for b.Loop() {
				appendRecords(b, f, r)
			}
		})
		b.Run(fmt.Sprintf("append of 8 at once/%d", size), func(b *testing.B) {
			f := openFile(b, filepath.Join(b.TempDir(), "journal"))
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					appendRecords(b, f, r)
				}
			})
		})
	}
}

// What opening and reading cost, a record.
func BenchmarkFileJournalRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "journal")
	f := openFile(b, path)
	const records = 20_000
	batch := make([]conversation.Record, records)
	for i := range batch {
		batch[i] = saidRecord(strings.Repeat("lorem ips ", 20))
	}
	appendRecords(b, f, batch...)
	b.Run("Records", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, err := range f.Records(b.Context(), 0) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
	})
	closeFile(b, f)
	b.Run("FileJournal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			closeFile(b, openFile(b, path))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
	})
}
