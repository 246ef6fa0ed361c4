package outline_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/outline"
)

// What a program says about itself is no directive and not who wrote it.
func TestOutlineAbout(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.js", "'use strict'\n\nconst a = require('b')\n", ""},
		{"a.js", "'use strict'\n\n// Reads ranges. And more.\n\nconst a = 1\n", "Reads ranges."},
		{"a.js", "\"use strict\";\n// Reads ranges.\n\nconst a = 1\n", "Reads ranges."},
		{"a.js", "// Reads ranges.\n'use strict'\n", "Reads ranges."},
		{"a.rb", "# frozen_string_literal: true\n\n# Reads ranges.\n\nclass A\nend\n", "Reads ranges."},
		{"a.rb", "# encoding: utf-8\n# frozen_string_literal: true\n# Reads ranges.\n\nclass A\nend\n", "Reads ranges."},
		{"a.rb", "# frozen_string_literal: true\n\nclass A\nend\n", ""},
		{"a.py", "# Author: A. B. <a@b.c>\n# New maintainer: C.\n\n\"\"\"Reads ranges.\n\nAnd more.\n\"\"\"\n", "Reads ranges."},
		{"a.py", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nr'''\nReads ranges.\n'''\nx = 1\n", "Reads ranges."},
		{"a.py", "# Reads ranges.\n\nimport os\n", "Reads ranges."},
		{"a.py", "# Copyright A.\n\nimport os\n\n\"\"\"No.\"\"\"\n", ""},
	} {
		for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "\r\n")} {
			got := outline.Text(c.path, text, 0)
			_, got, _ = strings.Cut(got, "about: ")
			if got, _, _ = strings.Cut(got, "\n"); got != c.want {
				t.Errorf("%q: about %q, want %q", text, got, c.want)
			}
		}
	}
}
