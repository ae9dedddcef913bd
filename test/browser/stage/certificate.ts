import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Certificate {
  readonly certFile: string
  readonly keyFile: string
  /** SHA-256 of the public key, in base64, as Chromium's `--ignore-certificate-errors-spki-list` takes it. */
  readonly keyHash: string
}

/** A self-signed certificate for these origins, valid for a day, in the folder. */
export async function makeCertificate(folder: string, origins: readonly string[]): Promise<Certificate> {
  const certFile = join(folder, 'certificate.pem')
  const keyFile = join(folder, 'key.pem')
  const names = origins.map(origin => `DNS:${new URL(origin).hostname}`).join(',')
  await run('openssl', [
    ...'req -x509 -days 1 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1'.split(' '),
    ...['-keyout', keyFile, '-out', certFile, '-subj', '/CN=browser tests'],
    ...['-addext', `subjectAltName=${names}`],
  ])
  const { publicKey } = new X509Certificate(await readFile(certFile))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  return { certFile, keyFile, keyHash: createHash('sha256').update(key).digest('base64') }
}
