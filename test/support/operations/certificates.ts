import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** PEM. */
export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

const CA = `
[ca]
default_ca = self
[self]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
`

/** A self-signed certificate for these hosts, made in the folder: valid for a year, or until 2021 if `isExpired`. */
export async function makeServerCertificate(
  folder: string,
  hosts: readonly string[],
  { isExpired = false } = {},
): Promise<CertificateAndKey> {
  const at = (name: string) => join(folder, name)
  const names = hosts.map(host => `${/^[\d.]+$/.test(host) ? 'IP' : 'DNS'}:${host}`).join(',')
  await writeFile(at('ca.conf'), CA)
  await writeFile(at('index.txt'), '')
  const inFolder = { cwd: folder }
  await run(
    'openssl',
    [
      ...'req -new -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=tests'.split(' '),
      ...['-keyout', 'key.pem', '-out', 'request.pem', '-addext', `subjectAltName=${names}`],
    ],
    inFolder,
  )
  const period = isExpired
    ? ['-startdate', '20200101000000Z', '-enddate', '20210101000000Z']
    : ['-days', '365']
  await run(
    'openssl',
    [
      ...'ca -batch -selfsign -notext -config ca.conf -keyfile key.pem'.split(' '),
      ...['-in', 'request.pem', '-out', 'certificate.pem', ...period],
    ],
    inFolder,
  )
  return {
    cert: await readFile(at('certificate.pem'), 'utf8'),
    key: await readFile(at('key.pem'), 'utf8'),
  }
}
