import { createHmac } from 'node:crypto'
import * as http from 'node:http'
import * as https from 'node:https'
import { rootCertificates } from 'node:tls'
import { nowSeconds } from '../state/clock.js'
import type { PaymentEvent } from './event.js'

// Long enough for a breakpoint; Stripe does not publish its timeout.
const TIMEOUT_MS = 20_000

/**
 * Posts a signed event once. True for a 2xx answer; false for any other, for none within 20 s, and after
 * `signal`. `certificate` (PEM) is trusted besides Node's own.
 */
export async function postEvent(
  url: string,
  event: PaymentEvent,
  secret: string,
  signal: AbortSignal,
  certificate?: string,
): Promise<boolean> {
  const body = JSON.stringify(event, null, 2)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Stripe-Signature': signatureHeader(body, secret),
    'User-Agent': 'Stripe/1.0 (payment sandbox)',
  }
  const { request } = url.startsWith('https:') ? https : http
  const trust = certificate && { ca: [...rootCertificates, certificate], allowPartialTrustChain: true }
  return new Promise(resolve => {
    const fail = () => resolve(false)
    // A new connection each time: one that stayed open would keep the receiver from stopping.
    const options = { method: 'POST', headers, agent: false, timeout: TIMEOUT_MS, signal, ...(trust || {}) }
    const post = request(url, options)
    post.on('error', fail).on('timeout', () => post.destroy())
    post.on('close', fail)
    post.on('response', response => {
      response.resume()
      resolve(Math.floor(response.statusCode! / 100) === 2)
    })
    post.end(body)
  })
}

/**
 * Signed again for every attempt, so that a retry is not refused as too old. Source:
 * https://docs.stripe.com/webhooks/signature.
 */
function signatureHeader(body: string, secret: string): string {
  const seconds = nowSeconds()
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
