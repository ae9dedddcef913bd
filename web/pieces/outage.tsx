import { type Client, MainstayError, type WaitReason } from '@mainstay-auth/client'
import { useSession } from '@mainstay-auth/react'
import { useFocusRescue } from './forms.js'
import { sharedValue } from './shared-value.js'
import { hostOf, site } from './site.js'
import { t } from './t.js'
import { breakable } from './text.js'

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

const FIRST_WAIT_MS = 3_000
const LONGEST_WAIT_MS = 30_000

/** Refusals that concern the service as a whole. */
const OUTAGE_CODES = ['UNKNOWN', 'SESSION_STORE_UNAVAILABLE', 'DATABASE_UNAVAILABLE', 'NOT_READY']

/** What could not be loaded in an outage, to be retried; each resolves to whether it succeeded. */
const waiting = new Map<object, () => Promise<unknown>>()
/** Why something is waiting; null when nothing is. */
const waitReason = sharedValue<WaitReason | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined
let failures = 0

addEventListener('online', retryNow)
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && retryNow())

/** Why a call failed, if that is due to the network or the service and not to the call; null otherwise. */
export function outageIn(error: unknown): WaitReason | null {
  if (!(error instanceof Error)) return null
  if (!(error instanceof MainstayError)) return error.name === 'TimeoutError' ? 'service' : 'network'
  return error.status >= 500 && OUTAGE_CODES.includes(error.code) ? 'service' : null
}

/** Keeps retrying what `owner` could not load, together with everything else that is waiting. */
export function retryLater(owner: object, error: unknown, retry: () => Promise<unknown>): void {
  waiting.set(owner, retry)
  plan()
  waitReason.set(outageIn(error))
}

/** Call it when it has been loaded, or nobody needs it any more. */
export function stopRetrying(owner: object): void {
  if (!waiting.delete(owner) || waiting.size > 0) return
  failures = 0
  clearTimeout(timer)
  timer = undefined
  waitReason.set(null)
}

export function retryNow(): void {
  clearTimeout(timer)
  timer = undefined
  if (waiting.size === 0) return
  failures += 1
  for (const retry of [...waiting.values()]) void retry()
}

export function useOutage(): WaitReason | null {
  return waitReason.useValue()
}

function plan(): void {
  timer ??= setTimeout(retryNow, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures))
}
