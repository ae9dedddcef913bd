import { ConfirmButton } from '../forms/confirm-button.js'
import { hostOf } from '../site.js'
import { When } from '../when.js'

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

/** Sessions by site, each with a way to end it. */
export function SessionList({
  sites,
  end,
}: {
  readonly sites: readonly SiteSessions[]
  readonly end: (session: Session) => Promise<unknown>
}) {
  if (sites.length === 0) return <p>There are no sessions.</p>
  return sites.map(({ site, kind, sessions }) => (
    <div key={`${kind} ${site}`}>
      <h3>{nameOf(kind, site)}</h3>
      <ul className="rows">
        {sessions.map(session => (
          <li key={session.sid}>
            <div>
              {session.device} {session.current && <span className="tag good">This session</span>}
              <small>
                {session.place ? `${session.place}, ` : ''}
                {session.ip} · last used <When at={session.lastUsed} />
              </small>
              <small>
                since <When at={session.createdAt} />, expires <When at={session.expiresAt} />
              </small>
            </div>
            <ConfirmButton
              name="End"
              label={`End the session on ${session.device}`}
              question="End this session?"
              confirm="End the session"
              act={() => end(session)}
            >
              <p>Whoever uses {session.device} there has to log in again.</p>
            </ConfirmButton>
          </li>
        ))}
      </ul>
    </div>
  ))
}

function nameOf(kind: SiteSessions['kind'], site: string | null): string {
  if (kind === 'app' || site === null) return 'Apps'
  return kind === 'main' ? `Main site (${hostOf(site)})` : hostOf(site)
}
