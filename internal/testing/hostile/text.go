package hostile

import "strings"

// characters do not show, show elsewhere, or show too much.
func characters() []Case {
	var control strings.Builder
	for c := range rune(0xa0) {
		if c < ' ' || c > '~' {
			control.WriteString("a" + string(c))
		}
	}
	return []Case{
		{"control-all", control.String()},
		{"nul", "before\x00after\x00\x00<b\x00>"},
		{"ansi", "\x1b[2J\x1b[31mred\x1b]0;hostile\x07\x1b]8;;https://beacon.invalid/\x07link\x1b]8;;\x07\u009b31m"},
		{"backspace", "safe\b\b\b\bhostile\x7f\x7f"},
		{"carriage-return", "rm -rf /\recho safe\r\r\n\n\r"},
		{"line-separators", "a\u2028b\u2029c\u0085d\ve\ff"},
		{"bidi-override", "invoice\u202egnp.exe\u202c"},
		{"bidi-source", "if admin {\u202e \u2066// only for admins\u2069 \u2066"},
		{"bidi-isolates", strings.Repeat("\u2067", 200) + "x" + strings.Repeat("\u2069", 10)},
		{"bidi-marks", "a\u200eb\u200fc\u061cd"},
		{"rtl-words", "שלום (hostile) 123 مرحبا ABC!"},
		{"zero-width", "pass\u200bword\u2060\ufeffx\u00ady\u180ez"},
		{"joiners", "a\u200db\u200cc\u200d\u200c\u200d\u200c👩\u200d👩\u200d👧\u200d👦"},
		{"tags", "x\U000e0001\U000e0068\U000e006f\U000e0073\U000e0074\U000e0069\U000e006c\U000e0065\U000e007fy"},
		{"selectors", "😀\ufe00\ufe0e\U000e0158\U000e0159\U000e0162a\ufe0f"},
		{"fillers", "\u3164\u115f\u1160\uffa0\u17b4\u2800\u034f"},
		{"spaces", "a\u00a0b\u2003c\u3000d\u1680e\u202ff"},
		{"private-use", "\ue000\uf8ff\U000f0000\U0010fffd"},
		{"noncharacters", "\ufdd0\ufffe\uffff\U0001fffe\U0010ffff"},
		{"interlinear", "\ufff9a\ufffab\ufffb\ufffc\ufffd"},
		{"zalgo", "h" + strings.Repeat("\u0300\u0316\u0334\u0489", 100) + "ostile" + strings.Repeat("\u20dd", 50)},
		{"combining-first", "\u0338\u0301\u20e0><\u0338b>"},
		{"long-grapheme", strings.Repeat("👩\u200d", 500) + "👩" + "\u1100" + strings.Repeat("\u1161", 500)},
		{"flags", strings.Repeat("🇦", 999)},
		{"long-word", strings.Repeat("W", 20_000)},
		{"long-unbreakable", strings.Repeat("\u00a0\u2011", 5_000)},
		{"many-lines", strings.Repeat("\n", 5_000)},
		{"tabs", strings.Repeat("\t", 500) + "x"},
		{"wide", strings.Repeat("﷽𒐫", 200)},
		{"homograph", "аdmin раssword ѕсоре ℮xample Ωmega ⅼog 𝐚𝐠𝐞𝐧𝐭"},
		{"fullwidth", "＜script＞alert(＇hostile＇)＜/script＞ ＂ onclick＝x"},
		{"best-fit", "‹script›alert(ʼhostileʼ)‹∕script› ﹤b﹥ \u2033x"},
		{"arabic-crash", "لُلُصّبُلُلصّبُررً ॣ ॣh ॣ ॣ 冗 \u0c1c\u0c4d\u0c1e\u200c\u0c3e"},
		{"case-growth", "ŉ ß İ ﬃ Ⱥ " + strings.Repeat("ΐ", 100)},
		{"emoji-modifiers", "👍🏿👍🏿🏿🏿 1\ufe0f\u20e3 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"},
	}
}

// markdown tries to get more out of a renderer than it should give.
func markdown() []Case {
	return []Case{
		{"md-javascript", `[x](javascript:alert('hostile'))`},
		{"md-javascript-case", `[x](JaVaScRiPt:alert('hostile')) [y](  javascript:alert(1))`},
		{"md-javascript-entity", `[x](javascript&colon;alert('hostile')) [y](&#x6A;avascript&#58;alert(1)) [z](&#1;javascript:alert(1))`},
		{"md-javascript-tab", "[x](<java\tscript:alert('hostile')>) [y](java&Tab;script:alert(1)) [z](java&NewLine;script:alert(1))"},
		{"md-javascript-escape", `[x](javascript\:alert\('hostile'\)) [y](\javascript:alert(1)) [z](java%0ascript:alert(1))`},
		{"md-javascript-angle", `<javascript:alert('hostile')> <JAVASCRIPT:alert(1)> <javascript&colon;x>`},
		{"md-javascript-reference", "[x]\n\n[x]: javascript:alert('hostile') \"t\""},
		{"md-javascript-comment", `[x](javascript://example.com/%0aalert('hostile'))`},
		{"md-data", `[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgnaG9zdGlsZScpPC9zY3JpcHQ+) ![y](data:image/svg+xml,<svg onload=alert(1)>)`},
		{"md-vbscript", `[x](vbscript:msgbox(1)) [y](file:///etc/passwd) [z](blob:https://example.com/1) [m](mailto:a@example.com) [n](tel:1)`},
		{"md-protocol-relative", `[x](//beacon.invalid/) [y](/\beacon.invalid) [z](\\beacon.invalid) [w](https:beacon.invalid) [v](///beacon.invalid)`},
		{"md-userinfo", `[x](https://example.com@beacon.invalid/) [y](https://example.com\@beacon.invalid/)`},
		{"md-absolute-path", `[sign out](/signout) [delete](/a/x/files/y?do=delete) [up](../../../../keys) [dot](.//beacon.invalid)`},
		{"md-query", `[x](?do=delete&token=hostile) [y](#main) [z](;hostile)`},
		{"md-quote-destination", `[x](https://example.com/"onclick="alert('hostile')) [y](<https://example.com/' onclick='alert(1)>)`},
		{"md-title", `[x](https://example.com/ "\" onclick=\"alert('hostile')") [y](https://example.com/ '&quot; onclick=&quot;alert(1)')`},
		{"md-bidi-link", "[safe](https://example.com/\u202egnp.exe) [z\u200bw](https://example.com/\u200b)"},
		{"md-image-beacon", `![x](https://beacon.invalid/i.png "t") ![y][r]` + "\n\n[r]: https://beacon.invalid/r.png"},
		{"md-image-own", `![x](/hostile.png) ![y](hostile.png) ![z](../raw/hostile.svg)`},
		{"md-image-alt", `![x" onerror="alert('hostile')](x.png) ![<script>alert(1)</script>](y) ![![[a](b)](c)](d)`},
		{"md-image-link", `[![badge](https://beacon.invalid/b.svg)](https://example.com/)`},
		{"md-nested-link", `[a [b](https://example.com/b) c](https://example.com/a) [![i](x)[y](z)](w)`},
		{"md-empty-link", `[](https://example.com/) [ ](https://example.com/) ![]() []() [&#8203;](https://example.com/)`},
		{"md-autolink", `<https://example.com/"onclick="alert('hostile')> https://example.com/<script>alert(1)</script> www.example.com"onclick=x`},
		{"md-autolink-mail", `<a@example.com> a@example.com <"onclick=alert(1)"@example.com>`},
		{"md-autolink-long", "https://example.com/" + strings.Repeat("a", 5_000)},
		{"md-html-block", "<div onclick=\"alert('hostile')\">\n\n**x**\n\n</div>\n\n<script>\nalert('hostile')\n</script>"},
		{"md-html-inline", `a <b onmouseover="alert('hostile')">b</b> <img src=x onerror=alert(1)> <a href="javascript:alert(1)">c</a>`},
		{"md-html-split", "<img src=x\nonerror=alert('hostile')>\n\n<a\nhref=javascript:alert(1)\n>x</a>"},
		{"md-html-comment", "<!-- -->\n<!--\n<script>alert('hostile')</script>\n-->\n<!-->x--><?x?><!X><![CDATA[x]]>"},
		{"md-html-blank", "<table><tr><td>\n\n<script>alert('hostile')</script>\n\n</td></tr></table>"},
		{"md-entities", `&lt;script&gt;alert('hostile')&lt;/script&gt; &#60;b&#62; &#x3c;b&#x3e; &amp;lt; &#0; &#xD800; &#x110000; &#8238;x &zwnj;`},
		{"md-fence-info", "```\"><script>alert('hostile')</script>\nx\n```\n\n~~~ js onclick=alert(1) class=hostile\ny\n~~~"},
		{"md-fence-escape", "```\n</code></pre><script>alert('hostile')</script>\n```\n`</code><script>alert(1)</script>`"},
		{"md-heading-id", "# main\n# token {#document .hostile onclick=alert(1)}\n# <img src=x>\n# __proto__\n# main\n# constructor"},
		{"md-heading-jump", "###### deep\n# \n#\n## a\n###### b\n\nSetext\n===\n\n&#8203;\n---"},
		{"md-attributes", "text {onclick=alert(1) id=main}\n{: #hostile .hostile style=\"display:none\"}"},
		{"md-task", "- [ ] a\n- [x] <b>\n- [x](javascript:alert(1))\n  - [X] \"onclick=x\n1. [ ] [ ] c"},
		{"md-list-start", "999999999. x\n\n-1. y\n\n0) z"},
		{"md-table", "| <script>alert('hostile')</script> | |\n|:-|-:|\n| `</td>` \\| x | [x](javascript:alert(1)) |\n| only |\n| a | b | c | d |"},
		{"md-footnote", "x[^1] y[^<script>]\n\n[^1]: </div><script>alert('hostile')</script>\n[^<script>]: z"},
		{"md-math", `$$\href{javascript:alert('hostile')}{x}$$ \(\unicode{x}\) :tada: @user #1 [[wiki]] ==mark==`},
		{"md-front-matter", "---\ntitle: <script>alert('hostile')</script>\n---\n\n# x\n\n[toc]\n[[_TOC_]]\n{{< hostile >}}"},
		{"md-mermaid", "```mermaid\ngraph LR; A[\"<img src=x onerror=alert('hostile')>\"]; click A href \"javascript:alert(1)\"\n```"},
		{"md-control", "# a\x00b\n\n[x\x00](https://example.com/\x00) `\x1b[31m` **\u202ebold**\r\n\r\n> q\x0c"},
		{"md-reference-proto", "[__proto__] [constructor] [x]\n\n[__proto__]: https://example.com/p\n[constructor]: javascript:alert(1)\n[x]: <>"},
	}
}

// blocks cost a careless renderer much time or a deep page.
func blocks() []Case {
	return []Case{
		{"deep-quotes", strings.Repeat(">", 10_000) + " x"},
		{"deep-brackets", strings.Repeat("[", 10_000) + "x" + strings.Repeat("](y)", 10_000)},
		{"deep-emphasis", strings.Repeat("*a _b ", 5_000) + strings.Repeat("c_ d* ", 5_000)},
		{"deep-lists", strings.Repeat("- ", 5_000) + "x"},
		{"deep-html", strings.Repeat("<div><b>", 5_000)},
		{"many-references", "[a]: https://example.com/" + strings.Repeat("b", 5_000) + "\n\n" + strings.Repeat("[a] ", 5_000)},
		{"many-backticks", backticks(200)},
		{"wide-table", strings.Repeat("|a", 2_000) + "|\n" + strings.Repeat("|-", 2_000) + "|\n" + strings.Repeat("|\n", 2_000)},
	}
}

// backticks returns runs of 1 to n backticks, none of which closes another.
func backticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("e" + strings.Repeat("`", i+1))
	}
	return b.String()
}
