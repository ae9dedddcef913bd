import { Link } from '../../pieces/router.js'
import { Ago } from '../../pieces/time/when.js'
import type { Deed } from '../answers.js'
import { type ConsoleKey, t } from '../language.js'
import { AccountLink } from '../rows/account-link.js'
import { OutcomeTag, whatIn } from '../rows/log-rows.js'

/** Sentences: who did what to whom, and why. */
export function DeedRows({ deeds }: { readonly deeds: readonly Deed[] }) {
  if (deeds.length === 0) return <p className="absent">{t('console.activity.none')}</p>
  return (
    <ul className="rows">
      {deeds.map(deed => (
        <li key={deed.id}>
          <div>
            <strong>{deed.operator ?? t('console.log.commandLine')}</strong> {sentenceOf(deed)}{' '}
            <OutcomeTag outcome={deed.outcome} />
            <br />
            <small>
              <Details deed={deed} />
            </small>
          </div>
          <small>
            <Ago at={deed.at} />
          </small>
        </li>
      ))}
    </ul>
  )
}

function sentenceOf({ userId, email, detail, ...deed }: Deed): string {
  const people = userId && email ? { [userId]: email } : {}
  // In the console nobody ever acts on themselves.
  return whatIn({ ...deed, userId, detail: { ...detail, operator: true } }, people)
}

/** Why a login or a passkey failed, as the service records it; all other reasons were typed. */
const FAULTS: Readonly<Record<string, ConsoleKey>> = {
  'unknown operator': 'console.fault.operator',
  'wrong password': 'console.fault.password',
  'wrong code': 'console.fault.code',
  'wrong passkey': 'console.fault.passkey',
}

/** The reason, the account, and further details. */
function Details({
  deed: { outcome, reason, userId, email, accountId, accountName, detail },
}: {
  readonly deed: Deed
}) {
  const fault = outcome === 'failed' && reason ? FAULTS[reason] : undefined
  const parts = [
    fault ? t(fault) : reason && <q key="reason">{reason}</q>,
    userId && (
      <Link key="user" href={`/users/${userId}`}>
        {email ?? t('console.log.somebody')}
      </Link>
    ),
    accountId && <AccountLink key="account" id={accountId} name={accountName} />,
    ...[detail.text, detail.origin, detail.subject, detail.event, userId ? undefined : detail.email].map(
      text => typeof text === 'string' && <span key={text}>{text}</span>,
    ),
  ].filter(Boolean)
  return parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]))
}
