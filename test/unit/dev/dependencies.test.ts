import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'

interface Locked {
  readonly dev?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

it('whoever installs the service depends on nothing that we replace here: npm reads no overrides of ours there (P10)', async () => {
  const { overrides } = JSON.parse(await readFile('package.json', 'utf8'))
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'))
  const installed = Object.entries(packages as Record<string, Locked>).filter(([, { dev }]) => !dev)
  expect(installed.length).toBeGreaterThan(100)
  const replaced = installed.flatMap(([path, { dependencies = {} }]) =>
    Object.keys(dependencies)
      .filter(name => name in overrides || name === '@scarf/scarf')
      .map(name => `${path} → ${name}`),
  )
  expect(replaced).toEqual([])
})
