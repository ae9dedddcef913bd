import type { ReactNode } from 'react'
import { ActionRow } from '../../pieces/forms.js'
import { ChoiceField, DayField, periodIn, StateFilter } from '../../pieces/lists.js'
import { Loaded, useLoad, usePages } from '../../pieces/loading.js'
import { Page, Section } from '../../pieces/page.js'
import { Link, usePlace } from '../../pieces/router.js'
import { type Activity, ask, type Deed, type OperatorNames } from '../api.js'
import { t } from '../language.js'
import { AccountLink, DeedRow, Reason, RowList, whatIn } from '../rows.js'

/** What operators did. The filter is in the address, so that it can be shared. */
export function ActivityPage() {
  const { query } = usePlace()
  const filter = activityQuery(query)
  const { list, more } = usePages(async after => {
    const asked = new URLSearchParams([...filter, ...(after ? [['after', after]] : [])])
    const { entries, next } = await ask<Activity>(`activity?${asked}`)
    return { rows: entries, next }
  }, filter.toString())
  return (
    <Page title={t('console.activity.title')}>
      <StateFilter
        name="kind"
        drops="action"
        states={[
          ['', t('console.activity.changes')],
          ['looks', t('console.activity.looks')],
          ['logins', t('console.activity.logins')],
          ['all', t('audit.all')],
        ]}
      />
      <Section title={t('console.activity.heading')}>
        <ActivityFilter hasActions={!query.has('kind')} />
        <Loaded of={list} shape="rows">
          {({ rows }) => <DeedRows deeds={rows} />}
        </Loaded>
        {more && <ActionRow action={more}>{t('audit.older')}</ActionRow>}
      </Section>
    </Page>
  )
}

/** The service's query for the page's address, in which days are in the reader's time zone. */
function activityQuery(query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams()
  const kind = query.get('kind') ?? 'changes'
  if (kind !== 'all') asked.set('kind', kind)
  for (const name of ['operator', 'action']) {
    const value = query.get(name)
    if (value) asked.set(name, value)
  }
  for (const [name, time] of Object.entries(periodIn(query))) asked.set(name, time)
  return asked
}

/** The changes that operators can make. */
const ACTIONS = [
  ...(['user.disable', 'user.enable', 'session.revoke', 'factors.reset', 'permissions.change'] as const),
  ...(['satellite.suspend', 'satellite.resume', 'billing.replay', 'mail.resend'] as const),
  ...(['operator.add', 'operator.disable', 'operator.passkey'] as const),
]

/** By whom, what and when: each choice immediately updates the address. */
function ActivityFilter({ hasActions }: { readonly hasActions: boolean }) {
  const names = useLoad(() => ask<OperatorNames>('operators'))
  return (
    <div className="toolbar filters">
      <ChoiceField name="operator" label={t('console.activity.operator')}>
        <option value="">{t('console.activity.everybody')}</option>
        {names.data?.operators.map(({ id, email }) => (
          <option key={id} value={id}>
            {email}
          </option>
        ))}
        <option value="command line">{t('console.log.commandLine')}</option>
      </ChoiceField>
      {hasActions && (
        <ChoiceField name="action" label={t('console.activity.action')}>
          <option value="">{t('console.activity.anything')}</option>
          {ACTIONS.map(action => (
            <option key={action} value={action}>
              {t(`console.action.${action}`)}
            </option>
          ))}
        </ChoiceField>
      )}
      <DayField name="from" label={t('audit.from')} />
      <DayField name="to" label={t('audit.to')} />
    </div>
  )
}

/** Sentences: who did what to whom, and why. */
function DeedRows({ deeds }: { readonly deeds: readonly Deed[] }) {
  return (
    <RowList of={deeds} icon="list" none={t('console.activity.none')}>
      {deed => (
        <DeedRow
          key={deed.id}
          {...deed}
          who={deed.operator ?? t('console.log.commandLine')}
          what={<DeedSentence deed={deed} />}
        >
          {detailsOf(deed)}
        </DeedRow>
      )}
    </RowList>
  )
}

/** With a link to the user, where it names one. */
function DeedSentence({ deed }: { readonly deed: Deed }) {
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
