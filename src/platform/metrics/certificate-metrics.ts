import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { withoutByteOrderMark } from '../config/byte-order-mark.js'
import type { TlsSettings } from '../config/settings.js'
import type { Metrics } from './metrics.js'

/** Reports how long the certificate that the service read at start is still valid. */
export function declareCertificate({ certFile }: TlsSettings, metrics: Metrics): void {
  const { validFrom, validTo } = new X509Certificate(withoutByteOrderMark(readFileSync(certFile, 'utf8')))
  metrics.gauge({
    name: 'certificate_not_before_timestamp_seconds',
    help: 'From when the served certificate is valid, in seconds since 1970',
    read: () => Date.parse(validFrom) / 1000,
  })
  metrics.gauge({
    name: 'certificate_not_after_timestamp_seconds',
    help: 'Until when the served certificate is valid, in seconds since 1970',
    read: () => Date.parse(validTo) / 1000,
  })
}
