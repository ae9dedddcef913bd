import { auditLog } from '../../sources.js'
import type { Service } from './service.js'

/** A token, a signature of an event, or a password's hash, whoever's it is. */
const KINDS = [/\beyJ[\w-]+\.eyJ[\w-]+/, /\bv1=[0-9a-f]{64}/i, /\$argon2id\$/]

/** The secrets that stand in the service's log or audit log: none, if all is well. */
export async function secretsKeptBy(service: Service): Promise<string[]> {
  const rows = await service.query(db => db.select().from(auditLog))
  const text = [...(await service.logLines()), JSON.stringify(rows)].join('\n')
  const ofAKind = KINDS.map(kind => kind.exec(text)?.[0]).filter(found => found !== undefined)
  return [...service.secrets.foundIn(text), ...ofAKind]
}
