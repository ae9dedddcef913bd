import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'

interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

it('whoever installs the service depends on nothing that we replace here: npm reads no overrides of ours there (P10)', async () => {
  const { overrides } = JSON.parse(await readFile('package.json', 'utf8'))
  const installed = (await lockedPackages()).filter(([, { dev }]) => !dev)
  expect(installed.length).toBeGreaterThan(100)
  const replaced = installed.flatMap(([path, { dependencies = {} }]) =>
    Object.keys(dependencies)
      .filter(name => name in overrides || name === '@scarf/scarf')
      .map(name => `${path} → ${name}`),
  )
  expect(replaced).toEqual([])
})

/** The first versions without a known vulnerability: GHSA-mm7p-fcc7-pg87 and CVE-2025-14874; GHSA-67mh-4wv8-2f99. */
it.each([
  ['nodemailer', [7, 0, 11]],
  ['esbuild', [0, 25, 0]],
])('no copy of %s is one with known vulnerabilities, whoever brings it (S12)', async (name, first) => {
  const copies = (await lockedPackages()).filter(([path]) => path.endsWith(`node_modules/${name}`))
  expect(copies.length).toBeGreaterThan(0)
  expect(copies.filter(([, { version = '0' }]) => isOlder(version.split('.').map(Number), first))).toEqual([])
})

async function lockedPackages(): Promise<[string, Locked][]> {
  return Object.entries(JSON.parse(await readFile('package-lock.json', 'utf8')).packages)
}

function isOlder(version: readonly number[], first: readonly number[]): boolean {
  const index = first.findIndex((part, place) => part !== version[place])
  return index !== -1 && (version[index] ?? 0) < (first[index] as number)
}
