package clientconfig

import "slices"

// A Memory says whose memory a client gets.
type Memory struct {
	Agent  string // "": that of the project that the client works in
	Tenant string // "": the default
	Folder string // what the entry has for the folder of the project, if there is no agent

	Database string // of [MemoryOf]; "": the usual one
}

// String is a sentence for people.
func (m Memory) String() string {
	of := ""
	if m.Tenant != "" {
		of = " of the tenant " + m.Tenant
	}
	switch {
	case m.Folder != "":
		return "Memory: each project has its own" + of + "; --agent names one for all."
	case m.Agent == "":
		return "Memory: any agent, because the entry names none."
	}
	return "Memory: agent " + m.Agent + of + ", for all projects."
}

// Args returns the arguments of a server that name the memory.
func (m Memory) Args() []string {
	if m.Folder != "" {
		return []string{"--project", m.Folder}
	}
	return []string{"--agent", m.Agent}
}

// MemoryOf returns the memory that the arguments of a server name.
func MemoryOf(args []string) Memory {
	value := func(flag string) string {
		if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
			return args[i+1]
		}
		return ""
	}
	return Memory{Agent: value("--agent"), Tenant: value("--tenant"), Folder: value("--project"),
		Database: value("--db")}
}
