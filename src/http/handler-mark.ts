/**
 * A mark that a decorator sets on handlers and that is read on every request. Nest's own metadata is looked up along
 * the prototype chain, which takes about a microsecond each time.
 */
export class HandlerMark<T> {
  private readonly marks = new WeakMap<object, T>()

  set(value: T): MethodDecorator {
    return (_target, _name, { value: handler }) => {
      this.marks.set(handler as object, value)
    }
  }

  /** Undefined where it was not set. */
  of(handler: object): T | undefined {
    return this.marks.get(handler)
  }
}
