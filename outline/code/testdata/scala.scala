package a.b
package object c {
  def +(o: A): A = {
    def no = 1
  }
  @main def run(): Unit = {
  }
}
