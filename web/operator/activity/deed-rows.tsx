import type { ReactNode } from 'react'
import { Link } from '../../pieces/router.js'
import type { Deed } from '../answers.js'
import { t } from '../language.js'
import { AccountLink } from '../rows/account-link.js'
import { DeedRow } from '../rows/deed-row.js'
import { whatIn } from '../rows/log-rows.js'
import { Reason } from '../rows/reason.js'
import { RowList } from '../rows/row-list.js'

/** Sentences: who did what to whom, and why. */
export function DeedRows({ deeds }: { readonly deeds: readonly Deed[] }) {
  return (
    <RowList of={deeds} icon="list" none={t('console.activity.none')}>
      {deed => (
        <DeedRow
          key={deed.id}
          {...deed}
          who={deed.operator ?? t('console.log.commandLine')}
          what={<Sentence deed={deed} />}
        >
          {detailsOf(deed)}
        </DeedRow>
      )}
    </RowList>
  )
}

/** With a link to the user, where it names one. */
function Sentence({ deed }: { readonly deed: Deed }) {
  const { userId, detail } = deed
  const whom = whomOf(deed)
  // In the console nobody ever acts on themselves.
  const text = whatIn({ ...deed, detail: { ...detail, operator: true } }, userId ? { [userId]: whom } : {})
  const [before, ...after] = text.split(whom)
  if (!userId || after.length === 0) return text
  return (
    <>
      {before}
      <UserLink deed={deed} />
      {after.join(whom)}
    </>
  )
}

function whomOf({ email }: Deed): string {
  return email ?? t('console.log.somebody')
}

function UserLink({ deed }: { readonly deed: Deed }) {
  return <Link href={`/users/${deed.userId}`}>{whomOf(deed)}</Link>
}

/** The reason, the account, and further details; null where there are none. */
function detailsOf(deed: Deed): ReactNode {
  const { operator, outcome, reason, userId, accountId, accountName, detail } = deed
  const parts = [
    reason && (
      <Reason key="reason" operator={operator} outcome={outcome}>
        {reason}
      </Reason>
    ),
    accountId && <AccountLink key="account" id={accountId} name={accountName} />,
    ...[detail.text, detail.origin, detail.subject, detail.event, userId ? undefined : detail.email].map(
      text => typeof text === 'string' && <span key={text}>{text}</span>,
    ),
  ].filter(Boolean)
  if (parts.length === 0) return null
  return parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]))
}
