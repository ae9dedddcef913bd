import { setTimeout as sleep } from 'node:timers/promises'

export interface Patience {
  /** What is waited for, for the message when it never comes. */
  what?: string
  timeoutMs?: number
  everyMs?: number
}

/**
 * The first truthy answer of `probe`, asked again and again. A probe that throws counts as "not yet".
 * Rejects after `timeoutMs` (20 s unless told), with the last thrown error as its cause.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { what = 'the condition', timeoutMs = 20_000, everyMs = 20 }: Patience = {},
): Promise<T> {
  const startedAt = performance.now()
  let cause: unknown
  while (performance.now() - startedAt < timeoutMs) {
    try {
      const answer = await probe()
      if (answer) return answer
    } catch (error) {
      cause = error
    }
    await sleep(everyMs)
  }
  throw new Error(`Waited ${timeoutMs} ms for ${what} in vain`, { cause })
}
