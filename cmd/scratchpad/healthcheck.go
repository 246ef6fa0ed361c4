package main

import (
	"errors"
	"os"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/observe/health"
)

type healthcheckCommand struct {
	Addr    string        `env:"SCRATCHPAD_ADDR" placeholder:"ADDR"`
	TLSCert string        `name:"tls-cert" env:"SCRATCHPAD_TLS_CERT" type:"path" placeholder:"FILE"`
	Timeout time.Duration `default:"5s" placeholder:"TIME" help:"How long to wait. Default: ${default}."`
}

type healthRecord struct {
	Ready bool   `json:"ready"`
	URL   string `json:"url"`
}

// Run asks the server.
func (c healthcheckCommand) Run(p *process) error {
	url, err := health.Ask(p.ctx, health.Options{Addr: c.Addr, Port: os.Getenv("PORT"), Certificate: c.TLSCert,
		Timeout: c.Timeout})
	if err != nil && !errors.Is(err, health.ErrNotReady) {
		return invalid("%v", err)
	}
	if err != nil {
		return err
	}
	return p.say(healthRecord{true, url}, "ready: %s", url)
}
