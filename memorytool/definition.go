package memorytool

import (
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
)

// Definition returns the definition of the tool for MessageNewParams.Tools. Claude was
// trained on it, and needs no description and no beta header. The caller may set further
// fields of its OfMemoryTool20250818, such as CacheControl.
func Definition() anthropic.ToolUnionParam {
	return anthropic.ToolUnionParam{OfMemoryTool20250818: &anthropic.MemoryTool20250818Param{}}
}

// BetaDefinition is like [Definition], for BetaMessageNewParams.Tools. The tool runner
// keeps it, and finds the [Tool] by its name.
func BetaDefinition() anthropic.BetaToolUnionParam {
	return anthropic.BetaToolUnionParam{OfMemoryTool20250818: &anthropic.BetaMemoryTool20250818Param{}}
}

// Schema returns the JSON Schema of a command, for models and clients that do not know the
// tool. The caller may change the result.
func Schema() json.RawMessage { return memorycommand.InputSchema() }

// Name returns [Name].
func (t *Tool) Name() string { return Name }

// Description returns what the tool does, for models that do not know the tool. The tool
// runner does not send it if it has the [BetaDefinition].
func (t *Tool) Description() string { return memorycommand.Description() }

// InputSchema returns [Schema] as the SDK's type.
func (t *Tool) InputSchema() anthropic.BetaToolInputSchemaParam {
	var schema anthropic.BetaToolInputSchemaParam
	if err := schema.UnmarshalJSON(Schema()); err != nil {
		panic(fmt.Sprintf("memorytool: the schema is not one: %v", err)) // it is a constant
	}
	return schema
}
