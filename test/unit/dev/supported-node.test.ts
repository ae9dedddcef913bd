import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
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

  test('every script runs on a supported one, apart from tools that run on any', () => {
    const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const isWithout = (command: string): boolean => {
      const [, script] = /^npm run (?:--silent )?(\S+)$/.exec(command) ?? []
      if (script) return without(script)
      const [, file] = /^(?:\S+=\S+ )*node (?:--\S+ )*(\S+\.mjs)/.exec(command) ?? []
      return !file || !readFileSync(`${ROOT}/${file}`, 'utf8').includes('await requireSupportedNode()')
    }
    const without = (script: string) => (scripts[script] as string).split(' && ').some(isWithout)
    expect(Object.keys(scripts).filter(without)).toEqual([
      // Only within `build`.
      'build:all',
      // TypeScript and esbuild alone. The Dockerfile builds packages before it has dev/.
      'build:packages',
      'build:types',
      // No JavaScript.
      'format',
      // Starts test/run.mjs.
      'test:faults',
    ])
  })

  test('a command ends as its program ended', async () => {
    const script = `${ROOT}/dev/on-supported-node.mjs`
    const failing = run(process.execPath, [script, 'node', '-e', 'process.exit(3)'])
    await expect(failing).rejects.toMatchObject({ code: 3 })
  })
})

test.each(['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)(
  'W10: a program gets %s, or what stops it in order, and this process ends as it ends',
  async signal => {
    expect(await endedBy(signal)).toBe(`stopped on ${signal}`)
    expect(await endedBy(signal, 'SIGTERM')).toBe('stopped on SIGTERM')
  },
)

const PROGRAM = `
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])
    process.on(signal, () => {
      console.log('stopped on ' + signal)
      process.exit(3)
    })
  process.stdin.resume().on('end', () => process.exit())
  console.log('ready')`

/** Sends the signal to a process that runs PROGRAM by `endWith`, and gives back what PROGRAM says. */
async function endedBy(signal: NodeJS.Signals, as?: NodeJS.Signals): Promise<string> {
  const runner = `
    import { spawn } from 'node:child_process'
    import { endWith } from ${JSON.stringify(pathToFileURL(`${ROOT}/dev/supported-node.mjs`).href)}
    await endWith(spawn(process.execPath, ['-e', ${JSON.stringify(PROGRAM)}], { stdio: 'inherit' }), ${JSON.stringify(as)})`
  const outer = spawn(process.execPath, ['--input-type=module', '-e', runner], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(outer, 'close')
  let output = ''
  outer.stdout.on('data', chunk => {
    output += chunk
    if (output === 'ready\n') outer.kill(signal)
  })
  try {
    expect((await once(outer, 'exit'))[0]).toBe(3)
    await closed
  } finally {
    outer.stdin.end()
  }
  return output.replace('ready', '').trim()
}
