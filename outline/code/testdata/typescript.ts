declare global {
  interface Window { x: number }
}
export class A<T extends B<C>> {
  one<U>(a: U): void {
    global(1);
  }
  two<U extends () => void, V = Map<U, string>>(a: U): Map<U, V> {
  }
  static async three<
    U,
    V,
  >(a: U): Promise<[U, V]> {
  }
  type(x: string): this {
  }
}
interface D {
  get<T>(key: string): T;
}
