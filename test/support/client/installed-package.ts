import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(__dirname, '../../..')

/** A project that has installed client, react and verify: packed and unpacked, beside the packages that we have ourselves. */
export async function projectWithPackages(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-project-'))
  const modules = join(folder, 'node_modules')
  await linkPackages(modules)
  await mkdir(join(modules, '@mainstay-auth'))
  await Promise.all(
    ['client', 'react', 'verify'].map(async name => {
      const archive = await pack(join('packages', name))
      const unpacked = await mkdtemp(join(folder, 'unpacked-'))
      await run('tar', ['-xf', archive, '-C', unpacked])
      await rename(join(unpacked, 'package'), join(modules, '@mainstay-auth', name))
    }),
  )
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * The path of the archive that `npm publish` would send of one of our packages, which are built before any test runs.
 * Made once in a run: global-teardown.ts removes it.
 */
export async function pack(source: string): Promise<string> {
  const folder = join(process.env.TEST_ARCHIVES as string, source === '.' ? 'service' : source)
  if (!existsSync(folder)) {
    const made = await mkdtemp(join(process.env.TEST_ARCHIVES as string, 'made-'))
    const args = ['pack', '--ignore-scripts', '--pack-destination', made]
    await run('npm', args, { cwd: join(ROOT, source) })
    await mkdir(dirname(folder), { recursive: true })
    // Another worker may have been quicker, with the same archive.
    await rename(made, folder).catch(() => {})
  }
  const [archive] = await readdir(folder)
  return join(folder, archive as string)
}

async function linkPackages(folder: string): Promise<void> {
  await mkdir(folder)
  const names = (await readdir(join(ROOT, 'node_modules'))).filter(
    name => !/^(\.|@mainstay-auth$)/.test(name),
  )
  await Promise.all(names.map(name => symlink(join(ROOT, 'node_modules', name), join(folder, name))))
}
