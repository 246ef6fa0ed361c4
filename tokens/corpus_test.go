package tokens_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A sample is a validation text. None of them was used to find the costs.
type sample struct {
	class, name, text string
}

// corpus returns the texts under testdata and the generated ones.
func corpus(t testing.TB) []sample {
	t.Helper()
	var samples []sample
	files, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata: %d files, %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		testkit.Must(t, err)
		class := filepath.Base(filepath.Dir(f))
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		samples = append(samples, sample{class, name, string(b)})
	}
	g := generator{newRand(6)}
	return append(append(samples, g.json()...), append(g.logs(), g.encoded()...)...)
}

type generator struct{ *rand.Rand }

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(2024, seed)) }

func pick[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

func (g generator) noun() string {
	return pick(g, "invoice", "shipment", "warehouse", "patient", "session", "booking", "sensor", "playlist",
		"contract", "ticket", "vehicle", "payroll", "campaign", "firmware", "subscriber", "refund", "pallet", "tenant")
}

func (g generator) person() string {
	return pick(g, "Amara Okafor", "Jonas Lindqvist", "Mei-Ling Tan", "Rafael Duarte", "Siobhan Kelly", "Yusuf Demir", "Ingrid Haugen")
}

func (g generator) sentence() string {
	return pick(g, "Left at the front desk, signature on file.", "Customer asked for a call back after 5 pm",
		"Calibration drifted by more than the allowed 2 %.", "Duplicate of an earlier request; merged.",
		"Replaced the battery and updated the firmware", "Waiting for approval from the finance department.",
		"Could not reproduce on the staging environment", "Paid in two instalments, the second one late")
}

func (g generator) uuid() string {
	b := g.bytes(16)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (g generator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func (g generator) time() time.Time {
	return time.UnixMicro(1_710_000_000_000_000 + g.Int64N(40_000_000_000_000)).UTC()
}

func (g generator) ip() string {
	return fmt.Sprintf("%d.%d.%d.%d", 1+g.IntN(223), g.IntN(256), g.IntN(256), g.IntN(256))
}

func (g generator) record() map[string]any {
	return map[string]any{
		"id": g.IntN(1_000_000), "kind": g.noun(), "assignee": g.person(), "note": g.sentence(),
		"createdAt": g.time().Format(time.RFC3339), "due_date": g.time().Format(time.DateOnly),
		"amount": float64(g.IntN(1_000_000)) / 100, "currency": pick(g, "EUR", "USD", "SEK", "JPY"),
		"archived": g.IntN(2) == 0, "parentId": nil, "labels": []string{g.noun(), pick(g, "urgent", "internal", "eu-north-1")},
		"address": map[string]any{"street": fmt.Sprintf("%d Mill Lane", g.IntN(200)), "postalCode": fmt.Sprint(10000 + g.IntN(80000)), "geo": []float64{g.coordinate(), g.coordinate()}},
	}
}

func (g generator) coordinate() float64 { return float64(g.IntN(360_000_000))/1e6 - 180 }

func repeat[T any](n int, f func() T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = f()
	}
	return list
}

func (g generator) json() []sample {
	compact := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	pretty := func(v any) string {
		b, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	records := repeat(20, g.record)
	numbers := func() []float64 {
		return []float64{g.Float64(), g.NormFloat64() * 100, float64(g.IntN(100_000)), float64(g.IntN(50)) / 4}
	}
	event := func() map[string]any {
		return map[string]any{"event_id": g.uuid(), "traceId": hex.EncodeToString(g.bytes(16)), "actor": g.uuid(), "type": g.noun() + ".updated", "ts": g.time().UnixMilli()}
	}
	lines := strings.Join(repeat(20, func() string { return compact(g.record()) }), "\n")
	return []sample{
		{"json", "compact", compact(records)},
		{"json", "pretty", pretty(records)},
		{"json", "numbers", compact(repeat(120, numbers))},
		{"json", "uuids", compact(repeat(40, event))},
		{"json", "nested string", compact(map[string]any{"payload": lines})},
	}
}

func (g generator) logs() []sample {
	message := func() string {
		return pick(g, "cache warmed", "lost the lease, stepping down", "upstream answered slowly", "payment declined by issuer",
			"compaction finished", "dropping malformed frame", "snapshot uploaded", "certificate renewed", "retry budget exhausted")
	}
	host := func() string { return fmt.Sprintf("%s-%02d", pick(g, "edge", "db", "mq", "render"), g.IntN(20)) }
	formats := map[string]func() string{
		"syslog": func() string {
			return fmt.Sprintf("%s %s %s[%d]: %s from %s port %d", g.time().Format(time.Stamp), host(),
				pick(g, "sshd", "systemd", "kernel", "cron", "postfix/smtpd", "dhclient"), g.IntN(40000), message(), g.ip(), 1024+g.IntN(60000))
		},
		"json lines": func() string {
			return fmt.Sprintf(`{"time":%q,"level":%q,"msg":%q,"host":%q,"request_id":%q,"duration_ms":%.3f,"status":%d}`,
				g.time().Format(time.RFC3339Nano), pick(g, "info", "warn", "error"), message(), host(), g.uuid(), g.Float64()*500, pick(g, 200, 204, 404, 503))
		},
		"slog": func() string {
			return fmt.Sprintf("time=%s level=%s source=internal/%s/%s.go:%d msg=%q %s_id=%d attempt=%d elapsed=%s err=%q",
				g.time().Format("2006-01-02T15:04:05.000Z07:00"), pick(g, "DEBUG", "INFO", "WARN", "ERROR"), g.noun(), g.noun(), g.IntN(900), message(),
				g.noun(), g.IntN(100_000), g.IntN(5), time.Duration(g.IntN(2_000_000_000)), "dial tcp "+g.ip()+":5432: i/o timeout")
		},
		"go panic": func() string {
			return fmt.Sprintf("goroutine %d [%s]:\nexample.com/depot/internal/%s.(*Store).%s(0xc%09x, {0x%x, 0x%x})\n\t/build/depot/internal/%s/store.go:%d +0x%x\ncreated by example.com/depot/cmd/depotd.run in goroutine 1\n\t/build/depot/cmd/depotd/main.go:%d +0x%x\n",
				g.IntN(3000), pick(g, "IO wait", "select, 4 minutes", "chan receive", "running", "sync.Mutex.Lock"), g.noun(), pick(g, "Get", "List", "commitBatch", "flushLocked"),
				g.Int64N(1<<36), g.IntN(1<<24), g.IntN(256), g.noun(), g.IntN(700), g.IntN(4096), g.IntN(300), g.IntN(4096))
		},
		"python trace": func() string {
			return fmt.Sprintf("%s %s %s.tasks: %s\nTraceback (most recent call last):\n  File \"/srv/app/%s/tasks.py\", line %d, in run_%s\n    result = client.fetch(%s_id=%d, timeout=30)\n             ^^^^^^^^^^^^\nrequests.exceptions.ReadTimeout: HTTPSConnectionPool(host='api.example.net', port=443): Read timed out. (read timeout=30)",
				g.time().Format("2006-01-02 15:04:05,000"), pick(g, "ERROR", "CRITICAL"), g.noun(), message(), g.noun(), g.IntN(400), g.noun(), g.noun(), g.IntN(100_000))
		},
	}
	var samples []sample
	for _, name := range []string{"syslog", "json lines", "slog", "go panic", "python trace"} {
		samples = append(samples, sample{"logs", name, strings.Join(repeat(30, formats[name]), "\n")})
	}
	return samples
}

func (g generator) encoded() []sample {
	row := func() string {
		return fmt.Sprintf("%d,%s,%s,%q,%.2f,%t", g.IntN(100_000), g.time().Format(time.DateOnly), g.person(), g.sentence(), g.Float64()*900, g.IntN(2) == 0)
	}
	return []sample{
		{"other", "csv", "id,date,name,remark,amount,open\n" + strings.Join(repeat(60, row), "\n")},
		{"other", "base64", base64.StdEncoding.EncodeToString(g.bytes(3000))},
		{"other", "hex", hex.EncodeToString(g.bytes(3000))},
	}
}
