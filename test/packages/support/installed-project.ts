import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(__dirname, '../../..')

/** A folder that had nothing in it but what npm has installed from archives. */
export class InstalledProject {
  private constructor(readonly folder: string) {}

  static async with(...archives: string[]): Promise<InstalledProject> {
    const project = new InstalledProject(await mkdtemp(join(tmpdir(), 'mainstay-installed-')))
    await project.write('package.json', '{ "type": "module" }')
    // With everything that npm is told of registries and certificates.
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...archives], {
      cwd: project.folder,
      env: { ...process.env, NODE_ENV: undefined },
    })
    return project
  }

  /** How many packages npm has installed. */
  async packages(): Promise<number> {
    const note = await readFile(join(this.folder, 'node_modules/.package-lock.json'), 'utf8')
    return Object.keys(JSON.parse(note).packages).length
  }

  /** The bytes of all files of an installed package, without packages of its own. */
  async bytes(name: string): Promise<number> {
    const folder = join(this.folder, 'node_modules', name)
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
    const stats = await Promise.all(files.map(file => stat(file)))
    return stats.reduce((sum, { size }) => sum + size, 0)
  }

  /** Puts packages beside the installed ones that the project would have anyway. */
  async link(...names: string[]): Promise<void> {
    for (const name of names) {
      const path = join(this.folder, 'node_modules', name)
      await mkdir(dirname(path), { recursive: true })
      await symlink(join(ROOT, 'node_modules', name), path)
    }
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text)
  }

  /** What a program prints on standard output. Rejects with its `stderr` when it fails. */
  async run(command: string, ...args: string[]): Promise<string> {
    const { stdout } = await run(command, args, {
      cwd: this.folder,
      env: this.environment(),
      timeout: 240_000,
    })
    return stdout
  }

  /** No setting of anybody; the Node that runs this test before any other. */
  environment(): Record<string, string> {
    const { PATH = '', HOME = '' } = process.env
    return { PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, HOME }
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}
