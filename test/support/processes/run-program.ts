import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** A process that should have ended long before has begun to serve. */
const ENDS_WITHIN_MS = 60_000

export interface Ended {
  /** Null for one that had to be killed. */
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Runs a built program in this environment and no other, until it ends. */
export async function run(
  program: string,
  args: string[],
  environment: Readonly<Record<string, string>>,
  endsWithinMs = ENDS_WITHIN_MS,
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: endsWithinMs,
    killSignal: 'SIGKILL',
  })
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, output, errors }
}
