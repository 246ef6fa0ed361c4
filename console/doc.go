// Package console is where people look into the memory of agents: pages in a browser that
// show what is there, how it came about, and let a person put it right.
//
//	pages, err := console.New(console.Options{Version: "1.4.0", People: people})
//	http.Handle("/", pages)
//
// A [Handler] has no listener and knows no credential. Whoever serves it says who sends a
// request ([People]), and must refuse foreign names in the Host header on a loopback
// address. The handler does the rest: sessions in a cookie, protection against requests of
// other sites, security headers, limits on memory and on open pages.
//
// The pages are HTML from package html/template with one stylesheet and one script, all
// from the origin itself. The script adds live updates and the keyboard; everything else
// works without it. What agents have stored is data: it never becomes markup.
package console

// Where to begin:
//
//   - options.go has what a server gives to the console, handler.go the routes.
//   - visit.go finds out who sends a request and what that person may do. internal/guard has
//     the headers, the cookie and the token of forms, internal/room bounds memory, and
//     internal/sent lets a form count once.
//   - page.go turns the data of a page into HTML, with templates/layout.html around each
//     page's own template. fail.go words errors.
//   - Each page has a file of its own: agents.go, agent.go, file.go and so on.
//   - What pages are made of is in packages below internal. visible and markdown show texts,
//     words and diffrow differences, comparison and linecount help them. filetree,
//     sourceline and logline write long lists, textfield keeps the bytes of a file that is
//     edited, and format words figures and times.
