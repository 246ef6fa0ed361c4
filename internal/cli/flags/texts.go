package flags

// HelpTexts are the help of flags that does not fit into a tag: the name, and on the next lines
// the text. Empty lines separate them. Those of limits are made by [Describe].
const HelpTexts = `summarizer
What makes summaries. outline: this program lists headings and definitions. anthropic, openai: a model
reads the file. off: there are none. auto: a model if $ANTHROPIC_API_KEY or $OPENAI_API_KEY is set,
otherwise outline.

summary-base-url
Another server with the provider's API, such as http://localhost:11434/v1 for Ollama with --summarizer
openai.

summary-timeout
Time for each call of the model, with its retries. Default: ${default}.

summary-window
Tokens of a file in each call of the model. A longer file is read in parts. Default: 120000; 24000 with
another base URL; 3000 with a local one.

summary-tokens-per-month
Tokens that a model may read and write for each agent's summaries in a month. 0, the default: no limit.

summary-allow-private
Allow --summary-base-url to have a private or link-local address, such as 169.254.1.1.

db-connections
The most connections that this process opens for calls. Two more watch for changes. Default: ${default}.

commit-wait
How long a caller waits for the server to confirm a commit. After that the caller is told that the outcome
is unknown; the commit goes on. Default: ${default}.

lock-timeout
How long a call waits for a lock, for its turn or for a connection. Default: ${default}.

idle-timeout
After how long the server ends a transaction that does nothing. Default: ${default}.

statement-timeout
After how long a statement fails. A COMMIT has no such limit. Default: ${default}.`
