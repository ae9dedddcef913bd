import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createKeyFile, loadKeys, newKeySet, saveKeyFile } from '../../sources.js'

const KEYS = newKeySet(new Date(0))
const isRoot = process.getuid?.() === 0

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-keys-'))
  file = join(folder, 'keys.json')
  await createKeyFile(file, KEYS)
})
afterEach(() => rm(folder, { recursive: true }))

const access = async () => ((await stat(file)).mode & 0o777).toString(8)

describe('a key file', () => {
  it('is for its owner alone', async () => {
    expect(await access()).toBe('600')
  })

  it('may begin with a byte order mark, as after an editor has written it (W14)', async () => {
    await writeFile(file, `\ufeff${await readFile(file, 'utf8')}`)
    expect(await loadKeys(file)).toHaveLength(KEYS.length)
  })

  it('is not made where there is a folder', async () => {
    await expect(createKeyFile(folder, KEYS)).rejects.toThrow(`${folder} is a folder, not a file`)
    await expect(createKeyFile(file, KEYS)).rejects.toThrow(`${file} already exists; rotate its keys instead`)
  })

  it.each([
    ['640', '640'],
    ['440', '440'],
  ])('with mode %s has %s when it has been replaced', async (before, after) => {
    await chmod(file, Number.parseInt(before, 8))
    await saveKeyFile(file, KEYS)
    expect(await access()).toBe(after)
    expect(await readdir(folder)).toEqual(['keys.json'])
  })

  it('is not replaced while everybody can read it: that may be how the service does', async () => {
    await chmod(file, 0o644)
    const before = await readFile(file, 'utf8')
    await expect(saveKeyFile(file, newKeySet(new Date(0)))).rejects.toThrow('can be used by every user')
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(await readdir(folder)).toEqual(['keys.json'])
  })

  it('behind a symbolic link is replaced where it is, for everybody who reads it there', async () => {
    const links = join(folder, 'links')
    await mkdir(links)
    const link = join(links, 'keys.json')
    await symlink('../keys.json', link)
    const leaked = await readFile(file, 'utf8')
    await saveKeyFile(link, newKeySet(new Date(0)))
    expect(await readFile(file, 'utf8')).not.toBe(leaked)
    expect(await readFile(link, 'utf8')).toBe(await readFile(file, 'utf8'))
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
    expect(await access()).toBe('600')
    expect([await readdir(folder), await readdir(links)]).toEqual([['keys.json', 'links'], ['keys.json']])
  })

  it('is written where a symbolic link leads that leads nowhere yet', async () => {
    const link = join(folder, 'link.json')
    await symlink('later.json', link)
    await saveKeyFile(link, KEYS)
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
    expect(await readFile(join(folder, 'later.json'), 'utf8')).toBe(await readFile(link, 'utf8'))
  })

  it('stays with its owner and group', async () => {
    const { uid, gid } = isRoot ? { uid: 1_234, gid: 2_345 } : await stat(file)
    await chown(file, uid, gid)
    await saveKeyFile(file, KEYS)
    expect(await stat(file)).toMatchObject({ uid, gid })
  })
})
