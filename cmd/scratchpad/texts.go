package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
)

// describe is kong's hook. It gives commands, arguments and flags the help that is in
// helpTexts and not in their tags, and commands the text that their --help shows. A flag with
// values shows these in place of one. describe also puts in the values of variables.
func describe(k *kong.Kong) error {
	texts := map[string]string{}
	for text := range strings.SplitSeq(helpTexts+"\n\n"+flags.HelpTexts, "\n\n") {
		names, text, _ := strings.Cut(text, "\n")
		for name := range strings.SplitSeq(names, ", ") {
			texts[name] = text
		}
	}
	for text := range strings.SplitSeq(memoryTexts+"\n\n"+serverTexts, "\n\n= ") {
		name, text, _ := strings.Cut(strings.TrimPrefix(text, "= "), "\n")
		texts[name+" --help"] = text
	}
	describeNode(k.Model.Node, "", texts, variables())
	return nil
}

// describeNode is describe for the command of a path, which ends in a space.
func describeNode(n *kong.Node, path string, texts map[string]string, values *strings.Replacer) {
	set := func(name string, help *string) {
		if text, ok := texts[path+name]; ok {
			*help = text
		}
	}
	value := func(v *kong.Value) {
		set(v.Name, &v.Help)
		v.Help = strings.Join(strings.Fields(v.Help), " ")
		v.Help, v.Default, v.Enum = values.Replace(v.Help), values.Replace(v.Default), values.Replace(v.Enum)
	}
	for _, f := range n.Flags {
		if help, byDefault, ok := flags.Describe(f.Name); ok && path == "" {
			f.Help, f.Default, f.HasDefault, f.PlaceHolder = help, byDefault, true, "N"
		}
		value(f.Value)
		if f.Enum != "" && f.PlaceHolder == "" {
			f.PlaceHolder = strings.ReplaceAll(f.Enum, ",", "|")
		}
	}
	for _, p := range n.Positional {
		value(p)
	}
	for _, c := range n.Children {
		set(c.Name, &c.Help)
		c.Help = strings.Join(strings.Fields(c.Help), " ")
		set(c.Name+" --help", &c.Detail)
		describeNode(c, path+c.Name+" ", texts, values)
	}
}

// helpTexts are the texts that do not fit into a tag. Each has the name of its command, and
// then of its argument or flag.
const helpTexts = `db
The database: a file, or a PostgreSQL database such as postgres://user@host/name. mem: keeps everything in
memory until the process ends. Default: ${db}.

agent
The agent whose memory to use. Default: that of the project of this folder, and default outside of projects.
With mcp, the server serves this agent only; by default every call names its agent.

tenant
The tenant that the agent belongs to. A server can have several tenants, which see nothing of each other.
Default: local.

json
Answer with one line of JSON; logs cat and logs tail with one line for each entry, changes with one for
each path. An error is one line of JSON on standard error.

paths
The characters that a new path may have. ascii: a-z A-Z 0-9 / _ . -. unicode, the default: also letters,
marks and digits of any script, and single spaces. What is stored can be read, moved and deleted by both.

keep-deleted
How long a deleted file keeps its versions and can be restored, such as 30d or 12h. 0: a deletion is
final. Default: 30d.

secrets
What a write does with a secret of known form, such as an API key or a private key. warn, the default: it
is stored, and the answer says where it is. refuse: the write is refused. off: nobody looks. doctor --secrets
looks through all that is there.

color
When to colour the output. auto: on a terminal, unless $NO_COLOR is set.

setup
Install this program and add it to the MCP clients on this machine. --undo takes that back.

mcp
Serve MCP on standard input and output. Runs by default when standard input is not a terminal.

changes
Show what has changed in an agent's memory, and who did it.

brief
Print what an agent must know at the start, and what has changed since the last brief.

hook
Tell an MCP client what its agent must know when a session begins. Clients run it.

backup
Copy the database to a new file and verify the copy. Agents can go on working.

migrate
Copy the database into an empty one, such as one of PostgreSQL, and verify the copy.

client-config
Print the configuration that makes an MCP client start this program.

completion
Print a shell script that completes commands, flags and names with the Tab key.

brief brief-text, hook brief-text
About how many tokens of START.md to print at most, if the database is a file. 0: none. Default: ${default}.

hook plugin
Tell nothing if the hook of setup does. The plugin for Claude Code gives this flag.

brief mark
Show what has changed since the last brief of this name, and move the mark.

brief tokens
About how many tokens to print at most beside the text of START.md. Default: ${default}.

changes since
Show what has changed after revision N. Default: the paths that changed last.

changes follow
Print each change as it comes, until Ctrl-C, SIGTERM, or the reader closes the pipe.

client-config pass-key
Make the client pass $ANTHROPIC_API_KEY or $OPENAI_API_KEY, whichever is set here, for summaries by a
model. The entry refers to the variable; for Claude Desktop it contains the key itself.

client-config url
Connect to the server at this URL instead of starting this program. Without a path, /mcp is added.

client-config tools
Which tools the server has, as for scratchpad mcp. Default: ${default}.

client-config max-read-tokens
How many o200k tokens of a file the server's read_file sends at most. 0: no limit. Default: ${default}.

console addr
Where to listen, on this machine. Port 0 is any that is free. Default: ${default}.

console idle
End when there was no request and no open page for so long, such as 30m. Default: Ctrl-C ends it.

doctor scrub
Remove now what redactions, and deleted files whose time has ended, have left in the database file and its
log. Others can read meanwhile, and wait with their writes. On PostgreSQL, --scrub removes those deleted files.

files ls deleted
List the deleted files that can be restored, and until when.

files rm for-good
Remove all versions of the files. Nothing brings them back. Deleted files can be named too.

files edit old
The text to replace. A text that is appended stands on a line of its own, and makes the file if there is
none.

files edit if-version
Edit only if the file is at version N. To append, 0: only if there is no file.

healthcheck addr
Where the server listens, as serve has it. Default: 127.0.0.1 and the port in $PORT, or 127.0.0.1:4321.

healthcheck tls-cert
The certificate of the server, if it uses TLS. No other one is accepted.

keys create agents
The agents whose memory the key is for: names, beginnings of names such as 'team-a-*', or '*' for all
agents of the tenant. A key with scope read or write needs them.

keys create scopes
What the key may do: read and write memory, admin (see and change the keys of its tenant in the console,
and list its agents), metrics (read /metrics, and see how the server does). Default: ${default}.

keys create expires
When the key ends, from now, such as 24h or 30d; or never. Default: ${default}.

keys create rate
How many calls a second the server takes with the key, and how many at once after a pause. BURST is 4
times N by default. Default: as the server says.

keys rotate overlap
How long the old secret works too, such as 1h or 7d. 0: it ends now. Default: ${default}.

logs rm through
Delete only the log's entries up to N; give one log. Later entries keep their numbers, and the log stays.

logs tail follow
Then print each new entry from any process, until Ctrl-C, SIGTERM, or the reader closes the pipe. The log
need not exist yet, and may be deleted and created again.

mcp tools, serve tools
Which tools the server has: storage is write_file, read_file and the others; memory is the one tool of
that name, with the commands of Claude's memory tool over the same files; all is both. Default:
${default}.

mcp project
Serve the memory of the project that this folder is in, also if SCRATCHPAD_AGENT names an agent. A dot is
the folder that the client works in. --agent wins.

mcp home
Whether the tools for files reach the memory for everything from a project, under ~/, as in ~/style.md: yes
or no. It needs --project and a database file. Default: ${default}.

mcp max-read-tokens
How many o200k tokens of a file read_file sends at most. 0, the default: no limit. Many clients hide or
cut long answers, so client-config sets 20000.

mcp brief-tokens
About how many tokens a client that connects is told of what is in its memory: only paths, numbers and
dates, up to 500 characters. It needs --agent or --project. 0: nothing. Default: ${default}.

migrate from
The database that is copied: a file, or a postgres:// URL. Default: that of --db.

migrate to
The database that gets the copy. It holds nothing yet, or an unfinished copy of the same database. A file
is made if it is not there.

serve addr
Where to listen. Default: 127.0.0.1:4321; 0.0.0.0:$$PORT if only $$PORT is set.

serve no-auth
Serve everybody on this machine without a key. Only on a loopback address.

serve rate
Requests a second of each key. 0: no limit. A key can have a rate of its own. Default: ${default}, and
four times as many at once.

serve rate-agent
Calls a second for each agent. 0: no limit. Default: ${default}, and four times as many at once.

serve tls-cert
The certificate for TLS, in PEM. It is read again when it changes.

serve tls-key
Its private key, in PEM.

serve trusted-proxy
The addresses of proxies in front of this server, or networks such as 10.0.0.0/8. Their X-Forwarded-For is
believed.

serve host
More names by which clients may call a server on a loopback address, or the server of --metrics-addr,
besides localhost.

serve metrics-addr
Where to serve /metrics to everybody. Without it, /metrics is for keys with the scope metrics.

serve log-format
The form of the log on standard error. Default: ${default}.

serve log-level
What is logged; info has a line for each call. Default: ${default}.

serve max-read-tokens
How many o200k tokens of a file read_file sends at most. 0: no limit. Default: ${default}.

serve oauth-audience
The audience that a token must be for, usually the URL of this server's /mcp.

serve oauth-jwks-url
Where the issuer's keys are. Default: as the issuer's metadata says.

serve oauth-tenant-claim
The claim with the tenant. A token of the tenant local reaches what this program stores without a server.
Default: ${default}.

serve oauth-agents-claim
The claim with the agents: a text or a list. Default: ${default}.

serve oauth-scopes-claim
The claim with the scopes: words or a list. Default: ${default}.

setup client
A client to set up, whether it is found here or not. Give the flag again for another one. Default: all
that are found.

setup project
With --share, the folder that gets the file; default: the top of this repository. With Cursor, a folder that gets a file of its
own: Cursor knows its folder only from there.

setup share
Write .mcp.json for everybody who works in the folder, and nothing else.

setup bin
The folder for the program. Default: one for your programs, if possible one on the PATH.

tenants set agents
How many agents may hold anything: a number, default (--max-agents of the server), or none.

tenants set bytes
How many bytes all agents may hold together: a number, default (--max-total-bytes of the server), or none.

tenants set keys
How many keys may be usable at the same time: a number, default (1000), or none.`
