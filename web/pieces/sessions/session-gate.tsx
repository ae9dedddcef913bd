import type { Caller, Client, WaitReason } from '@mainstay-auth/client'
import { useSession } from '@mainstay-auth/react'
import { Activity, type ReactNode, useRef } from 'react'
import { t } from '../language/t.js'
import { Hint } from '../notice.js'
import { Waiting } from '../waiting.js'
import { OutageBanner, wordsFor } from './outage-banner.js'

/**
 * What only people who are logged in see; all others see `login`, at the same address, and go on from there. Whose
 * session was ended elsewhere finds what they were typing after they have logged in again.
 */
export function SessionGate({
  client,
  login,
  children,
}: {
  readonly client: Client
  /** `news` is what there is to say about the session of before. */
  readonly login: (news: ReactNode) => ReactNode
  readonly children: (caller: Caller) => ReactNode
}) {
  const state = useSession(client)
  const { status, caller, reason } = state
  const last = useRef<Caller | null>(null)
  const wasLoggedIn = useRef(false)
  if (caller) wasLoggedIn.current = true
  if (caller) last.current = caller
  // Who has logged out leaves nothing behind.
  else if (state.status === 'loggedOut' && state.cause !== 'ended') last.current = null
  if (status === 'unknown')
    return (
      <>
        <OutageBanner client={client} />
        <main className="small">
          <Waiting />
        </main>
      </>
    )
  const shown = last.current
  return (
    <>
      {!caller && login(<LogoutNews reason={reason} wasLoggedIn={wasLoggedIn.current} />)}
      {shown && (
        <Activity key={shown.userId} mode={caller ? 'visible' : 'hidden'}>
          {children(shown)}
        </Activity>
      )}
    </>
  )
}

function LogoutNews({
  reason,
  wasLoggedIn,
}: {
  readonly reason: WaitReason | undefined
  readonly wasLoggedIn: boolean
}) {
  if (reason) return <Hint>{t('session.endsLater', { reason: wordsFor(reason) })}</Hint>
  return wasLoggedIn ? <Hint>{t('session.loggedOut')}</Hint> : null
}
