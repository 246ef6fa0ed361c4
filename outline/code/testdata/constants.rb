MAX = 3
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
