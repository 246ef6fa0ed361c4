# Holds things.
=begin
def no
end
class No
=end

module A
  class B < C
    SQL = <<~sql
def no
    sql
    class << self
      def open(a,
               b)
      end
    end

    def text
      x <<EOS
def no2
EOS
    end
    private def hidden(x) = x << y
  end
end
