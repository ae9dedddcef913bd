import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { chmod, lstat, mkdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** What the base image has: the system's programs and this Node, with a user `node`. */
const PASSWD = 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n'
const GROUP = 'root:x:0:\nnode:x:1000:\n'
const SYSTEM_FOLDERS = ['bin', 'sbin', 'lib', 'lib64']
const NODE_FOLDER = dirname(dirname(process.execPath))

export interface InRoot {
  readonly workdir: string
  /** Nothing else is in the environment, but where to find programs. */
  readonly env: Readonly<Record<string, string>>
  readonly user?: 'root' | 'node'
  /** The whole root but these folders is read-only. */
  readonly writable?: readonly string[]
  /** Folders of this machine that are seen at these paths. */
  readonly mounts?: Readonly<Record<string, string>>
}

/** A folder that programs take for the whole file system, with the system's own programs mounted in it. */
export class CleanRoot {
  private constructor(readonly folder: string) {}

  static async at(folder: string): Promise<CleanRoot> {
    for (const name of ['usr', 'etc', 'dev', 'proc', 'node', 'root/.npm', 'app', 'tmp', 'home/node'])
      await mkdir(join(folder, name), { recursive: true })
    for (const name of SYSTEM_FOLDERS) {
      const stats = await lstat(`/${name}`).catch(() => null)
      if (stats?.isSymbolicLink()) await symlink(await readlink(`/${name}`), join(folder, name))
    }
    await chmod(folder, 0o755)
    await chmod(join(folder, 'tmp'), 0o1777)
    await writeFile(`${folder}.passwd`, PASSWD)
    await writeFile(`${folder}.group`, GROUP)
    return new CleanRoot(folder)
  }

  /** Runs the command in there, without a shell around it: signals reach it. */
  spawn(command: readonly string[], where: InRoot, options: SpawnOptions = {}): ChildProcess {
    const { workdir, env, user = 'root' } = where
    const variables = { PATH: '/node/bin:/usr/local/bin:/usr/bin:/bin', HOME: '/root', ...env }
    const inside = [
      ...['chroot', `--userspec=${user === 'root' ? '0:0' : '1000:1000'}`, this.folder],
      ...['/usr/bin/env', '-i', '-C', workdir],
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      ...command,
    ]
    const script = [...this.mounting(where), 'exec "$@"'].join('\n')
    return spawn('unshare', [...NAMESPACE, 'sh', '-ec', script, 'sh', ...inside], options)
  }

  private mounting({ writable, mounts = {} }: InRoot): string[] {
    const at = (path: string) => `'${join(this.folder, path)}'`
    const own = writable
      ? [
          `mount --bind ${at('')} ${at('')}`,
          ...writable.map(path => `mount --bind ${at(path)} ${at(path)}`),
          `mount -o remount,ro,bind ${at('')}`,
        ]
      : []
    return [
      ...own,
      ...['usr', 'etc', 'proc'].map(name => `mount --rbind /${name} ${at(name)}`),
      `mount --rbind /dev ${at('dev')}`,
      `mount --bind '${this.folder}.passwd' ${at('etc/passwd')}`,
      `mount --bind '${this.folder}.group' ${at('etc/group')}`,
      `mount --bind '${NODE_FOLDER}' ${at('node')}`,
      ...Object.entries(mounts).map(([path, from]) => `mount --bind '${from}' ${at(path)}`),
    ]
  }
}

/** Mounts of our own. Who is not root becomes root of a namespace, where also other users are known. */
const NAMESPACE = process.getuid?.() === 0 ? ['--mount'] : ['--map-root-user', '--map-auto', '--mount']

/** npm's own settings and downloads, so that packages come from where they come for everybody here. */
export const NPM_MOUNTS = { '/root/.npm': join(homedir(), '.npm') }
