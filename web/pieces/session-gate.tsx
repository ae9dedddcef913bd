import type { Caller, Client, LogoutCause, State } from '@mainstay-auth/client'
import { useSession } from '@mainstay-auth/react'
import { type ReactNode, useRef } from 'react'
import { Activity } from './activity.js'
import { Waiting } from './loading.js'
import { Hint } from './notices.js'
import { OutageBanner, wordsFor } from './outage.js'
import { BrandLink } from './page.js'
import { site } from './site.js'
import { t } from './t.js'

/**
 * What only people who are logged in see; everybody else sees `login` at the same address, and continues from
 * there. People whose session was ended elsewhere find what they were typing after they have logged in again.
 */
export function SessionGate({
  client,
  login,
  children,
}: {
  readonly client: Client
  /** `news` is the message about the previous session. */
  readonly login: (news: ReactNode) => ReactNode
  readonly children: (caller: Caller) => ReactNode
}) {
  const state = useSession(client)
  const { status, caller } = state
  const last = useRef<Caller | null>(null)
  const wasLoggedIn = useRef(false)
  if (caller) wasLoggedIn.current = true
  if (caller) last.current = caller
  // Logging out leaves nothing behind.
  else if (!isOverByItself(state)) last.current = null
  if (status === 'unknown')
    return (
      <>
        <OutageBanner client={client} />
        <main className="small">
          {state.reason && <BrandLink href="/" />}
          <div className={state.reason ? 'card' : ''}>
            {state.reason && <h1 className="unseen">{site.name}</h1>}
            <Waiting />
          </div>
        </main>
      </>
    )
  const shown = last.current
  return (
    <>
      {!caller && login(<LogoutNews state={state} wasLoggedIn={wasLoggedIn.current} />)}
      {shown && (
        <Activity key={shown.userId} isShown={!!caller}>
          {children(shown)}
        </Activity>
      )}
    </>
  )
}

/** Whether the session has ended without a logout here. */
function isOverByItself(state: State): boolean {
  return state.status === 'loggedOut' && ['revoked', 'expired', 'idle', 'ended'].includes(state.cause ?? '')
}

/** Above the login form: why people must log in again. */
function LogoutNews({ state, wasLoggedIn }: { readonly state: State; readonly wasLoggedIn: boolean }) {
  if (state.status !== 'loggedOut') return null
  const { reason, cause } = state
  if (reason) return <Hint isNews>{t('session.endsLater', { reason: wordsFor(reason) })}</Hint>
  // A page that only finishes an earlier page's logout has nothing to say about it.
  const isNews = wasLoggedIn || isOverByItself(state)
  return isNews ? <Hint isNews>{t(NEWS[cause ?? 'ended'])}</Hint> : null
}

const NEWS = {
  logout: 'session.loggedOut',
  logoutElsewhere: 'session.loggedOutInTab',
  revoked: 'session.wasRevoked',
  expired: 'session.hasExpired',
  idle: 'session.wasIdle',
  ended: 'session.isOver',
} as const satisfies Record<LogoutCause, string>
