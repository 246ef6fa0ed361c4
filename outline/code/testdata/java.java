// Reads ranges.

package a.b;

import java.util.List;

/** Holds things. And more. */
@Entity(
    name = "x"
)
public final class Store<T> extends Base implements Closeable {
  private int size = count(1);

  /** Returns one of them. */
  @Override
  public <K> Map<K, T> get(K key) throws First,
      Second,
      Third {
    if (size > 1) { call(); }
    Runnable r = new Runnable() { public void run() {} };
  }

  Store() {}

  enum Colour {
    RED(1), BLUE(2);
    Colour(int value) {}
  }

  @interface Marked { String value(); }

  interface Reader {
    void read(byte[] bytes);
    default int most() { return 1; }
  }

  record Point(int x, int y) {}
}
