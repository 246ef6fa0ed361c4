// Package providertest has fake model providers for tests. A fake provider runs on the
// local host, and answers with prepared replies. It accepts every conversation: a test gives
// what was sent to conversation.Check.
//
//	srv := providertest.Anthropic(
//		providertest.Reply{Thinking: "…", Calls: []providertest.Call{{Name: "bash", Arguments: `{"command":"ls"}`}}},
//		providertest.Reply{Text: "There are two files."},
//	)
//	defer srv.Close()
//	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"))
//
// [Conversation] returns random conversations that a provider accepts, and [Mutations]
// returns ways to spoil them. What the providers say to spoilt ones is in
// conversation/refusals_test.go, with its sources.
package providertest
