import type { Client } from '@mainstay-auth/client'
import type { SessionAnswer as Session, SiteSessionsAnswer as SiteSessions } from '@mainstay-auth/client/api'
import { ConfirmButton } from './controls.js'
import { useLoad } from './loading.js'
import { toast } from './notices.js'
import { Badge } from './page.js'
import { deviceWords, isPhone } from './people.js'
import { hostOf } from './site.js'
import { t } from './t.js'
import { T } from './text.js'
import { Ago, When } from './time.js'

export type { Session, SiteSessions }

interface Row {
  readonly session: Session
  readonly site: string
}

/** Sessions of all sites, each with a button to end it: this one first, then the most recently used. */
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
  if (rows.length === 0) return <p className="absent">{t('session.none')}</p>
  return (
    <ul className="rows">
      {rows.toSorted(byUse).map(row => (
        <SessionRow key={row.session.sid} {...row} end={end} />
      ))}
    </ul>
  )
}

function SessionRow({ session, site, end }: Row & { readonly end: (session: Session) => Promise<unknown> }) {
  const { current, place, ip, lastUsed, createdAt, idleAt } = session
  const device = deviceWords(session.device)
  return (
    <li>
      <div className="with-badge">
        <Badge icon={isPhone(session.device) ? 'phone' : 'laptop'} />
        <div>
          <strong>{device}</strong> {current && <span className="tag good">{t('session.this')}</span>}
          <small>{[site, place, ip].filter(Boolean).join(' · ')}</small>
          <small>
            <T id="session.used" lastUsed={<Ago at={lastUsed} />} createdAt={<Ago at={createdAt} />} />
          </small>
          {idleAt && (
            <small>
              <T id="session.idleAt" date={<When at={idleAt} />} />
            </small>
          )}
        </div>
      </div>
      <ConfirmButton
        name={t('session.end')}
        label={t('session.endLabel', { device, site })}
        question={current ? t('session.endHere') : t('session.endThere', { device })}
        confirm={t('session.end')}
        act={() => end(session)}
      >
        <p>{current ? t('session.endHereMeans') : t('session.endThereMeans', { device, site })}</p>
      </ConfirmButton>
    </li>
  )
}

function byUse({ session: one }: Row, { session: other }: Row): number {
  if (one.current !== other.current) return one.current ? -1 : 1
  return other.lastUsed.localeCompare(one.lastUsed)
}

function nameOf(kind: SiteSessions['kind'], site: string | null): string {
  if (kind === 'app' || site === null) return t('session.app')
  return kind === 'main' ? t('session.mainSite', { host: hostOf(site) }) : hostOf(site)
}

/** The sessions of the user who is logged in, and how to end one. */
export function useOwnSessions(
  call: <T>(method: 'GET' | 'DELETE', path: string) => Promise<T>,
  client: Client,
) {
  const sessions = useLoad(() => call<{ sites: SiteSessions[] }>('GET', 'sessions'))
  const end = async ({ sid, current }: Session) => {
    if (current) return client.logout()
    await call('DELETE', `sessions/${sid}`)
    await sessions.reload()
    toast(t('session.ended'))
  }
  return { sessions, end }
}
