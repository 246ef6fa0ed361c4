package main

// memoryTexts are what --help shows of the commands about an agent's memory. Each text is
// below the name of its command.
const memoryTexts = `= demo
The demo starts scratchpad mcp with a temporary database and plays a short session of an agent
through an MCP client. For each call it shows the answer, about how many tokens a model reads for it, and what
reading everything again would cost.

  scratchpad demo

= setup
Run setup once on a computer, in any folder. It shows what it will write, and whose memory each client gets. It
asks, and then takes three steps.

First it copies this program to where your PATH finds it, such as ~/.local/bin, unless it is there.

Then it adds a server to your own file of each client that it finds: Claude Code, Claude Desktop, Cursor,
VS Code, Codex, Gemini CLI, OpenCode and Zed. The rest of a file stays as it is. For Windsurf and Cline it
prints what you put into their files. Claude Code and Codex also get a hook, which tells them at the start of a
session what is in the memory. Codex runs the hook only after you have trusted it in /hooks.

Last it starts the server as each client would, and lists the tools.

From then on each project has a memory of its own: a repository with all its worktrees, without a file in it.
Claude Desktop, Zed and Cursor do not tell the server which project is open, so they have the memory of the agent
default. In Cursor a project gets its own memory by a file in it, which --project writes. --agent names one
memory for all projects of all clients.

What an older setup wrote into the files of projects is taken back. The projects keep their memory. If setup runs
again, it changes only what is not as it should be. An entry that it wrote before keeps its memory and its
limits, unless you give --agent, --tenant or --db.

Setup starts, keeps and changes no entry that it did not write. It shows the entry, and stops for that client.
Links are not followed.

--share is for a team: it writes .mcp.json with the program by its name. Commit the file. Claude Code asks each
colleague once.

--undo asks, puts the files back, byte for byte, and removes what setup has made, but no folders. If somebody has
edited a file since, it takes out the entry of this program and leaves the rest. What agents have stored stays, and
so does the program if it has replaced an older one, which could not read that.

Examples:

  scratchpad setup --dry-run
  scratchpad setup --client claude-code --yes
  scratchpad setup --client cursor --project .
  scratchpad setup --share
  scratchpad setup --undo

= files
Put -- before a text that begins with a dash.

Examples:

  scratchpad files edit plan.md Tuesday Wednesday
  scratchpad files edit todo.md -- '' '- [ ] release'

= files ls
Examples:

  scratchpad files ls notes/
  scratchpad files ls --deleted

= files cat
The output is exact if it goes to a file or a pipe. A terminal shows control characters as \u001b.

Examples:

  scratchpad files cat plan.md
  scratchpad files cat plan.md --version 1
  scratchpad files cat plan.md --from-line 2 --to-line 3
  scratchpad files cat runbook.md --section 'Rotate the TLS certificates'

= files write
If the file has more than --max-versions versions, the oldest are removed. Without the flag, the
command keeps as many versions as there are, because a server may have a higher limit.

Examples:

  scratchpad files write plan.md < plan.md
  scratchpad files write notes/todo.md todo.md --if-version 0

= files edit
Put -- before a text that begins with a dash. As many versions are kept as by files write.

Examples:

  scratchpad files edit plan.md Tuesday Wednesday --all
  scratchpad files edit todo.md -- '- [ ] test' '- [x] test'
  scratchpad files edit todo.md -- '' '- [ ] release'

= files diff
The output is a unified diff, which patch understands. To see which versions are kept, run
scratchpad files history.

Examples:

  scratchpad files diff plan.md
  scratchpad files diff plan.md 1 3 --context 0

= files summarize
The file must have more than 8,000 characters. The summary is kept until the file changes, for
this command and for the agent's tool summarize_file. Standard error says what made the summary, and whether
it was kept from before.

If $ANTHROPIC_API_KEY or $OPENAI_API_KEY is set, the file goes to that provider. --summarizer outline keeps it
here. For other models, see scratchpad help flags.

Examples:

  scratchpad files summarize report.md
  scratchpad files summarize report.md --summarizer outline --json

= files history
The oldest version comes first. As many as --max-versions are kept. A version whose text was
removed shows when that was, and by whom. Of a deleted file, the last row says the same, and until when
scratchpad files restore brings it back. To compare two versions, run scratchpad files diff.

Examples:

  scratchpad files history plan.md

= files restore
The content of the version is stored as the next version. The present version is kept. To see
which versions are kept, run scratchpad files history.

A deleted file comes back the same way, without a version as it was in the end. scratchpad files ls
--deleted lists the files that can come back.

Examples:

  scratchpad files restore plan.md 1
  scratchpad files restore draft.md

= files redact
Without a version, the command looks for secrets of known form, such as API keys. It writes a new version with
[redacted: KIND] in the place of each, and removes the text of every kept version that has one, also of a deleted
file. --text does so with your text; others can see a command line, but not the standard input of --text -, which
needs --yes. With a version, the text of that version is removed. Its number, author and time stay, with a note of
who removed the text and when.

The command cannot reach copies elsewhere: backups, exports, copies of the database from before a migration,
and what agents have read already. PostgreSQL keeps the old bytes until VACUUM FULL versions has run, and
longer in its write-ahead log and its replicas. So replace a password or a key that was written, too.

Examples:

  scratchpad files redact plan.md
  scratchpad files redact plan.md --text hunter2
  scratchpad files redact plan.md 2 --yes

= files mv
The versions go along. The content is also stored as a new version at the new path, so that
whoever follows the file sees the move. If there was a file at the new path before, versions with numbers that
it has used stay at the old path, as those of a deleted file. A log of the same name stays.

Examples:

  scratchpad files mv draft.md notes/draft.md

= files rm
If one of the files does not exist, it deletes nothing. A log of the same name stays.

The versions of a deleted file are kept for the time of --keep-deleted, and scratchpad files restore
brings it back. With --for-good, or --keep-deleted 0, the versions go too, and the command asks first.

Examples:

  scratchpad files rm draft.md
  scratchpad files rm draft.md --for-good --yes

= logs
Examples:

  scratchpad logs append decisions 'test before resting'
  scratchpad logs cat checks --where 'host=web-07 failed>100' --count

= logs ls
Examples:

  scratchpad logs ls runs/

= logs cat
Each entry has its number, its time and its text; further lines of the text are indented. With
--json, each entry is a line of JSON.

--where chooses entries that are JSON objects. Up to 10 conditions must hold, each a field, an operator
and a value: = != < <= > >=, or ~ for a part of the text in any case. A value with spaces is in double quotes,
with \" for a quote in it. a.b is the field b of the object a.

A text compares as text, or as a time such as 2026-11-28 if both are times, and a number with a number. A field
that is missing, an array and an object never match, nor does an entry with a name twice in one object.

Examples:

  scratchpad logs cat decisions --since 1
  scratchpad logs cat decisions --tail 5 --json
  scratchpad logs cat checks --where 'host=web-07 failed>100' --count

= logs append
The first entry makes the log. Put -- before a text that begins with a dash.

Examples:

  scratchpad logs append decisions 'test before resting'
  scratchpad logs append deploys 'v1.4 to production' --once
  scratchpad logs append decisions < notes.txt
  scratchpad logs append runs/1 --lines < app.log

= logs tail
Examples:

  scratchpad logs tail decisions
  scratchpad logs tail decisions -n 3 --json
  scratchpad logs tail decisions -f

= logs redact
Use it for a secret that should never have been written. The text of the entry is removed for good. Its number,
author and time stay. The command asks first. It cannot reach copies elsewhere, as files redact --help says.

Examples:

  scratchpad logs redact checks 7

= logs rm
The command asks first. It does not delete a log that gets entries while it asks. If one of the
logs does not exist, it deletes nothing. A file of the same name stays.

Examples:

  scratchpad logs rm runs/1 --yes
  scratchpad logs rm decisions --through 1 --yes

= changes
There is one line for each path, and with --all one for each change. The answer ends with the revision
for --since the next time.

Examples:

  scratchpad changes --since 0 --diffs
  scratchpad changes --all --prefix notes/plan.md
  scratchpad changes --follow

= search
Passages with more of the words come first. A word also finds its English forms and longer words, and a
date its other forms. "a phrase" must occur; -word and -"a phrase" must not. Put -- before a query that begins with
a dash.

A hit is path:line or log#entry. plan.md@3:7 is line 7 of version 3.

Examples:

  scratchpad search '"a note" -draft' --prefix notes/
  scratchpad search --regexp 'Mon|Tue' --kind file

= agents ls
The agents of one tenant are listed: those of local, or of --tenant. PROJECT is the folder of the
project that the agent belongs to. NAME is the name that a client of the Memory Stores API gave the agent.

Examples:

  scratchpad agents ls

= agents rm
The command shows what the agent has and asks first. If it is interrupted, run it again.

Examples:

  scratchpad agents rm reviewer --yes

= projects ls
A project is a repository of git, with its worktrees. Its memory is that of an agent with the name of its
folder. Commands in the folder use it, and so does scratchpad mcp --project. It begins when something is first
stored. Then an id is written into the file scratchpad in git's directory, so that the folder may be moved.
Outside of repositories is the memory for everything, the agent default.

LAST USE is when something was last written. ORIGIN is the address of the remote named origin.

Examples:

  scratchpad projects

= projects set
The nearest folder that was set decides, also above a repository. So the parts of a large repository can have
memories of their own, and two repositories can share one. What is stored already stays under its agent's name.

Examples:

  scratchpad projects set ~/mono/api mono-api
  scratchpad projects set ~/shop-tests shop

= projects off
A server for such a folder lists no tools, and says so. Other commands in the folder need --agent. What is
stored already stays.

Examples:

  scratchpad projects off ~/secret

= projects join
The working folder must be in a repository whose origin is that of another project, such as a second clone.
The two share one memory from then on. It is refused if this folder's own memory holds something. Then give it
the other one with scratchpad projects set, which leaves its own memory under its name, or take what it holds
along with scratchpad export and import, where a file of the same path becomes the newest version.

Examples:

  scratchpad projects join

= projects forget
What projects set or off has said of the folder goes first. Forget it again, and the repository is no project
any more: its id is removed. What is stored stays under the name of its agent, for --agent and projects set.
The worktrees of a repository and its copies lose the memory with it. projects set gives one of them another.

Examples:

  scratchpad projects forget ~/old/shop --yes

= brief
It prints the text of START.md, and paths, numbers and dates of the rest. A mark is moved after the brief was
printed. The first brief of a mark shows what is there. To let each session of Claude Code begin with a brief,
run scratchpad setup --client claude-code.

Examples:

  scratchpad brief
  scratchpad brief --mark mine --tokens 1000 --brief-text 0

= hook
scratchpad setup adds it to clients. The client writes the event to standard input, as JSON. The answer has the
text of START.md, and what has changed since the last session of that client, in the shape that the client takes.
Other events than the start of a session get no answer.

It succeeds in any case, within a second. Standard error says what is wrong. SCRATCHPAD_AGENT is ignored: the
folder of the session says whose memory it is.

Examples:

  echo '{"hook_event_name":"SessionStart"}' | scratchpad hook
  scratchpad hook --brief-text 0

= stats
Examples:

  scratchpad stats --agent reviewer`
