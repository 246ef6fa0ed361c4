# The formula of Homebrew. A release fills in its tag and its commit.
class Scratchpad < Formula
  desc "Memory for AI agents: versioned files with diffs and append-only logs"
  homepage "https://github.com/agent-scratchpad/scratchpad"
  url "https://github.com/agent-scratchpad/scratchpad.git",
      tag:      "TAG",
      revision: "COMMIT"
  license "MIT"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "0"
    system "go", "build", *std_go_args(ldflags: "-s -w"), "./cmd/scratchpad"
    generate_completions_from_executable(bin/"scratchpad", "completion")
    (man1/"scratchpad.1").write Utils.safe_popen_read(bin/"scratchpad", "__man")
  end

  test do
    system bin/"scratchpad", "--db", testpath/"test.db", "logs", "append", "notes", "kept"
    assert_match "kept", shell_output("#{bin}/scratchpad --db #{testpath}/test.db logs cat notes")
    assert_match version.to_s, shell_output("#{bin}/scratchpad version")
  end
end
