import { jest } from '@jest/globals'

/** The next call of this method has begun, and waits for `release` before it does anything. */
export function heldCall<T extends object>(object: T, method: keyof T & string) {
  const original = (object[method] as (...args: unknown[]) => Promise<unknown>).bind(object)
  let release = () => {}
  let begin = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const spy = jest.spyOn(object as Record<string, (...args: unknown[]) => Promise<unknown>>, method)
  spy.mockImplementationOnce(async (...args) => {
    begin()
    await released
    return original(...args)
  })
  return { begun, release }
}
