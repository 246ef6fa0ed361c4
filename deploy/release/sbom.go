package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// The parts of CycloneDX 1.6 that a list of linked modules needs.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Ref      string          `json:"bom-ref"`
		Type     string          `json:"type"`
		Name     string          `json:"name"`
		Version  string          `json:"version"`
		Hashes   []hash          `json:"hashes,omitempty"`
		Licenses []licenseChoice `json:"licenses,omitempty"`
		PURL     string          `json:"purl"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licenseChoice struct {
		License license `json:"license"`
	}
	license struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// bom lists what the program contains, as the Go tool has written it into the program. The
// licences are those of NOTICE.
func (s source) bom(b build) ([]byte, error) {
	notice, err := os.ReadFile(filepath.Join(s.root, "NOTICE"))
	if err != nil {
		return nil, err
	}
	known := noticed(string(notice))
	main := component{
		Type: "application", Name: b.info.Main.Path, Version: s.tag, Licenses: []licenseChoice{{license{ID: "MIT"}}},
		Hashes: []hash{{"SHA-256", sum(b.binary)}}, PURL: purl(b.info.Path, s.tag),
	}
	goos, goarch, _ := strings.Cut(b.system, "/")
	main.PURL += "?goos=" + goos + "&goarch=" + goarch
	main.Ref = main.PURL
	list := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{s.time.Format(time.RFC3339), main}}
	golang := strings.TrimPrefix(b.info.GoVersion, "go")
	list.Components = []component{{Type: "library", Name: "std", Version: golang, PURL: purl("std", golang),
		Licenses: known["the Go standard library and runtime"]}}
	for _, m := range b.info.Deps {
		c, err := library(m, known)
		if err != nil {
			return nil, err
		}
		list.Components = append(list.Components, c)
	}
	refs := []string{}
	for i := range list.Components {
		list.Components[i].Ref = list.Components[i].PURL
		refs = append(refs, list.Components[i].Ref)
	}
	list.Dependencies = []dependency{{main.Ref, refs}}
	list.Serial = serial(b.binary)
	text, err := json.MarshalIndent(list, "", "  ")
	return append(text, '\n'), err
}

// library describes a module that is linked. The hash is that of go.sum.
func library(m *debug.Module, known map[string][]licenseChoice) (component, error) {
	if m.Replace != nil {
		return component{}, fmt.Errorf("module %s is replaced; a release has none such", m.Path)
	}
	h1, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(h1) != sha256.Size {
		return component{}, fmt.Errorf("module %s has the hash %q", m.Path, m.Sum)
	}
	licenses := known[m.Path+" "+m.Version]
	if licenses == nil {
		return component{}, fmt.Errorf("NOTICE does not list %s %s; run go run ./internal/notice >NOTICE", m.Path,
			m.Version)
	}
	return component{
		Type: "library", Name: m.Path, Version: m.Version, PURL: purl(m.Path, m.Version),
		Hashes: []hash{{"SHA-256", hex.EncodeToString(h1)}}, Licenses: licenses,
	}, nil
}

// noticed returns the licences in NOTICE, by module and version. A line of its list is
// "module version: licence, licence (file)".
func noticed(notice string) map[string][]licenseChoice {
	list, _, _ := strings.Cut(notice, "\n=====")
	known := map[string][]licenseChoice{}
	for line := range strings.Lines(list) {
		module, rest, ok := strings.Cut(strings.TrimSpace(line), ": ")
		names, _, ok2 := strings.Cut(rest, " (")
		if !ok || !ok2 {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			l := licenseChoice{license{ID: name}}
			if strings.Contains(name, " ") || name == "notice" { // not a name of SPDX
				l = licenseChoice{license{Name: name}}
			}
			if !slices.Contains(known[module], l) {
				known[module] = append(known[module], l)
			}
		}
	}
	return known
}

func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }

// serial makes the UUID of the list from the program, so that it is the same each time.
func serial(binary []byte) string {
	u := sha256.Sum256(binary)
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80 // version 8, for a UUID of one's own making
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
