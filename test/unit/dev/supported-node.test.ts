import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { slow } from '../../support/tiers.js'

const ROOT = join(__dirname, '../../..')
const run = promisify(execFile)
const pinned = JSON.parse(readFileSync(`${ROOT}/dev/runtime/package.json`, 'utf8')).optionalDependencies

/** Makes the Node of this test look like Node 20 to our scripts; the pinned one stays what it is. */
const LOOK_LIKE_NODE_20 = `data:text/javascript,
  if (!process.execPath.includes('dev/runtime'))
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

describe('security M7: on a Node without support', () => {
  const printed = async (...args: string[]) => {
    const script = `${ROOT}/dev/on-supported-node.mjs`
    const { stdout } = await run(process.execPath, [...args, script, 'node', '-p', 'process.version'])
    return stdout.trim()
  }

  slow('commands run on the pinned Node', async () => {
    expect(await printed('--import', LOOK_LIKE_NODE_20)).toBe(
      `v${pinned[`node-${process.platform}-${process.arch}`]}`,
    )
  })

  slow('commands run on the installed Node where that is supported', async () => {
    expect(await printed()).toBe(process.version)
  })

  test('a command ends as its program ended', async () => {
    const script = `${ROOT}/dev/on-supported-node.mjs`
    const failing = run(process.execPath, [script, 'node', '-e', 'process.exit(3)'])
    await expect(failing).rejects.toMatchObject({ code: 3 })
  })
})
