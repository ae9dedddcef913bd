import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { SET_SESSION } from '../../sources.js'
import { freePort } from '../processes/free-port.js'
import { ServerFolder } from '../processes/server-folder.js'
import { ServerProcess } from '../processes/server-process.js'
import { unprivilegedUser } from './postgres-server.js'

export interface PgBouncer {
  /** As the given URL, through PgBouncer. */
  readonly url: string
  stop(): Promise<void>
}

/** Connections to PostgreSQL: so few that requests take turns on them. */
export const POOL_OF_PGBOUNCER = 4
/** What docs/operations/postgresql.md tells operators to set, because a connection that PgBouncer opens by itself has none of it. */
const CONNECT_QUERY = `set statement_timeout = 2000; set idle_in_transaction_session_timeout = 5000; ${SET_SESSION}`

/** A real PgBouncer in front of this database: transaction pooling, everything else as its package has it. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port, pathname, username } = new URL(databaseUrl)
  const own = await freePort()
  const folder = await ServerFolder.create('pgbouncer', 'INT')
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined
  const file = join(folder.path, 'pgbouncer.ini')
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${port} user=${username} connect_query='${CONNECT_QUERY}'`,
      '[pgbouncer]',
      `listen_port = ${own}`,
      'listen_addr = 127.0.0.1',
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${POOL_OF_PGBOUNCER}`,
    ].join('\n'),
  )
  if (user) await chown(folder.path, user.uid, user.gid)
  const url = `postgres://${username}@127.0.0.1:${own}${pathname}`
  const server = await ServerProcess.start({
    command: 'pgbouncer',
    args: [file],
    folder,
    isReady: () => answers(url),
    endSignal: 'SIGINT',
    user,
  })
  return { url, stop: () => server.stop() }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } finally {
    await client.end()
  }
}
