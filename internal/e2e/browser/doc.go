// Package browser has only tests. People use the console of the real server in a real
// browser, Chromium, which chromedp drives.
//
//	cd internal/e2e && go test ./browser
//
// The tests need Go, Chromium (on Debian, apt-get install chromium fonts-dejavu-core), and
// npm for axe-core. With SCRATCHPAD_SHOTS set to a folder, they put screenshots there, also
// one of each tab at the end of a test that failed:
//
//	cd internal/e2e && SCRATCHPAD_SHOTS=/tmp/shots go test ./browser
//
// One browser serves all tests, and starts with the first tab. A test opens a tab of a
// person who was never here, and acts as a person does:
//
//	p := open(t, origin, view{width: 360, dark: true}) // or noScript
//	p.visit("/")                                       // waits until it has loaded
//	p.fill("textbox", "Key", key)                      // a field by its role and name
//	p.follow("button", "Sign in")                      // a click that leads to another page
//	p.see("Agents")                                    // waits until it is on screen
//	p.click("button", "Copy")                          // a click that does not
//	p.press("Tab", "/", "j", "Control+a")              // keys alone; enter leads to another page
//	p.review("agents")                                 // axe-core, the layout, screenshots:
//	                                                   // light and dark, 360, 768 and 1280 pixels wide
//
// A control is found in the accessibility tree. Its name is the wanted one, or begins with
// it and goes on with another word. There must be one: two controls that a person cannot
// tell apart fail the test, unless it says which of all or in which other control.
//
// At the end of a test each of these is a failure: an error or warning on the console, an
// exception, a report of the Content Security Policy, a dialog, a request to another origin,
// a request that failed or was answered with 400 or more, a window or a frame that was
// opened, a page that crashed. What must happen is said before:
//
//	p.expect("status: 409") // fails if it does not happen
//
// Besides, another opens a second tab of the same person. sent returns the requests. tabTo
// presses Tab until a control has the focus, and looks that each on the way shows it.
// download and copied return what a click saves and copies. A test that looks at a server
// that is away expects the requests that fail.
//
// Where to begin:
//
//   - page_test.go opens tabs, and has what is seen. act_test.go has what a person does.
//   - watch_test.go sees what goes wrong, and runs axe-core. layout_test.go finds what scrolls
//     sideways, short words that are broken, and texts over each other.
//   - harness_test.go checks that all this can fail.
//   - server_test.go starts servers, and writes as agents do.
//   - tour_test.go uses every page. task_test.go does a task by keys alone, and without
//     JavaScript. live_test.go has two servers, of which one goes away. hostile_test.go
//     shows what hostile agents write. refused_test.go has what must not work.
//
// With SCRATCHPAD_TEST=full, each hostile text has a page of its own, and each state of each
// page is seen in both themes at three widths, and not only in each of these once:
//
//	cd internal/e2e && SCRATCHPAD_TEST=full go test -timeout 60m ./browser
package browser
