package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	urlpath "path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// registry is the module of the MCP registry. It has the schema of server.json.
const registry = "github.com/modelcontextprotocol/registry@v1.8.8"

// TestDeploySchemas checks the files of deploy against the schemas of those who read them,
// and that each schema can refuse.
func TestDeploySchemas(t *testing.T) {
	apify := filepath.Join("node_modules", "@apify", "json_schemas", "schemas")
	for _, c := range []struct{ file, schema, wrong string }{
		{"server.json", filepath.Join(moduleDir(t, registry), "internal", "validators", "schemas", "2025-12-11.json"), `"name"`},
		{"apify/.actor/actor.json", filepath.Join(apify, "actor.schema.json"), `"actorSpecification"`},
		{"apify/.actor/input_schema.json", filepath.Join(apify, "input.schema.json"), `"schemaVersion"`},
	} {
		t.Run(urlpath.Base(c.file), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, "deploy", filepath.FromSlash(c.file)))
			testkit.Must(t, err)
			if err := validate(t, c.schema, text); err != nil {
				t.Errorf("deploy/%s: %v", c.file, err)
			}
			if validate(t, c.schema, bytes.Replace(text, []byte(c.wrong), []byte(`"x"`), 1)) == nil {
				t.Errorf("%s accepts a file without %s, so that it says nothing", c.schema, c.wrong)
			}
		})
	}
}

// validate checks a text against a schema. Schemas that it refers to are beside it.
func validate(t *testing.T, schema string, text []byte) error {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(beside(filepath.Dir(schema)))
	compiled, err := compiler.Compile("file:///" + filepath.Base(schema))
	testkit.Must(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// beside loads schemas from a folder, by the last element of their URL. Apify's schemas
// name each other without .schema and with hyphens.
type beside string

func (dir beside) Load(url string) (any, error) {
	name := strings.ReplaceAll(urlpath.Base(url), "-value", "_value")
	text, err := os.ReadFile(filepath.Join(string(dir), name))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(string(dir), strings.ReplaceAll(strings.TrimSuffix(name, ".json"), "-store", "_store")+".schema.json"))
	}
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// moduleDir returns the folder of a module in the module cache.
func moduleDir(t *testing.T, version string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", version)
	cmd.Dir = t.TempDir() // outside of any module
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if err != nil || json.Unmarshal(out, &m) != nil || m.Dir == "" {
		t.Fatalf("go mod download %s: %v: %s", version, err, m.Error)
	}
	return m.Dir
}
