import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { anApp } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import { postEventOfSize } from '../support/signed-event.js'

const PATH = '/api/webhooks/stripe'
const LARGE = 64 * 1024

const app = anApp({ TRUST_PROXY: '127.0.0.1' })
let sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets = []
})

describe('While strangers hold large bodies of unsigned events', () => {
  it.each(['Content-Length: 1048576', 'Transfer-Encoding: chunked'])(
    'a subnet has eight (%s), and nobody else is refused',
    async length => {
      await Promise.all(Array.from({ length: 8 }, (_, host) => hold(`203.0.113.${host}`, length)))
      await eventually(async () => outcome(await notify('203.0.113.200', LARGE)) === '503 TOO_BUSY')
      const refused = await notify('203.0.113.200', LARGE)
      expect(outcome(refused)).toBe('503 TOO_BUSY')
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      expect(outcome(await notify('203.0.113.200', 1_000))).toBe('200')
      expect(outcome(await notify('198.51.100.1', LARGE))).toBe('200')

      for (const socket of sockets) socket.destroy()
      await eventually(async () => outcome(await notify('203.0.113.200', LARGE)) === '200')
    },
  )

  it('those of a subnet that has signed are taken, whoever sends 64 from eight others (S8)', async () => {
    const [signer, stranger] = ['192.0.2.1', '192.0.3.1']
    expect(outcome(await notify(signer, 1_000))).toBe('200')
    await Promise.all(Array.from({ length: 64 }, (_, body) => hold(`198.51.${body % 8}.1`)))
    await eventually(async () => outcome(await notify(stranger, LARGE)) === '503 TOO_BUSY')
    expect(outcome(await notify(signer, LARGE))).toBe('200')
    // A wrong signature is none, and a right one may be of a small event.
    expect(outcome(await notify(stranger, 1_000, 'whsec_other'))).toBe('400 INVALID_SIGNATURE')
    expect(outcome(await notify(stranger, LARGE))).toBe('503 TOO_BUSY')
    expect(outcome(await notify(stranger, 1_000))).toBe('200')
    expect(outcome(await notify(stranger, LARGE))).toBe('200')
  })

  it('a process reads 64 at a time', async () => {
    const signers = Array.from({ length: 5 }, (_, subnet) => `198.18.${subnet}.1`)
    for (const signer of signers) expect(outcome(await notify(signer, 1_000))).toBe('200')
    await Promise.all(
      [...Array(8).keys()].flatMap(body => [
        ...signers.slice(1).map(signer => hold(signer)),
        ...[0, 1, 2, 3].map(subnet => hold(`198.51.${subnet}.${body}`)),
      ]),
    )
    const [last = ''] = signers
    await eventually(async () => outcome(await notify(last, LARGE)) === '503 TOO_BUSY')
    expect(outcome(await notify(last, 1_000))).toBe('200')
  })

  it('an answered event no longer counts', async () => {
    for (let time = 0; time < 20; time++) expect(outcome(await notify('192.0.2.1', LARGE))).toBe('200')
  })
})

/** Begins a request, and sends no more than the beginning of its body. */
async function hold(address: string, length = 'Content-Length: 1048576'): Promise<void> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = ['Host: api', `X-Forwarded-For: ${address}`, 'Content-Type: application/json', length]
  socket.write([`POST ${PATH} HTTP/1.1`, ...head, '', '5\r\n{"id"'].join('\r\n'))
}

/** Sends an event of this size that the provider has signed, unless with another secret. */
function notify(address: string, bytes: number, secret?: string) {
  return postEventOfSize(app, bytes, { 'X-Forwarded-For': address }, secret)
}
