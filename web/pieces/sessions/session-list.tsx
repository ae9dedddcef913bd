import { ConfirmButton } from '../forms/confirm-button.js'
import { hostOf } from '../site.js'
import { Ago } from '../when.js'

/** As the service answers it; times are ISO 8601. */
export interface Session {
  readonly sid: string
  readonly current: boolean
  readonly device: string
  readonly place: string | null
  readonly ip: string
  readonly createdAt: string
  readonly lastUsed: string
  readonly expiresAt: string
}

export interface SiteSessions {
  readonly site: string | null
  readonly kind: 'main' | 'satellite' | 'app'
  readonly sessions: readonly Session[]
}

interface Row {
  readonly session: Session
  readonly site: string
}

/** Sessions of all sites, each with a way to end it: this one first, then the most recently used. */
export function SessionList({
  sites,
  end,
}: {
  readonly sites: readonly SiteSessions[]
  readonly end: (session: Session) => Promise<unknown>
}) {
  const rows = sites.flatMap(({ kind, site, sessions }) =>
    sessions.map(session => ({ session, site: nameOf(kind, site) })),
  )
  if (rows.length === 0) return <p className="absent">There are no sessions.</p>
  return (
    <ul className="rows">
      {rows.toSorted(byUse).map(row => (
        <SessionRow key={row.session.sid} {...row} end={end} />
      ))}
    </ul>
  )
}

function SessionRow({ session, site, end }: Row & { readonly end: (session: Session) => Promise<unknown> }) {
  const { device, current, place, ip, lastUsed, createdAt } = session
  return (
    <li>
      <div>
        <strong>{device}</strong> {current && <span className="tag good">This session</span>}
        <small>{[site, place, ip].filter(Boolean).join(' · ')}</small>
        <small>
          Last used <Ago at={lastUsed} /> · logged in <Ago at={createdAt} />
        </small>
      </div>
      <ConfirmButton
        name="Sign out"
        kind="plain"
        label={`Sign out ${device} at ${site}`}
        question={current ? 'Sign out here?' : `Sign out ${device}?`}
        confirm="Sign out"
        act={() => end(session)}
      >
        <p>
          {current
            ? 'You have to log in again to come back.'
            : `Whoever uses ${device} at ${site} has to log in again.`}
        </p>
      </ConfirmButton>
    </li>
  )
}

function byUse({ session: one }: Row, { session: other }: Row): number {
  if (one.current !== other.current) return one.current ? -1 : 1
  return other.lastUsed.localeCompare(one.lastUsed)
}

function nameOf(kind: SiteSessions['kind'], site: string | null): string {
  if (kind === 'app' || site === null) return 'App'
  return kind === 'main' ? `Main site (${hostOf(site)})` : hostOf(site)
}
