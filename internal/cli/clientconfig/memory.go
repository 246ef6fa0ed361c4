package clientconfig

import "slices"

// A Memory says which agent a client gets.
type Memory struct {
	Agent   string
	Tenant  string // "": the default
	Project string // the folder of the project that the client's file belongs to; "": the file is the user's own
	Named   bool   // by --agent, or by what the client's file has
	Remote  string // a sentence: the client connects to a server, which knows
}

// String is a sentence for people.
func (m Memory) String() string {
	switch {
	case m.Remote != "":
		return m.Remote
	case m.Agent == "":
		return "Memory: any agent, because the entry names none."
	}
	who := "Memory: agent " + m.Agent
	if m.Tenant != "" {
		who += " of the tenant " + m.Tenant
	}
	switch {
	case m.Named:
		return who + "."
	case m.Project != "":
		return who + ", of the project " + m.Project + "; --agent names another."
	}
	return who + ", for all projects; --agent names another."
}

// MemoryOf returns the memory that the arguments of a server name.
func MemoryOf(args []string) Memory {
	value := func(flag string) string {
		if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
			return args[i+1]
		}
		return ""
	}
	return Memory{Agent: value("--agent"), Tenant: value("--tenant"), Named: true}
}
