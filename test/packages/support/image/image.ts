import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { CleanRoot, type InRoot, NPM_MOUNTS } from './clean-root.js'
import { ignoredBy, type Stage, type Step, stagesOf } from './dockerfile.js'

const run = promisify(execFile)
const CONTEXT = join(__dirname, '../../../..')

/** What npm is told of registries and certificates, as `docker build` has it from its machine. */
const OF_NPM = /^npm_config_|^NODE_EXTRA_CA_CERTS$|^SSL_CERT_|_proxy$/i

/** Our Dockerfile's image, made step by step in folders of this machine, since there may be no Docker here. */
export class Image {
  workdir = '/'
  user: 'root' | 'node' = 'root'
  env: Record<string, string> = {}
  command: string[] = []
  healthCheck: string[] = []
  private readonly mounts: Record<string, string> = { ...NPM_MOUNTS }

  private constructor(readonly root: CleanRoot) {}

  /** Takes every step. A file that a COPY names and that is not there, or a command that fails, rejects. */
  static async build(): Promise<{ image: Image; remove(): Promise<void> }> {
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-image-'))
    const remove = () => rm(folder, { recursive: true, force: true })
    try {
      const stages = stagesOf(await readFile(join(CONTEXT, 'Dockerfile'), 'utf8'))
      const built = new Map<string, Promise<Image>>()
      // As BuildKit does: stages that do not need each other are made at the same time.
      for (const stage of stages) built.set(stage.name, Image.of(stage, folder, built))
      return { image: await (built.get('') as Promise<Image>), remove }
    } catch (error) {
      await remove()
      throw error
    }
  }

  private static async of(
    { name, steps }: Stage,
    folder: string,
    built: Map<string, Promise<Image>>,
  ): Promise<Image> {
    const image = new Image(await CleanRoot.at(join(folder, name || 'image')))
    const ignored = ignoredBy(await readFile(join(CONTEXT, '.dockerignore'), 'utf8'))
    for (const step of steps) await image.take(step, built, ignored)
    return image
  }

  /** Takes the further steps of a Dockerfile that is based on this image. */
  async extend(dockerfile: string): Promise<void> {
    for (const step of stagesOf(dockerfile)[0]?.steps ?? []) await this.take(step, new Map(), () => false)
  }

  private async take(
    { instruction, text }: Step,
    built: Map<string, Promise<Image>>,
    ignored: (path: string) => boolean,
  ): Promise<void> {
    if (instruction === 'WORKDIR') this.workdir = text
    else if (instruction === 'USER') this.user = text as 'node'
    else if (instruction === 'ENV') this.env[text.split('=')[0] as string] = text.split('=')[1] as string
    else if (instruction === 'CMD') this.command = JSON.parse(text)
    else if (instruction === 'HEALTHCHECK') this.healthCheck = JSON.parse(text.slice(text.indexOf('[')))
    else if (instruction === 'RUN') await this.runStep(text)
    else if (instruction === 'COPY') await this.copy(text.split(/\s+/), built, ignored)
    else if (instruction !== 'EXPOSE') throw new Error(`The test does not know ${instruction}`)
  }

  private async runStep(script: string): Promise<void> {
    // The checkout has what this would bring, minutes later. Of the packages of production, npm brings the real ones.
    const isOfCheckout = script === 'npm ci'
    if (isOfCheckout) this.mounts[join(this.workdir, 'node_modules')] = join(CONTEXT, 'node_modules')
    const ofNpm = Object.entries(process.env).filter(([name]) => OF_NPM.test(name)) as [string, string][]
    const where: InRoot = {
      workdir: this.workdir,
      env: { ...Object.fromEntries(ofNpm), ...this.env, npm_config_prefer_offline: 'true' },
      mounts: isOfCheckout ? {} : this.mounts,
    }
    const commands = isOfCheckout ? 'mkdir node_modules' : script
    await outputOf(this.root.spawn(['sh', '-ec', commands], where), `RUN ${script}`)
  }

  private async copy(
    words: readonly string[],
    built: Map<string, Promise<Image>>,
    ignored: (path: string) => boolean,
  ): Promise<void> {
    const stage = /^--from=(.*)$/.exec(words[0] as string)?.[1]
    const source = stage ? (await (built.get(stage) as Promise<Image>)).root.folder : CONTEXT
    const paths = words.slice(stage ? 1 : 0, -1)
    const given = words.at(-1) as string
    const target = join(this.root.folder, this.workdir, given)
    for (const path of paths) {
      const isFolder = (await stat(join(source, path))).isDirectory()
      const isInto = given.endsWith('/') && !isFolder
      const to = isInto ? join(target, basename(path)) : target
      await (stage ? link(join(source, path), to) : copyContext(path, to, ignored))
    }
  }

  /** The command as a container of this image runs it: its user, its environment and these settings, its files read-only. */
  start(
    command: readonly string[],
    settings: Readonly<Record<string, string>>,
    writable: readonly string[] = [],
  ): ChildProcess {
    const { workdir, user, env } = this
    return this.root.spawn(command, { workdir, user, env: { ...env, ...settings }, writable })
  }

  /** What the command prints. Rejects with everything it said when it fails. */
  run(
    command: readonly string[],
    settings: Readonly<Record<string, string>>,
    writable: readonly string[] = [],
  ) {
    return outputOf(this.start(command, settings, writable), command.join(' '))
  }
}

async function outputOf(child: ChildProcess, what: string): Promise<string> {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', chunk => {
      output += chunk
    })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${what}: exit code ${code}\n${output.slice(-3_000)}`)
  return output
}

async function copyContext(path: string, target: string, ignored: (path: string) => boolean) {
  await mkdir(dirname(target), { recursive: true })
  const filter = (from: string) => !ignored(relative(CONTEXT, from))
  await cp(join(CONTEXT, path), target, { recursive: true, verbatimSymlinks: true, filter })
}

/** As hard links: what another stage has made changes no more. */
async function link(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  await run('cp', ['--archive', '--link', '--no-target-directory', source, target])
}
