// Package console shows people the memory of agents: pages in a browser that show what is
// stored and how it changed, and let a person correct it.
//
//	pages, err := console.New(console.Options{Version: "1.4.0", People: people})
//	http.Handle("/", pages)
//
// A [Handler] has no listener and checks no credentials. The server that uses a Handler says
// who sends a request ([People]). On a loopback address, the server must refuse requests
// with a foreign name in the Host header. The Handler does the rest: sessions in a cookie,
// protection against requests of other sites, security headers, and limits on memory and on
// open pages.
//
// The pages are HTML from package html/template with one stylesheet and one script, all from
// the same origin. The script adds live updates and keyboard shortcuts. Everything else
// works without the script. Text that agents have stored never becomes markup.
package console

// Where to begin:
//
//   - options.go has what a server gives to the console, handler.go the routes.
//   - visit.go finds out who sends a request and what that person may do. guard.go has the
//     headers, the cookie and the token of forms, internal/admission bounds memory, and sent.go
//     lets a form count once.
//   - page.go turns the data of a page into HTML, with templates/layout.html around each
//     page's own template. fail.go words errors, and format.go figures and times.
//   - Each page has a file of its own: agents.go, agent.go, file.go and so on. filetree.go
//     has the folders of the table of files, comparison.go the addresses of pages that
//     compare versions, diffrow.go their rows, and textfield.go the way of a file through a
//     text field.
//   - The packages below internal know no page: text shows what somebody else wrote, diff
//     says which lines and words differ, and markdown makes HTML of Markdown.
