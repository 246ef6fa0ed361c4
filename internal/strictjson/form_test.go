package strictjson_test

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

func ExampleForm() {
	form := strictjson.Form{Whole: "the arguments", Part: "argument", Fields: []strictjson.Field{
		{Name: "path", Kind: "string", Required: true},
		{Name: "limit", Kind: "integer"},
	}}
	for _, text := range []string{
		`{"path":"notes.md","limit":"5"}`, `{"path":"a","p\u0061th":"b"}`, `{"Path":"a"}`, `{"path":"\ud800"}`, `{}`, `[]`, `{`,
	} {
		object, _, err := strictjson.Parse([]byte(text))
		if err != nil {
			fmt.Println("this is", err)
			continue
		}
		values, err := form.Read(object)
		fmt.Println(values.Text("path"), values.Integer("limit"), err)
	}
	// Output:
	// notes.md 5 <nil>
	//  0 argument path is given twice; give it once
	//  0 unknown argument Path; it is spelled path
	//  0 argument path holds half of a surrogate pair (\ud800-\udfff alone), which is not text; send the whole character
	//  0 argument path is missing; give it as a string
	//  0 the arguments must be a JSON object, such as {}
	// this is not valid JSON
}
