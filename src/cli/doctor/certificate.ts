import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { type Finding, fault, ok, warning } from './finding.js'

/** Certificates are usually renewed 30 days before they expire. */
const WARN_DAYS = 14
const DAY_MS = 24 * 60 * 60 * 1000

/** Whether a certificate (PEM or DER) is for the host of `url` and still valid for a while. */
export function certificateFinding(
  check: string,
  certificate: Buffer | string,
  url: string,
  now: Date,
): Finding {
  const { validToDate, ...read } = readCertificate(certificate)
  const { hostname } = new URL(url)
  if (!read.isFor(hostname))
    return fault(check, `The certificate is not for ${hostname}`, `Have one made for ${hostname}`)
  const days = Math.floor((validToDate.getTime() - now.getTime()) / DAY_MS)
  const until = validToDate.toISOString().slice(0, 10)
  if (days < 0)
    return fault(
      check,
      `The certificate expired on ${until}`,
      'Renew it, and find out why it was not renewed',
    )
  if (days < WARN_DAYS)
    return warning(
      check,
      `The certificate expires on ${until}`,
      'Renew it, and find out why it was not renewed',
    )
  return ok(check, `the certificate is valid until ${until}`)
}

function readCertificate(bytes: Buffer | string) {
  const certificate = new X509Certificate(bytes)
  return {
    validToDate: new Date(certificate.validTo),
    isFor: (hostname: string) => {
      const address = hostname.replace(/^\[|\]$/g, '')
      const found = isIP(address) ? certificate.checkIP(address) : certificate.checkHost(hostname)
      return found !== undefined
    },
  }
}
