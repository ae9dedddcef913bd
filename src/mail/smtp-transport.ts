import { createTransport, type Transporter } from 'nodemailer'
import { isLoopback } from '../platform/config/origin.js'

/** A mail server that does not answer must not delay a shutdown. */
const SMTP_TIMEOUT_MS = 10_000

/**
 * Connects to SMTP_URL. `smtps://` uses TLS from the start. `smtp://` upgrades with STARTTLS before anything
 * is sent, and fails if the server does not offer it or its certificate is not valid for its name. Plain text
 * is used only for this machine, or with `?tls=off`.
 */
export function openSmtp(url: URL): Transporter {
  const address = new URL(url)
  address.searchParams.delete('tls')
  return createTransport({
    url: address.href,
    requireTLS: url.protocol === 'smtp:' && !mayBePlain(url),
    pool: true,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
    // A mail is text that we have written: nothing in it may read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function mayBePlain({ hostname, searchParams }: URL): boolean {
  return isLoopback(hostname) || searchParams.get('tls') === 'off'
}

/**
 * Whether the server would refuse this mail again: a 5xx reply (RFC 5321 §4.2.1) to its addresses or its text. One
 * to the greeting or the login is not about the mail.
 */
export function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { readonly code?: string; readonly responseCode?: number }
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
}
