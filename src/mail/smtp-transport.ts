import { createTransport, type Transporter } from 'nodemailer'
import { isLoopback } from '../config/origin.js'

/** A mail server that does not answer must not hold a shutdown for long. */
const SMTP_TIMEOUT_MS = 10_000

/**
 * The way to the mail server of an SMTP_URL: `smtps://` is TLS from the start, `smtp://` turns to it (STARTTLS) before
 * anything is sent and fails where the server does not offer that or shows a certificate that is not good for its name. Plain
 * only to this machine, or where `?tls=off` says so.
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
    // A mail is text that we have made: nothing in it may read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function mayBePlain({ hostname, searchParams }: URL): boolean {
  return isLoopback(hostname) || searchParams.get('tls') === 'off'
}
