import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createFolder, StartError } from '../../sources.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-folder-'))
})
afterAll(() => rm(folder, { recursive: true }))

it('makes a folder and those above it, again too', async () => {
  const path = join(folder, 'data/database')
  await createFolder(path)
  await createFolder(path)
  expect((await stat(path)).isDirectory()).toBe(true)
})

it('says at once that a folder cannot be there', async () => {
  const error = await createFolder('/proc/mainstay/database').catch(refusal => refusal)
  expect(error).toBeInstanceOf(StartError)
  expect(error.message).toBe(
    "The database cannot be in this folder: ENOENT: no such file or directory, mkdir '/proc/mainstay'; " +
      'set another DATABASE_URL or DATA_DIR',
  )
})

it('says so of a file that is there', async () => {
  const path = join(folder, 'a-file')
  await writeFile(path, '')
  await expect(createFolder(path)).rejects.toThrow(`EEXIST: file already exists, mkdir '${path}'`)
})
