import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, jest } from '@jest/globals'
import { keyFileText, Logger, newKeySet, readKeySet, saveKeyFile, WatchedKeys } from '../../sources.js'
import { eventually } from '../../support/eventually.js'

it('a key file that has become unreadable is logged once, not at every look, and its keys stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-keys-'))
  const file = join(folder, 'keys.json')
  const stored = newKeySet(new Date(0))
  await saveKeyFile(file, stored)
  // Of this logger alone: others of the process may have something to say.
  const logger = new Logger('keys')
  const errors = jest.spyOn(logger, 'error').mockImplementation(() => {})
  const load = jest.fn(async () => readKeySet(keyFileText(stored)))
  const keys = new WatchedKeys(file, load, logger, () => {})
  await keys.start(null)
  load.mockRejectedValue(new Error('cannot be used'))
  await rm(file)
  try {
    await eventually(async () => errors.mock.calls.length === 1, { everyMs: 100 })
    const looks = load.mock.calls.length
    // With the second of these the first is over.
    await eventually(async () => load.mock.calls.length > looks + 1, { everyMs: 100 })
    expect(errors.mock.calls).toEqual([['cannot be used']])
    expect([keys.current.kid, ...keys.all().map(({ kid }) => kid)]).toEqual([
      stored[0]?.kid,
      ...stored.map(({ kid }) => kid),
    ])
  } finally {
    keys.stop()
    await rm(folder, { recursive: true })
  }
})
