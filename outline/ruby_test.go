package outline_test

import "testing"

func TestOutlineRuby(t *testing.T) {
	checkDefinitions(t, []definitionCase{
		{"constants", "a.rb", `MAX = 3
NAMES ||= %w[a
  b].freeze
x = 1
class A < B
  LIMIT = 4
  Part = Struct.new(:a)
  def b
    NO = 1
  end
  THIS == 1
  B::C = 2
end
`, `
1 MAX = 3
2 NAMES ||= %w[a
5 class A < B
6   LIMIT = 4
7   Part = Struct.new(:a)
8   def b
12   B::C = 2
`},
		{"examples", "a_spec.rb", `RSpec.describe Store do
  let(:a) { 1 }
  context "when empty" do
    it "opens" do
      no = it "is none"
    end
    it { should be }
  end
  it("closes") { |x|
  }
end
namespace :db do
  task :up, [:to] => :env do |t, args|
    def no
    end
  end
end
it = 3
test.run do
end
`, `
1 RSpec.describe Store
3   context "when empty"
4     it "opens"
9   it("closes")
12 namespace :db
13   task :up, [:to] => :env
`},
	})
}
