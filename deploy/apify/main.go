package main

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log := slog.New(slog.NewTextHandler(os.Stdout, nil)) // the platform keeps standard output as the log of the run
	err := run(ctx, os.Getenv, log, nil)
	stop()
	if err != nil {
		log.Error("stopped", "error", err)
		os.Exit(1)
	}
}

const (
	mostConnections = 1024
	stopTime        = 10 * time.Second // for calls under way, and again for charges
)

// run serves until the context ends. getenv returns variables of the environment. ready, if
// not nil, is told the address.
func run(ctx context.Context, getenv func(string) string, log *slog.Logger, ready func(net.Addr)) (err error) {
	in, m, err := prepare(ctx, getenv, log)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		m.Close(ctx)
	}()
	summarizer, err := summarize.Choose("auto", in.environment(getenv),
		summarize.ProviderOptions{Model: in.SummaryModel})
	if err != nil {
		return err
	}
	file := cmp.Or(getenv("SCRATCHPAD_DB"), "/data/scratchpad.db")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, file, sqlite.Options{Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	svc, err := workspace.New(store, workspace.Options{Summarizer: summarizer})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Close(context.WithoutCancel(ctx))) }()
	server, err := mcpserver.New(mcpserver.Options{
		Bound: in.Agent != "", Version: version(), Logger: log, Summarizer: summarizer, Around: m.around,
		Caller: func(context.Context) string { return "user" }, // a run has one user, whom the platform has identified
		Workspace: func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			if in.Agent != "" && call.AgentID != "" && call.AgentID != in.Agent {
				return nil, workspace.Errorf(workspace.ErrInvalid,
					"agent_id is not the agent of this run; leave it out")
			}
			ws, err := svc.Agent(cmp.Or(in.Agent, call.AgentID))
			if err != nil {
				return nil, err
			}
			return ws, m.reserve(ctx, call)
		},
	})
	if err != nil {
		return err
	}
	defer server.Close()
	return serve(ctx, address(getenv), routes(server.Handler(), in.AccessKey), log, ready)
}

// prepare reads what the platform says of the run: its input, and what it may charge. On
// another machine there is no input, and nothing is charged.
func prepare(ctx context.Context, getenv func(string) string, log *slog.Logger) (in input, m *meter, err error) {
	if !atHome(getenv) {
		log.Warn("this is not the platform: nothing is charged, and only this machine is served")
		return input{Agent: "default"}, newMeter("", -1, nil, log), nil
	}
	p, err := newPlatform(getenv)
	if err != nil {
		return input{}, nil, err
	}
	var text []byte
	err = repeat(ctx, 4, func(ctx context.Context) (err error) {
		text, err = p.input(ctx, getenv("ACTOR_DEFAULT_KEY_VALUE_STORE_ID"), cmp.Or(getenv("ACTOR_INPUT_KEY"), "INPUT"))
		return err
	})
	if err != nil {
		return input{}, nil, fmt.Errorf("read the input of the run: %w", err)
	}
	if in, err = parseInput(text, getenv); err != nil {
		return input{}, nil, err
	}
	var may pricing
	err = repeat(ctx, 4, func(ctx context.Context) (err error) {
		may, err = p.pricing(ctx, getenv("ACTOR_MAX_TOTAL_CHARGE_USD"))
		return err
	})
	if err != nil {
		return input{}, nil, fmt.Errorf("read the pricing of the run: %w", err)
	}
	if !may.Charges {
		log.Warn("the Actor has no price for the event " + event + ": nothing is charged")
		return in, newMeter(p.run, -1, nil, log), nil
	}
	return in, newMeter(p.run, may.Most, p.charge, log), nil
}

// An input is what the user sets for a run. .actor/input_schema.json describes it.
type input struct {
	Agent        string `json:"agent"` // "": every call names its agent
	AnthropicKey string `json:"anthropicApiKey"`
	OpenAIKey    string `json:"openaiApiKey"`
	SummaryModel string `json:"summaryModel"`
	AccessKey    string `json:"accessKey"`
}

// parseInput decodes an input and decrypts its secrets. No input is the default one.
func parseInput(text []byte, getenv func(string) string) (input, error) {
	in := input{Agent: "default"}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &in); err != nil {
			return input{}, fmt.Errorf("the input of the run is not as its schema says: %w", err)
		}
	}
	if in.Agent != "" {
		if _, err := workspace.ParseAgentID(in.Agent); err != nil {
			return input{}, fmt.Errorf("input agent: %w", err)
		}
	}
	key, err := secretsKey(getenv("APIFY_INPUT_SECRETS_PRIVATE_KEY_FILE"),
		getenv("APIFY_INPUT_SECRETS_PRIVATE_KEY_PASSPHRASE"))
	if err != nil {
		return input{}, fmt.Errorf("APIFY_INPUT_SECRETS_PRIVATE_KEY_FILE: %w", err)
	}
	for name, field := range map[string]*string{"anthropicApiKey": &in.AnthropicKey, "openaiApiKey": &in.OpenAIKey,
		"accessKey": &in.AccessKey} {
		if *field, err = reveal(*field, key); err != nil {
			return input{}, fmt.Errorf("input %s: %w", name, err)
		}
	}
	return in, nil
}

// environment returns the environment of the run: the keys of its input come before those
// of the Actor. A run with a key of its own sees none of the Actor's.
func (in input) environment(getenv func(string) string) func(string) string {
	own := map[string]string{"ANTHROPIC_API_KEY": in.AnthropicKey, "OPENAI_API_KEY": in.OpenAIKey}
	return func(name string) string {
		if key, known := own[name]; known && (in.AnthropicKey != "" || in.OpenAIKey != "") {
			return key
		}
		return getenv(name)
	}
}

// address returns where the platform expects the server. Elsewhere it is on this machine only.
func address(getenv func(string) string) string {
	host := "127.0.0.1"
	if atHome(getenv) {
		host = ""
	}
	return net.JoinHostPort(host, cmp.Or(getenv("ACTOR_WEB_SERVER_PORT"), cmp.Or(getenv("ACTOR_STANDBY_PORT"), "4321")))
}

// routes returns the server: MCP at /mcp, and at / the answer to the platform's probe. If
// there is an access key, requests to /mcp must have it in the header X-Access-Key.
func routes(handler http.Handler, accessKey string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "Scratchpad: MCP is at /mcp")
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Access-Key")), []byte(accessKey)) == 0 {
			http.Error(w, "send the access key of this run in the header X-Access-Key", http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	})
	return mux
}

// serve serves until the context ends, and then lets the calls under way end.
func serve(ctx context.Context, address string, handler http.Handler, log *slog.Logger, ready func(net.Addr)) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	log.Info("serving MCP at /mcp", "address", listener.Addr().String())
	if ready != nil {
		ready(listener.Addr())
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(listener, mostConnections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
	}
	return nil
}

func atHome(getenv func(string) string) bool { return getenv("APIFY_IS_AT_HOME") == "1" }

// version returns the version of the module that the Go tool built in.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return ""
}
