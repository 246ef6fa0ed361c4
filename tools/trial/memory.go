package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A task is what an agent is asked, and what a right answer has.
type task struct{ text, answer string }

var tasks = []task{
	{"Some of our customers are shops, and one of them has retailers that get a discount in winter. " +
		"Which customer, and how many percent?",
		"customers/lindqvist.md, 12 percent"},
	{"What did we decide on May 8th 2023 about where sessions are kept?",
		"in PostgreSQL, no longer in memory (decisions/sessions.md)"},
	{"After the TLS certificates of the gateway are rotated, which command checks the new one?",
		"gatectl probe --tls edge-3 (runbooks/gateway.md)"},
	{"In runbooks/gateway.md, the connection limit of the pool edge-3 is to be 768. Change that one line.",
		"pool edge-3: connection limit 768; no other line differs"},
	{"The log deploys has an entry for each deploy. " +
		"How many deploys to host web-07 had more than 100 failed requests?", ""},
	{"How long did the deploy D-0173 take, and to which host did it go?", ""},
	{"Who set the price of the basalt tile to 45 in prices.md, and in which version of the file?",
		"tom, version 4"},
	{"plan.md once had a section about rolling back, which somebody took out. " +
		"Put that section back, as it was, at the end of plan.md.",
		"the section Rollback of version 3, its three lines, at the end of plan.md"},
	{"contracts/harbor.md was deleted by mistake. Who deleted it? Bring it back with the text it had.",
		"tom; version 2 of the text is back"},
	{"Somebody gave a file in projects another name lately. Which file, " +
		"who did it, what is it called now, and did its text change with it?",
		"nora moved projects/kestrel.md to projects/falcon.md; the text did not change"},
}

// What the names of the files are made from.
var (
	customers = strings.Fields("aldermann brightwater corvane dunmore estrella fennick gladstone hollis ingram " +
		"jarnefelt lindqvist marlowe")
	projects = strings.Fields("albatross bittern cormorant dunlin egret fulmar gannet heron ibis jackdaw kestrel " +
		"lapwing merlin nightjar osprey")
	topics = strings.Fields("sessions queues backups logging search billing exports metrics alerts caching uploads " +
		"invites")
	systems = strings.Fields("gateway mailer indexer scheduler ledger importer renderer archive")
	people  = strings.Fields("amara boris celeste dmitri elif farid greta hugo")
)

// A maker writes the memory through sessions of several clients.
type maker struct {
	ctx      context.Context
	sessions map[string]*mcp.ClientSession
	options
	random *rand.Rand
	err    error
}

// do calls a tool as a client of a name. After the first error it does nothing.
func (m *maker) do(client, tool string, args map[string]any) {
	if m.err != nil {
		return
	}
	session := m.sessions[client]
	if session == nil {
		if session, m.err = m.connect(m.ctx, client); m.err != nil {
			return
		}
		m.sessions[client] = session
	}
	result, err := session.CallTool(m.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if m.err = err; err == nil && result.IsError {
		m.err = fmt.Errorf("%s %v: %s", tool, args["path"], result.Content[0].(*mcp.TextContent).Text)
	}
}

func (m *maker) write(client, path, text string) {
	m.do(client, "write_file", map[string]any{"path": path, "content": text})
}

func (o options) fill(ctx context.Context) error {
	m := &maker{ctx: ctx, sessions: map[string]*mcp.ClientSession{}, options: o,
		random: rand.New(rand.NewPCG(28, 28))}
	m.write("maria", "prices.md", prices(38, 12))
	m.write("tom", "prices.md", prices(40, 12))
	m.files()
	m.write("maria", "prices.md", prices(40, 14))
	m.logs()
	m.write("tom", "prices.md", prices(45, 14))
	m.write("nora", "prices.md", prices(45, 15))
	plan := "# Plan\n\n## Goals\n\nMove all customers to the new gateway.\n\n"
	m.write("maria", "plan.md", plan)
	m.write("maria", "plan.md", plan+rollback)
	m.write("nora", "plan.md", plan+rollback+"\n## Dates\n\nStart in March, end in June.\n")
	m.write("tom", "plan.md", plan+"## Dates\n\nStart in March, end in June.\n")
	m.write("maria", "plan.md", plan+"## Dates\n\nStart in April, end in June.\n")
	m.do("tom", "delete_file", map[string]any{"path": "contracts/harbor.md"})
	m.do("nora", "move_file", map[string]any{"path": "projects/kestrel.md", "new_path": "projects/falcon.md"})
	m.write("nora", "projects/osprey.md", "# Osprey\n\nClosed.\n")
	for _, s := range m.sessions {
		s.Close()
	}
	return m.err
}

const rollback = "## Rollback\n\nTurn the traffic back with `gatectl shift --to old --all`.\n" +
	"Then drain edge-1 to edge-4, one by one.\nTell billing: double invoices are possible for an hour.\n"

func prices(basalt, slate int) string {
	return fmt.Sprintf("# Prices\n\nPer square metre, in euros.\n\n- basalt tile: %d\n- slate tile: %d\n"+
		"- oak board: 61\n- pine board: 23\n- copper sheet: 118\n", basalt, slate)
}

// files writes what is the background of the tasks, and the answers of some.
func (m *maker) files() {
	for i, c := range customers {
		text := fmt.Sprintf("# %s\n\nCustomer since %d. Pays within %d days.\n\n## Terms\n\n",
			strings.ToUpper(c[:1])+c[1:], 2015+i, 10+i*5)
		if c == "lindqvist" {
			text += "A chain of 40 stores. Each retailer is discounted by 12 percent from December to February.\n"
		} else {
			text += fmt.Sprintf("Delivery on the %dth of the month. No returns after %d weeks. One shop in %s.\n",
				3+i, 2+i%4, m.word(people))
		}
		m.write("maria", "customers/"+c+".md", text)
	}
	for i, t := range topics {
		day := fmt.Sprintf("2023-%02d-%02d", 1+i%12, 3+i*2)
		text := fmt.Sprintf("Keep %s as they are until the next review.", t)
		if t == "sessions" {
			day, text = "2023-05-08", "Sessions move into PostgreSQL. In memory they were lost with each restart."
		}
		m.write("nora", "decisions/"+t+".md", fmt.Sprintf("# %s\n\nDecided %s by %s.\n\n%s\n",
			t, day, m.word(people), text))
	}
	for _, p := range projects {
		m.write("maria", "projects/"+p+".md", fmt.Sprintf("# %s\n\nOwner: %s. State: %s.\n\nNext: %s.\n", p,
			m.word(people), m.word([]string{"open", "late", "on hold"}),
			m.word([]string{"write the tests", "call the customer", "fix the import"})))
	}
	for _, p := range people {
		m.write("nora", "people/"+p+".md", fmt.Sprintf("# %s\n\nWorks on %s and %s. Away in %s.\n", p,
			m.word(projects), m.word(topics), m.word([]string{"July", "August", "September"})))
	}
	for _, s := range systems {
		m.write("tom", "runbooks/"+s+".md", m.runbook(s))
	}
	m.write("nora", "contracts/harbor.md", "# Harbor\n\nDraft.\n")
	m.write("nora", "contracts/harbor.md",
		"# Harbor\n\nSigned 2024-02-19. 36 months, 4,200 euros a month, ends without notice.\n")
	m.write("nora", "contracts/quay.md", "# Quay\n\nSigned 2022-11-02. 24 months, 1,900 euros a month.\n")
}

// runbook returns a long file of sections.
func (m *maker) runbook(system string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Runbook of the %s\n", system)
	control, checked := system, "core-1"
	if system == "gateway" {
		control, checked = "gate", "edge-3"
	}
	for _, section := range []string{"Start and stop", "Restore a backup", "Rotate the TLS certificates", "Add a host",
		"When the disk is full", "Pools"} {
		fmt.Fprintf(&b, "\n## %s\n\n", section)
		for i := range 20 {
			fmt.Fprintf(&b, "%d. On %s-%d, look at %s and wait %d seconds.\n", i+1,
				m.word([]string{"edge", "core", "web"}), m.random.IntN(9), m.word(topics), 5+m.random.IntN(90))
		}
		switch section {
		case "Rotate the TLS certificates":
			fmt.Fprintf(&b, "21. Check the new certificate: `%sctl probe --tls %s`.\n", control, checked)
		case "Pools":
			for i := range 6 {
				fmt.Fprintf(&b, "\npool edge-%d: connection limit 512\n", i+1)
			}
		}
	}
	return b.String()
}

// logs appends the entries of both logs, and completes the answers that depend on them.
func (m *maker) logs() {
	for i := range 260 {
		e := m.deploy(i)
		line, err := json.Marshal(e)
		if err != nil {
			m.err = err
		}
		m.do("ci", "append_log", map[string]any{"path": "deploys", "entry": string(line)})
	}
	for i := range 80 {
		m.do("pager", "append_log", map[string]any{"path": "incidents", "entry": fmt.Sprintf(
			"%s was slow for %d minutes; %s looked at it.", systems[i%len(systems)], 3+i%17, people[i%len(people)])})
	}
}

type deploy struct {
	ID      string `json:"id"`
	Host    string `json:"host"`
	Service string `json:"service"`
	Seconds int    `json:"seconds"`
	Failed  int    `json:"failed"`
	By      string `json:"by"`
}

// deploy returns the entry of a deploy. It is the same for each call.
func (*maker) deploy(i int) deploy {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	return deploy{ID: fmt.Sprintf("D-%04d", i+1), Host: fmt.Sprintf("web-%02d", 1+r.IntN(12)),
		Service: systems[r.IntN(len(systems))], Seconds: 20 + r.IntN(400), Failed: r.IntN(180), By: people[r.IntN(len(people))]}
}

func init() {
	count := 0
	for i := range 260 {
		d := (*maker)(nil).deploy(i)
		if d.Host == "web-07" && d.Failed > 100 {
			count++
		}
		if d.ID == "D-0173" {
			tasks[5].answer = fmt.Sprintf("%d seconds, %s", d.Seconds, d.Host)
		}
	}
	tasks[4].answer = fmt.Sprint(count)
}

func (m *maker) word(words []string) string { return words[m.random.IntN(len(words))] }
