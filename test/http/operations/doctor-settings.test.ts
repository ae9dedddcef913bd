import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import type { Finding } from '../../sources.js'
import { makeServerCertificate } from '../../support/operations/certificates.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { slow } from '../../support/tiers.js'

let folder: string
let files: Record<'TLS_CERT_FILE' | 'TLS_KEY_FILE', string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-doctor-'))
  await makeServerCertificate(folder, ['api.main.test'])
  files = { TLS_CERT_FILE: join(folder, 'certificate.pem'), TLS_KEY_FILE: join(folder, 'key.pem') }
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => {
  jest.dontMock('../../../src/platform/open-telemetry.js')
})

/** The faults of the settings, on the embedded database. */
async function faultsWith(settings: Record<string, string>): Promise<Finding[]> {
  const { output } = await runInProcess(['doctor', '--json'], {
    ...{
      NODE_ENV: 'test',
      DATA_DIR: folder,
      SMTP_URL: '',
      MAIL_FROM: '',
      STRIPE_API_URL: 'http://127.0.0.1:9',
    },
    ...settings,
  })
  return (JSON.parse(output) as Finding[]).filter(
    ({ check, status }) => status === 'fault' && check.startsWith('settings'),
  )
}

describe('doctor and what the service loads when it starts', () => {
  slow('a certificate, a key or a city database that cannot be used, each for itself', async () => {
    const junk = join(folder, 'junk')
    await writeFile(junk, 'neither PEM nor MMDB')
    const saw = async (settings: Record<string, string>) =>
      (await faultsWith({ ...files, ...settings })).map(finding => `${finding.check}: ${finding.saw}`)
    expect(await saw({})).toEqual([])
    expect(await saw({ TLS_KEY_FILE: '/nowhere/key.pem', GEOIP_FILE: junk })).toEqual([
      expect.stringMatching(/^settings\.tls: TLS_KEY_FILE \/nowhere\/key\.pem cannot be used: ENOENT/),
      expect.stringMatching(/^settings: GEOIP_FILE \S+junk cannot be used: it is not a whole MMDB file/),
    ])
    expect(await saw({ TLS_CERT_FILE: folder })).toEqual([
      expect.stringMatching(/^settings\.tls: TLS_CERT_FILE \S+ cannot be used: EISDIR/),
    ])
    expect(await saw({ TLS_CERT_FILE: junk })).toEqual([
      expect.stringMatching(/^settings\.tls: TLS_CERT_FILE \S+junk cannot be used: it is not PEM/),
    ])
  })

  it('no authority: a folder that --ca names', async () => {
    const { code, errors } = await runInProcess(['doctor', 'https://localhost', '--ca', folder], {})
    expect([code, errors]).toEqual([1, `${folder} is a folder, not a file\n`])
  })

  slow('packages for traces that are not installed', async () => {
    jest.doMock('../../../src/platform/open-telemetry.js', () => {
      throw Object.assign(new Error("Cannot find package '@fastify/otel'"), { code: 'ERR_MODULE_NOT_FOUND' })
    })
    expect(await faultsWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toMatchObject([
      { check: 'settings', saw: expect.stringContaining('packages that are not installed') },
    ])
  })
})
