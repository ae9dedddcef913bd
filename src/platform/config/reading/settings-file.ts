import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { withoutByteOrderMark } from '../byte-order-mark.js'

/** What an env file has, by name; nothing when there is no such file. */
export function readSettingsFile(path: string): Record<string, string> {
  if (!existsSync(path)) return {}
  return parseEnv(withoutByteOrderMark(readFileSync(path, 'utf8'))) as Record<string, string>
}

/**
 * With a number for each `<PORT>` or `<PORT+10>` in the file: what listens beside the service moves with it, so
 * that another PORT is enough for another instance. A `port` that is no number is a fault that others report.
 */
export function withPorts(
  file: Readonly<Record<string, string>>,
  port: string | undefined,
): Record<string, string> {
  const first = [port, file.PORT].map(text => Number(text?.trim())).find(number => number > 0)
  if (first === undefined) return { ...file }
  const numbered = (text: string) =>
    text.replace(/<PORT(?:\+(\d+))?>/g, (_, steps = '0') => String(first + Number(steps)))
  return Object.fromEntries(Object.entries(file).map(([name, text]) => [name, numbered(text)]))
}
