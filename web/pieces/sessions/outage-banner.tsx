import type { Client, WaitReason } from '@mainstay-auth/client'
import { useSession } from '@mainstay-auth/react'
import { useFocusRescue } from '../forms/button.js'
import { breakable } from '../language/breakable.js'
import { t } from '../language/t.js'
import { hostOf, site } from '../site/site.js'
import { retryNow, useOutage } from './outage.js'

/** One sentence about an outage, for everything on the page that is waiting; nothing without an outage. */
export function OutageBanner({ client }: { readonly client: Client }) {
  const { status, reason: sessionReason } = useSession(client)
  const pageReason = useOutage()
  const reason = pageReason ?? (status === 'loggedOut' ? null : sessionReason)
  const tryNow = () => {
    // The client wakes up on the same event.
    dispatchEvent(new Event('online'))
    retryNow()
  }
  return <OutageNotice reason={reason} tryNow={tryNow} />
}

/** The sentence, with a button to retry at once; nothing without a reason to wait. */
export function OutageNotice({
  reason,
  tryNow,
}: {
  readonly reason: WaitReason | null | undefined
  readonly tryNow: () => void
}) {
  if (!reason) return null
  return (
    <div className="outage" role="status">
      {breakable(wordsFor(reason))} {reason !== 'origin' && t('outage.trying')} <TryNow tryNow={tryNow} />
    </div>
  )
}

function TryNow({ tryNow }: { readonly tryNow: () => void }) {
  const button = useFocusRescue()
  return (
    <button ref={button} type="button" className="link" onClick={tryNow}>
      {t('outage.now')}
    </button>
  )
}

/** The text for people about a reason to wait. */
export function wordsFor(reason: WaitReason): string {
  if (reason === 'origin') return t('outage.origin', { api: hostOf(site.apiUrl) })
  if (!navigator.onLine) return t('outage.offline')
  return reason === 'network' ? t('outage.network') : t('outage.service')
}
