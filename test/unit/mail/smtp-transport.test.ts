import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { SMTPServer } from 'smtp-server'
import { openSmtp } from '../../sources.js'

/** Of this machine, so that a server can listen there, and none of the names that count as this machine. */
const ELSEWHERE = '127.0.0.2'

const servers: SMTPServer[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A mail server whose certificate nobody has signed; says what came over a plain connection. */
async function startServer(host: string, withTls: boolean) {
  const received: boolean[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: withTls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    onData: (stream, { secure }, done) => {
      received.push(secure)
      stream.resume().on('end', () => done())
    },
  })
  server.on('error', () => {})
  servers.push(server)
  const listening = once(server.server, 'listening')
  server.listen(0, host)
  await listening
  return { port: (server.server.address() as AddressInfo).port, received }
}

const MAIL = {
  from: 'us@example.com',
  to: 'you@example.com',
  subject: 'A link',
  text: 'https://www.example.com',
}

test.each([
  { what: 'that offers no TLS', host: ELSEWHERE, withTls: false, query: '', sent: false },
  { what: 'whose certificate is no good', host: ELSEWHERE, withTls: true, query: '', sent: false },
  {
    what: 'without TLS, where tls=off says so',
    host: ELSEWHERE,
    withTls: false,
    query: '?tls=off',
    sent: true,
  },
  { what: 'of this machine', host: '127.0.0.1', withTls: false, query: '', sent: true },
])('security L9: to a server $what a mail is sent: $sent', async ({ host, withTls, query, sent }) => {
  const { port, received } = await startServer(host, withTls)
  const transport = openSmtp(new URL(`smtp://${host}:${port}${query}`))
  const outcome = await transport.sendMail(MAIL).then(
    () => true,
    () => false,
  )
  transport.close()
  expect(outcome).toBe(sent)
  expect(received).toHaveLength(sent ? 1 : 0)
})
