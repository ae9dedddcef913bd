import { createHmac } from 'node:crypto'
import * as http from 'node:http'
import * as https from 'node:https'
import { nowSeconds } from '../state/clock.js'
import type { PaymentEvent } from './event.js'

// Long enough for a debugger's pause; Stripe does not publish its own.
const TIMEOUT_MS = 20_000

/** Posts a signed event once; whether the answer was 2xx. No connection, no answer in 20 s and `signal` count as no. */
export async function postEvent(
  url: string,
  event: PaymentEvent,
  secret: string,
  signal: AbortSignal,
): Promise<boolean> {
  const body = JSON.stringify(event, null, 2)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Stripe-Signature': signatureHeader(body, secret),
    'User-Agent': 'Stripe/1.0 (payment sandbox)',
  }
  const { request } = url.startsWith('https:') ? https : http
  return new Promise(resolve => {
    const fail = () => resolve(false)
    // A connection of its own for each, so that none stays open and keeps the receiver from stopping.
    const post = request(url, { method: 'POST', headers, agent: false, timeout: TIMEOUT_MS, signal })
    post.on('error', fail).on('timeout', () => post.destroy())
    post.on('close', fail)
    post.on('response', response => {
      response.resume()
      resolve(Math.floor(response.statusCode! / 100) === 2)
    })
    post.end(body)
  })
}

/** Signed anew for every attempt, so that a late one is not refused as old. Source: https://docs.stripe.com/webhooks/signature. */
function signatureHeader(body: string, secret: string): string {
  const seconds = nowSeconds()
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
