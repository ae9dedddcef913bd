import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(__dirname, '../../..')

/** A project that has installed this package: built, packed and unpacked, beside the packages that we have ourselves. */
export async function projectWithPackage(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-project-'))
  const packed = join(folder, 'packed')
  await mkdir(packed)
  await build(packed)
  await run('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: packed })
  const [archive] = (await readdir(packed)).filter(name => name.endsWith('.tgz'))
  await run('tar', ['-xf', archive as string], { cwd: packed })
  await linkPackages(join(folder, 'node_modules'))
  await rename(join(packed, 'package'), join(folder, 'node_modules/mainstay'))
  await rm(packed, { recursive: true })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** As `npm run build:library`, to another place: other tests may be using dist. */
async function build(folder: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const dist = join(folder, 'dist/packages')
  await run(process.execPath, [tsc, '-p', 'tsconfig.library.json', '--outDir', dist], { cwd: ROOT })
  await run(process.execPath, ['packages/client/bundle.mjs', join(dist, 'client/src')], { cwd: ROOT })
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
}

async function linkPackages(folder: string): Promise<void> {
  await mkdir(folder)
  const names = (await readdir(join(ROOT, 'node_modules'))).filter(name => !name.startsWith('.'))
  await Promise.all(names.map(name => symlink(join(ROOT, 'node_modules', name), join(folder, name))))
}
