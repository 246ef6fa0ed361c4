defmodule A do
  def open(
    a
  ) do
    def no, do: 1
  end
  defguard is_x(a) when a > 1
end
