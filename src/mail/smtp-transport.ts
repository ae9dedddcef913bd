import { createTransport, type Transporter } from 'nodemailer'
import { isLoopback } from '../config/origin.js'

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
