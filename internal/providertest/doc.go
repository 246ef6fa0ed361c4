// Package providertest has fake model providers for tests. A fake provider runs on the
// local host. It answers with prepared replies, and rejects what the real one rejects,
// in the same words. A conversation that was cut in the wrong place, that lost a result,
// or whose reasoning was changed, fails a test as it would fail in use.
//
//	srv := providertest.Anthropic(
//		providertest.Reply{Thinking: "…", Calls: []providertest.Call{{Name: "bash", Arguments: `{"command":"ls"}`}}},
//		providertest.Reply{Text: "There are two files."},
//	)
//	defer srv.Close()
//	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"))
//
// The Validate functions do the same check without a server.
//
// [Conversation] returns random conversations that a provider accepts, and [Mutations]
// returns ways to spoil them.
//
// The comment of a rule names its source: a page of the provider's documentation, or a
// public thread that quotes the error (owner/repository#number). If a rule depends on
// the model, the name is read as the provider writes it, such as claude-opus-4-5 or
// gemini-3-pro-preview.
//
// # Signatures
//
// A provider signs the model's reasoning, and checks that it comes back unchanged. Here
// the signatures are made with a fixed key, so that a test can make them too:
// [Signature], [BoundSignature] and [RedactedData] for Anthropic, [EncryptedContent] for
// the Responses API, [ThoughtSignature] for Gemini.
//
// The ids of Responses items say which items came together: see [ReasoningID],
// [FollowingID] and [LoneID].
package providertest
