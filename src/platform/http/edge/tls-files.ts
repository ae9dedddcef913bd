import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { withoutByteOrderMark } from '../../config/byte-order-mark.js'
import type { TlsSettings } from '../../config/settings.js'
import { causeMessage, StartError } from '../../errors/api-error.js'

/** The certificate to serve and its private key; throws a {@link StartError} that names the setting and the file at fault. */
export function readTlsFiles({ certFile, keyFile }: TlsSettings): { cert: string; key: string } {
  const cert = usable(`TLS_CERT_FILE ${certFile} cannot be used`, () => accepted({ cert: textOf(certFile) }))
  const key = usable(`TLS_KEY_FILE ${keyFile} cannot be used`, () => accepted({ key: textOf(keyFile) }))
  return usable(`TLS_KEY_FILE ${keyFile} is not the key of TLS_CERT_FILE ${certFile}`, () =>
    accepted({ ...cert, ...key }),
  )
}

/** PEM is text. */
function textOf(file: string): string {
  return withoutByteOrderMark(readFileSync(file, 'utf8'))
}

/** Throws what a server with these would. */
function accepted<T extends SecureContextOptions>(options: T): T {
  createSecureContext(options)
  return options
}

function usable<T>(fault: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ERR_OSSL_PEM_NO_START_LINE' ? 'it is not PEM' : causeMessage(cause)
    throw new StartError(`${fault}: ${why}`, { cause })
  }
}
