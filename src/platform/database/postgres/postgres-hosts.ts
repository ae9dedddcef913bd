import pg from 'pg'
import { within } from '../../time.js'
import { isAnswering } from './postgres-outage.js'

const HOSTS = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/

/**
 * The URL of each host: `postgres://a:1,b:2/mainstay` is `postgres://a:1/mainstay` and
 * `postgres://b:2/mainstay`.
 */
export function hostUrls(url: string): string[] {
  const [, before = '', hosts = '', rest = ''] = HOSTS.exec(url) ?? []
  return hosts.includes(',') ? hosts.split(',').map(host => before + host + rest) : [url]
}

/**
 * The URL of a host that takes writes: `current` if it does, otherwise another. Rejects when there is none
 * within `limitMs`, or within twice that if `current` does not answer and there are others.
 */
export async function findPrimary(
  urls: readonly string[],
  current: string,
  limitMs: number,
): Promise<string> {
  const others = urls.filter(url => url !== current)
  try {
    return await tryHost(current, limitMs)
  } catch (error) {
    if (isAnswering(error)) return current
    if (others.length === 0) throw error
    return await Promise.any(others.map(url => tryHost(url, limitMs)))
  }
}

async function tryHost(url: string, limitMs: number): Promise<string> {
  const client = new pg.Client({ connectionString: url, application_name: 'mainstay' })
  client.on('error', () => {
    // The error that matters is thrown below.
  })
  try {
    await within(limitMs, requireWritable(client))
    void client.end().catch(() => {})
    return url
  } catch (error) {
    // A server that does not answer would not answer a close either.
    client.connection.stream.destroy()
    throw error
  }
}

/** The setting is "on" for a standby, and for a server that is read-only for another reason. */
async function requireWritable(client: pg.Client): Promise<void> {
  await client.connect()
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('the server is read-only')
}
