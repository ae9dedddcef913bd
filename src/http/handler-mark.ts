/**
 * A mark that a decorator sets on handlers, for what is asked at every request: the metadata that Nest keeps is
 * looked up along the prototypes of the handler, which takes about a microsecond each time.
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
