// Package providertest serves a model provider on the local host, for tests: it
// answers with prepared replies and refuses what the provider refuses, in the
// provider's words. A conversation that was cut in the wrong place, lost a
// result, or carries reasoning that was changed, fails a test as it would fail
// in use.
//
//	srv := providertest.Anthropic(
//		providertest.Reply{Thinking: "…", Calls: []providertest.Call{{Name: "bash", Arguments: `{"command":"ls"}`}}},
//		providertest.Reply{Text: "There are two files."},
//	)
//	defer srv.Close()
//	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"))
//
// The Validate functions are the same check without a server.
//
// A rule names where it was read: a page of the provider's documentation, or a
// public thread that quotes the error (owner/repository#number). Where a model's
// name decides, it is read as the provider writes it: claude-opus-4-5,
// gemini-3-pro-preview.
//
// # Signatures
//
// A provider signs the model's reasoning, and checks that it comes back as it
// was. Here the signatures are made with a fixed key, so that a test can make
// them too: [Signature], [BoundSignature] and [RedactedData] for Anthropic,
// [EncryptedContent] for the Responses API, [ThoughtSignature] for Gemini.
//
// The items of a Responses answer belong together by their ids: see
// [ReasoningID], [FollowingID] and [LoneID].
//
// The package knows nothing of the module's own types.
package providertest
