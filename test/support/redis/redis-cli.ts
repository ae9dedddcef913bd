import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What `redis-cli` prints for one command, trimmed. Rejects when the server does not answer in 5 s. */
export async function redisCli(port: number, ...command: string[]): Promise<string> {
  const { stdout } = await run('redis-cli', ['-h', '127.0.0.1', '-p', String(port), ...command], {
    timeout: 5_000,
  })
  return stdout.trim()
}

/** One field of INFO, `CLUSTER INFO` and their like (`master_link_status:up`); null when it is not there. */
export function infoField(info: string, field: string): string | null {
  return info.match(new RegExp(`^${field}:(.*?)\\r?$`, 'm'))?.[1] ?? null
}
