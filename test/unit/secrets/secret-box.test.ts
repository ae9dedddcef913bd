import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  Clock,
  dropRetiredSecretKeys,
  generateSecretKeys,
  loadSecretKeys,
  Metrics,
  readSettings,
  rotateSecretKeys,
  SecretBox,
  secondsAfter,
} from '../../sources.js'
import { runInProcess } from '../../support/processes/run-in-process.js'

const START = new Date('2026-01-01T00:00:00Z')
const later = (seconds: number) => secondsAfter(START, seconds)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-secrets-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
const newFile = () => join(folder, `secrets-${files++}.json`)

function settingsOf(file: string) {
  return { NODE_ENV: 'test', DATA_DIR: folder, SECRETS_KEYS_FILE: file }
}

/** As a service has it that has just started; outside production a missing file is made. */
async function boxOf(file: string): Promise<SecretBox> {
  const box = new SecretBox(readSettings(settingsOf(file)), new Clock(), new Metrics())
  await box.onModuleInit()
  box.onApplicationShutdown()
  return box
}

describe('what is sealed', () => {
  it('opens with what it was sealed with, and says nothing of itself', async () => {
    const box = await boxOf(newFile())
    const sealed = box.seal('a secret of twenty b', 'the user')
    expect(box.open(sealed, 'the user').toString()).toBe('a secret of twenty b')
    expect(sealed).toMatch(/^[\w-]{11}\.[\w-]+$/)
    expect(Buffer.from(sealed.split('.')[1]!, 'base64url').toString()).not.toContain('secret')
    expect(box.seal('a secret of twenty b', 'the user')).not.toBe(sealed)
  })

  it.each<[string, (sealed: string) => string, string]>([
    ['as that of another user', sealed => sealed, 'another user'],
    [
      'with a byte changed',
      sealed => `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`,
      'the user',
    ],
    ['cut off', sealed => sealed.slice(0, -4), 'the user'],
    ['cut to nothing', sealed => sealed.slice(0, 12), 'the user'],
    ['with the id of no key', sealed => `AAAAAAAAAAA${sealed.slice(11)}`, 'the user'],
    ['without an id', sealed => sealed.slice(12), 'the user'],
  ])('does not open %s', async (_, change, aad) => {
    const box = await boxOf(newFile())
    expect(() => box.open(change(box.seal('a secret', 'the user')), aad)).toThrow()
  })
})

describe('a code of ours', () => {
  it('is for its purpose and its parts, in their order and where they begin', async () => {
    const box = await boxOf(newFile())
    const mac = box.mac('challenge', 'ab', 'c')
    expect(box.isMac(mac, 'challenge', 'ab', 'c')).toBe(true)
    expect(box.isMac(mac, 'challenge', 'a', 'bc')).toBe(false)
    expect(box.isMac(mac, 'challenge', 'c', 'ab')).toBe(false)
    expect(box.isMac(mac, 'another', 'ab', 'c')).toBe(false)
    expect(box.isMac((await boxOf(newFile())).mac('challenge', 'ab', 'c'), 'challenge', 'ab', 'c')).toBe(
      false,
    )
  })

  it.each(['', '.', 'é', 'AAAAAAAAAAA.', '..', 'x'.repeat(100)])('is never %j', async text => {
    expect((await boxOf(newFile())).isMac(text, 'challenge')).toBe(false)
  })
})

describe('rotating the keys of secrets', () => {
  it('seals with the key that was known before, opens with the old one, and drops it when told', async () => {
    const file = newFile()
    await generateSecretKeys(file, START)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const [first, next] = await loadSecretKeys(file)
    const before = await boxOf(file)
    const [sealed, mac] = [before.seal('a secret', 'u'), before.mac('challenge')]

    await expect(rotateSecretKeys(file, later(599))).rejects.toThrow('may be used from')
    await rotateSecretKeys(file, later(600))
    const after = await boxOf(file)
    expect(after.open(sealed, 'u').toString()).toBe('a secret')
    expect([after.isMac(mac, 'challenge'), after.isCurrent(sealed)]).toEqual([true, false])
    const anew = after.seal('a secret', 'u')
    expect(anew.split('.')[0]).toBe(next!.kid)
    // A replica that has the file of before knows the key already.
    expect(before.open(anew, 'u').toString()).toBe('a secret')

    expect(await dropRetiredSecretKeys(file, later(1_199))).toEqual({ dropped: 0, kept: 1 })
    expect(await dropRetiredSecretKeys(file, later(1_200))).toEqual({ dropped: 1, kept: 0 })
    const dropped = await boxOf(file)
    expect(() => dropped.open(sealed, 'u')).toThrow(`does not have the key ${first!.kid}`)
    expect(dropped.isMac(mac, 'challenge')).toBe(false)
  })

  it('is done at the command line, and never over a file that exists', async () => {
    const file = newFile()
    const made = await runInProcess(['secrets:generate'], settingsOf(file))
    expect(made).toMatchObject({ code: 0, output: expect.stringContaining(`Created ${file}`) })
    const text = await readFile(file, 'utf8')
    const again = await runInProcess(['secrets:generate'], settingsOf(file))
    expect(again).toMatchObject({ code: 1, errors: expect.stringContaining('already exists') })
    const soon = await runInProcess(['secrets:rotate'], settingsOf(file))
    expect(soon).toMatchObject({ code: 1, errors: expect.stringContaining('may be used from') })
    expect(await readFile(file, 'utf8')).toBe(text)
    for (const { key } of JSON.parse(text).keys)
      expect(made.output + made.errors + again.errors + soon.errors).not.toContain(key)
  })
})

describe('a file of secret keys that cannot be used', () => {
  const key = {
    kid: 'a',
    state: 'current',
    createdAt: START.toISOString(),
    key: Buffer.alloc(32).toString('base64url'),
  }
  it.each<[string, unknown]>([
    ['is empty', ''],
    ['is no JSON', 'keys'],
    ['has no keys', '{}'],
    ['has no current key', JSON.stringify({ keys: [{ ...key, state: 'next' }] })],
    ['has two keys of one id', JSON.stringify({ keys: [key, { ...key, state: 'next' }] })],
    ['has a short key', JSON.stringify({ keys: [{ ...key, key: 'AAAA' }] })],
    ['has no key in a key', JSON.stringify({ keys: [{ ...key, key: undefined }] })],
    ['has an id that would end early', JSON.stringify({ keys: [{ ...key, kid: 'a.b' }] })],
  ])('%s: the start fails, and names setting and file', async (_, text) => {
    const file = newFile()
    await writeFile(file, text as string)
    await expect(boxOf(file)).rejects.toThrow(`SECRETS_KEYS_FILE ${file} cannot be used: `)
  })
})
