import { AsyncLocalStorage } from 'node:async_hooks'
import { jest } from '@jest/globals'

/** How often `work` calls this method; what else runs in the process meanwhile is not counted. */
export async function callsWithin<T extends object>(
  object: T,
  method: keyof T & string,
  work: () => Promise<unknown>,
): Promise<number> {
  const within = new AsyncLocalStorage<true>()
  const methods = object as Record<string, (...args: unknown[]) => unknown>
  const original = (methods[method] as (...args: unknown[]) => unknown).bind(object)
  let calls = 0
  const spy = jest.spyOn(methods, method).mockImplementation((...args) => {
    if (within.getStore()) calls++
    return original(...args)
  })
  await within.run(true, work)
  spy.mockRestore()
  return calls
}
