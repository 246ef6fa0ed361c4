package main

// serverTexts are what --help shows of the other commands, in the form of memoryTexts.
const serverTexts = `= mcp
Add it to a client, for example to Claude Code:

  claude mcp add --scope user scratchpad -- /path/to/scratchpad mcp --project .

scratchpad setup does that, and scratchpad client-config prints it for other clients. The server ends when
standard input ends, or at SIGTERM; everything that it has acknowledged is stored. It logs to standard error. If
it may only read the database, it says so once and serves reads.

With --tools memory, models that were trained on Claude's memory tool find its commands: view, create,
str_replace, insert, delete and rename. The path /memories/notes.md is the file notes.md.

For summaries by a model, the server needs ANTHROPIC_API_KEY or OPENAI_API_KEY in its environment;
client-config --pass-key makes a client pass it. Without a key it makes outlines.

= serve
Serve the memory of many agents over HTTP, at /mcp. Anthropic's SDKs find the same memory as
Memory Stores at /v1/memory_stores. /healthz and /readyz tell whether the server works.

Everybody needs a key. If there is none yet, and you start the server on a terminal, it makes the first key,
for the agent default, and shows it once. Elsewhere it serves nobody until you make a key: for an agent, for
several, or for all. On a loopback address, --no-auth serves everybody on this machine without a key.

  scratchpad keys create --name laptop --agents planner
  scratchpad keys create --agents 'team-a-*' --scopes read
  scratchpad serve --addr 0.0.0.0:4321 --tls-cert cert.pem --tls-key key.pem
  scratchpad client-config claude-code --url https://memory.example.com/mcp

A proxy in front of the server can do TLS; give its address with --trusted-proxy. Beyond loopback, a server
without either warns at the start. SIGTERM stops the server when the calls under way are answered, a second
one at once.

= console
See in the browser what agents remember and how it came about, and put it right: files with all
their versions, logs, searches, keys. The pages change by themselves while agents work.

  scratchpad console
  scratchpad console --agent planner
  scratchpad console --db ./agent.db --no-open --idle 30m

The command prints a link and opens it in the browser, if it runs on a terminal. The link lets one browser in,
once; nobody else can use it then, and nobody on other machines can reach it. That browser may see and change
everything of the tenant. With --agent it shows that agent first. Ctrl-C ends the console, and so does the end
of the terminal.

For the database of another machine, run the command there with --no-open --addr 127.0.0.1:9000, connect with
ssh -L 9000:127.0.0.1:9000, and open the link here. For a team, scratchpad serve has the same pages for people
with keys.

= keys create
The key goes to standard output, and everything else to standard error. The database has only the
SHA-256 of its secret, so the key cannot be printed again. No server is needed; one that runs knows the key
within a second.

A key for one agent makes its client use that memory, and the tools ask for no agent_id. Quote a star, because
the shell would replace it by the names of files.

A key ends after 90 days unless --expires says otherwise. scratchpad keys set ID --expires 90d gives it more
time.

A key is for the memory of one tenant: that of --tenant. The first key of a tenant makes the tenant. Commands
without --tenant and servers with --no-auth use the tenant local.

Examples:

  scratchpad keys create --agents planner --name laptop
  scratchpad keys create --agents 'team-a-*' --scopes read --expires 24h
  scratchpad keys create --agents '*' --tenant acme --rate 5:20 --json
  scratchpad keys create --scopes metrics --name prometheus --expires never

= keys ls
The keys of all tenants are listed, or with --tenant those of one. A server writes down when a key
was used, about a minute later. Keys that were revoked or have expired are listed too; the oldest of them are
removed when new keys are made.

Examples:

  scratchpad keys ls --tenant acme

= keys show
Examples:

  scratchpad keys show 7kQ2mVx0

= keys set
What you do not give stays. The change holds in every server within a second, also for clients
that are connected. A key that has expired can be given more time, and one that was revoked cannot be changed.

Examples:

  scratchpad keys set 7kQ2mVx0 --scopes read
  scratchpad keys set 7kQ2mVx0 --agents planner,reviewer --expires 30d

= keys rotate
The key goes to standard output. Its id and what it may do stay. Put it where your clients have
the old one before the overlap ends.

If somebody else may have the old secret, give --overlap 0.

Examples:

  scratchpad keys rotate 7kQ2mVx0
  scratchpad keys rotate 7kQ2mVx0 --overlap 0

= keys revoke
The command does not ask, because a key that somebody else has must end at once. No server takes
the key a second later. To give a key a new secret, run scratchpad keys rotate.

Examples:

  scratchpad keys revoke 7kQ2mVx0

= tenants ls
A tenant is there from its first key on, or when limits were set for it.

Examples:

  scratchpad tenants ls

= tenants set
The limits hold in every server within a second. What is over a new limit stays; only what adds to
it is refused.

Examples:

  scratchpad tenants set acme --agents 50 --bytes 1_000_000_000
  scratchpad tenants set acme --keys default

= doctor
Doctor changes nothing without --scrub, whatever is wrong with the database. Each line is ok, a
warning or a problem, with a suggestion. If there is a problem, the exit code is 6. A database that does not
exist yet is not a problem.

  scratchpad doctor
  scratchpad doctor --db ./agent.db --json
  scratchpad doctor --scrub
  scratchpad doctor --secrets

With the flag --secrets and no value, doctor also looks for secrets of known form in the files, their versions and the logs of all
agents. It shows where they are, and no part of them.

Doctor checks the structure of a file and its counters. Of PostgreSQL it shows what an acknowledged write
survives there: the settings of the server, its standbys and how far they lag. To check all content too, run
scratchpad verify.

= healthcheck
The command asks /readyz, which needs no key. The exit code is 0 if the server can read and write
its database, and 1 if it cannot, if it is stopping, or if there is none. Containers and supervisors can run
it every few seconds.

Examples:

  scratchpad healthcheck
  scratchpad healthcheck --addr 127.0.0.1:8080

= verify
Verify reads every version of every file and every log entry of all agents, and compares each with
its SHA-256. It also checks that nothing is missing, that the counters are right, and the structure of an
SQLite file. A deleted agent leaves its last numbers, which verify checks too. Verify changes nothing, and
agents can write meanwhile. If it finds problems, it lists them and the exit code is 6.

  scratchpad verify
  scratchpad backup copy.db && scratchpad verify --db copy.db
  scratchpad verify --db postgres://user@host/restored

= backup
The copy is the database as it was at one moment. It gets its name only after every SHA-256 in it
is verified and it is safely on the disk.

  scratchpad backup scratchpad-$(date +%F).db

PostgreSQL is backed up by its own programs, pg_dump and pg_basebackup. For such a database the command says
how, and fails.

To restore a backup, stop the processes that have the database open, remove its -wal and -shm files, and put
the backup in its place.

= migrate
Migrate copies a whole database into an empty one, of the same kind or of the other: all agents of
all tenants with their versions, logs, numbers and changes, and all keys. Then it compares every row of both.
The database that is copied does not change.

Stop its servers first. If an agent changes meanwhile, migrate names it, and the exit code is 4: copy into a new
database then. What is written to the source after migrate has ended is not in the copy.

A copy that was interrupted is refused by all commands and servers. The same command again completes it.

  scratchpad migrate --to copy.db
  scratchpad migrate --to postgres://user@host/name
  scratchpad migrate --from postgres://user@host/name --to back.db

= export
Each file becomes a file in DIR/files. Each log becomes a file in DIR/logs with a line of JSON for
each entry: id, time, author, text. DIR/manifest.json lists them with their versions, times, authors and
hashes. It is written last: a folder without it is not a whole export.

Names that some file systems cannot hold are escaped: %41 stands for A where a file a is beside it. The
manifest has both names.

Examples:

  scratchpad export memory
  scratchpad export reviewer-memory --agent reviewer --versions

To bring an export into a database, run scratchpad import DIR.

= import
A file that differs becomes a new version, and one with the same bytes is left alone. Of a log,
the entries that are missing are appended. Nothing is deleted. A file that the agent never had gets all the
versions that the export has, with their numbers, times and authors.

If DIR has no manifest.json, each text file in it becomes a file under its relative name. This is how to bring
Markdown that you have.

Names that begin with a dot are skipped, such as .git, which can hold passwords. So is what programs make for
themselves, such as node_modules. One line names them. --all imports them.

What cannot be imported is left out and listed with its reason, and the exit code is 1. Examples are links,
binary files, names that --paths does not allow, and what is beyond a limit. Everything else is imported. An
import can be run again, also after it was interrupted: it imports what is not there yet. --dry-run does not
check all limits.

--from brings the memory of another program, as Markdown files below its name. Without DIR it is found where
the program keeps it:

  claude-code   the auto memory of this project, in $CLAUDE_CONFIG_DIR or ~/.claude
  codex         MEMORY.md and memory_summary.md in $CODEX_HOME/memories or ~/.codex/memories
  cline         memory-bank in this project
  serena        .serena/memories in this project
  basic-memory  $BASIC_MEMORY_HOME or ~/basic-memory
  mcp-memory    the graph of @modelcontextprotocol/server-memory, in $MEMORY_FILE_PATH or in npm's cache; each of
                its entities becomes a file

The program's files are only read. If they change, import again. Files that were edited, moved or deleted here
since are kept as they are, and one line names them.

Examples:

  scratchpad export memory && scratchpad import memory --agent copy --dry-run
  scratchpad import memory --agent copy
  scratchpad import --from claude-code --dry-run
  scratchpad import --from serena ~/.serena/memories/global --agent default

= client-config
The command prints the entry for the client on standard output, and says on standard error where
it goes. It writes no file; scratchpad setup --client NAME does. The entry contains the --agent, --tenant,
--db, limits, --paths and --summarizer that you give here; a key only with --pass-key. It also limits what
read_file sends (--max-read-tokens), because clients hide or cut long answers.

  scratchpad client-config claude-desktop
  scratchpad client-config cursor --agent my-project
  scratchpad client-config claude-desktop --summarizer outline

With --url, the client uses a server that scratchpad serve runs. The key says whose memory it is. The entry
names the variable SCRATCHPAD_API_KEY and does not contain the key, so it can be committed. The entries of Zed
and Cline contain the key, because they cannot name a variable.

  scratchpad client-config vscode --url https://memory.example.com

Without --agent, clients that start the server in the folder of a project, or name the folder, get the memory of
that project. Claude Desktop, Cursor, Zed, Windsurf and Cline get that of the agent default.

= completion
With the script, the Tab key completes commands, flags and their values, help topics, agents, and
the names of files and logs that agents have stored.

  scratchpad completion bash

For bash, add the line below to ~/.bashrc. For zsh, add it to ~/.zshrc after compinit, with zsh in place of
bash. For fish, write the script to ~/.config/fish/completions/scratchpad.fish.

  source <(scratchpad completion bash)

= __man
Prints the manual page of all commands. A release installs it.

  scratchpad __man

= __complete
The scripts of scratchpad completion call this command with the words of a command line up to the
one to complete.

  scratchpad __complete -- client-config cl

= version
Examples:

  scratchpad version

= help
The help of a command, such as scratchpad help files write, shows its own flags. The topic flags explains those
that all commands share, such as limits and summaries.

  scratchpad help flags`
