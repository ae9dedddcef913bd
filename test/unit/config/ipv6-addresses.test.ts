import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from '@jest/globals'
import { createStripe, outboxFor, type Settings } from '../../sources.js'

it('STRIPE_API_URL may be an IPv6 address', async () => {
  const server = createServer(({ headers: { host } }, response) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ id: host })),
  ).listen(0, '::1')
  await once(server, 'listening')
  const url = `http://[::1]:${(server.address() as AddressInfo).port}`
  try {
    const stripe = createStripe({ secretKey: 'sk_test', apiUrl: new URL(url) })
    expect(`http://${(await stripe.customers.retrieve('cus_1', {}, { maxNetworkRetries: 0 })).id}`).toBe(url)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

it('SMTP_URL may be an IPv6 address in development too', async () => {
  const outbox = await outboxFor({ mail: { smtpUrl: new URL('smtp://[::1]:0') } } as Settings)
  expect(outbox).not.toBeNull()
  await outbox?.stop()
})
