import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { operatorProgram } from '../../sources.js'
import { documentedBlocks } from '../../support/client/documented-code.js'

/** Two screens before the first link out. */
const MAX_README_BYTES = 7_000
/** Run by npm, or by other scripts. */
const INTERNAL_SCRIPTS = ['predev', 'prepack', 'build:all', 'build:packages', 'build:types']

/** The text of README and of every page that explains the project, by path. */
const pages = new Map<string, string>()
beforeAll(async () => {
  const folders = await Promise.all(
    ['docs', 'deploy', 'examples'].map(async folder =>
      (await readdir(folder, { recursive: true })).map(file => join(folder, file)),
    ),
  )
  const inFolders = folders
    .flat()
    .filter(file => file.endsWith('.md') && !/node_modules|\.vitepress/.test(file))
  for (const path of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...inFolders])
    pages.set(path, await readFile(path, 'utf8'))
})

describe('README.md', () => {
  it('is read in two screens', async () => {
    expect((await stat('README.md')).size).toBeLessThanOrEqual(MAX_README_BYTES)
  })

  it('has the two commands that do everything', async () => {
    const [commands = ''] = await documentedBlocks('Run and test', 'README.md')
    expect(commands.split('\n').map(line => line.replace(/ +#.*/, ''))).toEqual(['npm start', 'npm test', ''])
  })

  it('has the code for React that the start page of the documentation has', async () => {
    const [code] = await documentedBlocks('In your code', 'README.md')
    expect(await documentedBlocks('Use it in your code', 'docs/index.md')).toEqual([code])
  })

  it('has links and pictures that lead to something in the repository', async () => {
    const text = pages.get('README.md') as string
    const targets = [...text.matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
      ([, link, picture]) => (link ?? picture) as string,
    )
    expect(targets.length).toBeGreaterThan(30)
    const broken: string[] = []
    for (const target of targets) {
      const [path = '', anchor] = target.split('#')
      const page = await readFile(path, 'utf8').catch(() => null)
      if (page === null || (anchor && !anchorsOf(page).includes(anchor))) broken.push(target)
    }
    expect(broken).toEqual([])
  })
})

describe('what README, CONTRIBUTING and the pages tell to run', () => {
  it('has only scripts that there are, and every script is told of', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
    const named = new Map<string, string>()
    for (const [path, text] of pages)
      for (const [, script = ''] of text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g))
        named.set(script, path)
    const own = Object.keys(scripts)
    expect([...named].filter(([script]) => !own.includes(script))).toEqual([])
    const untold = own.filter(script => !named.has(script) && !['start', 'test'].includes(script))
    expect(untold.sort()).toEqual(INTERNAL_SCRIPTS.sort())
  })

  it('has only commands that there are', () => {
    const { commands } = operatorProgram({
      environment: {},
      input: process.stdin,
      print: () => {},
      printError: () => {},
    })
    const own = commands.map(command => command.name())
    const unknown: string[] = []
    let count = 0
    for (const [path, text] of pages)
      for (const [, command = ''] of text.matchAll(
        /(?:npm run cli -- |cli\.js |npx mainstay-auth |run --rm cli )([a-z]+:?[a-z-]*)/g,
      )) {
        count += 1
        if (!own.includes(command)) unknown.push(`${path}: ${command}`)
      }
    expect(count).toBeGreaterThan(30)
    expect(unknown).toEqual([])
  })
})

/** Of the headings of a page, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}
