RSpec.describe Store do
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
