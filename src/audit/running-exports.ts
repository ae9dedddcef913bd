import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { Injectable } from '@nestjs/common'
import { ApiError } from '../platform/errors/api-error.js'

/** Most exports take less. */
const RETRY_AFTER_SECONDS = 10

/** The exports that this process is sending: one at a time for each account or user. */
@Injectable()
export class RunningExports {
  private readonly running = new Set<string>()

  /**
   * What `start` returns, as a stream for `response`. `start` gets a function that says whether the client is still
   * there: a scan that finds nothing sends nothing, so it would not notice. Throws `TOO_MANY_ATTEMPTS` (429) while
   * another export of the same account or user (`id`) is running.
   */
  async open(
    id: string,
    response: ServerResponse,
    start: (isWanted: () => boolean) => Promise<AsyncIterable<string>>,
  ): Promise<Readable> {
    if (this.running.has(id)) {
      throw new ApiError('TOO_MANY_ATTEMPTS', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
    }
    this.running.add(id)
    const end = () => this.running.delete(id)
    try {
      const pieces = await start(() => !response.destroyed)
      // A stream closes once its iterator has returned, whether it was read to the end, failed or was left.
      return Readable.from(pieces, { highWaterMark: 1 }).once('close', end)
    } catch (error) {
      end()
      throw error
    }
  }
}

/** The same pages. Resolves once the first has been read, so that until then a failure is still an error response. */
export async function begun<T>(pages: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  return startingWith(await pages.next(), pages)
}

async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}
