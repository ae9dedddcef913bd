import { i18n, type MessageKey, t } from './t.js'

/** Who and what an action was about. */
interface About {
  /** The other person concerned; null where somebody did it to themselves. */
  readonly whom: string | null
  /** The host of a satellite. */
  readonly satellite: string
}

/** An action as done, and as only tried: “ended a session of rosa@example.com”, “end a session of …”. */
interface Words {
  readonly did: string
  readonly tried: string
}

/** The wording for an action of the audit log, or for a step of it; null if it has none. */
export function wordsFor(action: string, about: About, step?: unknown): Words | null {
  const did = known(`audit.did.${action}`, about)
  const tried = known(`audit.try.${action}`, about)
  if (did === null || tried === null) return null
  return { did: known(`audit.step.${action}.${String(step)}`, about) ?? did, tried }
}

/** The message with this name; null when there is none. */
function known(key: string, { whom, satellite }: About): string | null {
  if (!Object.hasOwn(i18n.messages, key)) return null
  return t(key as MessageKey, { whom: whom ?? 'self', satellite })
}
