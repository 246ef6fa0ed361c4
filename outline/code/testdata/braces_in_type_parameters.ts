export abstract class Repo<T extends { id: string }, K = keyof T>
  extends Base<{ a: T }> {
  one(): { a: string } {
  }
}
interface After { a: string }
