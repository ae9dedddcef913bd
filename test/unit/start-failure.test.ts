import { mkdir } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import { createApp, loadKeys, readSettings, SettingsError, startFailure } from '../sources.js'

it('pages 20: a start that fails says in a line what an operator can mend', () => {
  const taken = Object.assign(new Error('listen'), { code: 'EADDRINUSE', address: '127.0.0.1', port: 3000 })
  expect(startFailure(taken)).toMatch(/^Port 3000 at 127\.0\.0\.1 is in use: [^\n]+$/)
  expect(startFailure(new SettingsError(['PORT must be a number']))).toContain('PORT must be a number')
  const bug = new Error('a bug')
  expect(startFailure(bug)).toBe(bug)
})

it.each([
  ['/dev', '/nowhere/key.pem', /^TLS_CERT_FILE \/dev cannot be used: EISDIR[^\n]+$/],
  [__filename, '/nowhere/key.pem', /^TLS_CERT_FILE \S+ cannot be used: it is not PEM$/],
  ['/nowhere/certificate.pem', '/nowhere/key.pem', /^TLS_CERT_FILE \S+ cannot be used: ENOENT[^\n]+$/],
])('names the certificate %s that cannot be served with', async (certFile, keyFile, sentence) => {
  const environment = { NODE_ENV: 'test', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }
  const error = await createApp(readSettings(environment)).catch(error => error)
  expect(startFailure(error)).toMatch(sentence)
})

it('names a file that is missing, and a folder that cannot be used', async () => {
  const keys = await loadKeys('/nowhere/keys.json').catch(error => error)
  expect(startFailure(keys)).toMatch(
    /^JWT_KEYS_FILE \/nowhere\/keys\.json cannot be used: ENOENT[^\n]+; for a new installation, keys:generate creates it$/,
  )
  const folder = await mkdir('/dev/null/database', { recursive: true }).catch(error => error)
  expect(startFailure(folder)).toBe("ENOTDIR: not a directory, mkdir '/dev/null/database'")
})
