import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { within } from '../../sources.js'

describe('an answer within a time', () => {
  it('gives up when there is none', async () => {
    await expect(within(20, new Promise(() => {}))).rejects.toThrow('no answer in 20 ms')
  })

  it('passes on what the work came to', async () => {
    await expect(within(1_000, Promise.resolve('done'))).resolves.toBe('done')
    await expect(within(1_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  it('takes an answer that arrived while this process itself stood still', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as { port: number }).port, '127.0.0.1')
    try {
      const [[peer]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [
        [Socket],
        unknown,
      ]
      peer.on('error', () => {})
      await setImmediate()
      const answer = once(client, 'data').then(String)
      peer.end('answer')
      const waiting = within(30, answer)
      standStill(100)
      await expect(waiting).resolves.toBe('answer')
    } finally {
      client.destroy()
      server.close()
    }
  })

  it('counts from when the work could be sent, not from the beginning of a long turn', async () => {
    const answers = [within(50, answerAfter(25))]
    standStill(150)
    // Timers that are set late in a turn come early.
    answers.push(within(50, answerAfter(25)))
    await expect(Promise.all(answers)).resolves.toEqual(['answer', 'answer'])
  })

  it('gives up after a long turn, too, and not before its time', async () => {
    const silent = within(50, new Promise(() => {}))
    standStill(150)
    const startedAt = performance.now()
    await expect(silent).rejects.toThrow('no answer in 50 ms')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(48)
  })
})

/** What is sent at the end of this turn of the event loop, and answered so much later. */
function answerAfter(milliseconds: number): Promise<string> {
  return new Promise(resolve => globalThis.setImmediate(() => setTimeout(resolve, milliseconds, 'answer')))
}

function standStill(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
