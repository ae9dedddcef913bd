import { Loaded, useLoad } from '../../pieces/loading.js'
import { Hint, isRefusal } from '../../pieces/notices.js'
import { Page, Section } from '../../pieces/page.js'
import { Link, usePlace } from '../../pieces/router.js'
import { site } from '../../pieces/site.js'
import { breakable, Fact } from '../../pieces/text.js'
import { Day, When } from '../../pieces/time.js'
import { type Account, ask } from '../api.js'
import { T, t } from '../language.js'
import { LogRows, UserRow } from '../rows.js'
import { NotFoundPage } from './not-found.js'
import { EventRows } from './payments.js'
import { SatelliteRows } from './satellites.js'

export function AccountPage({ id }: { readonly id: string }) {
  const after = usePlace().query.get('after')
  const path = `accounts/${id}${after ? `?${new URLSearchParams({ after })}` : ''}`
  const account = useLoad(() => ask<Account>(path), path)
  if (isRefusal(account.error, 'NOT_FOUND')) return <NotFoundPage wasThere />
  return (
    <Page title={account.data ? nameOf(account.data) : t('nav.account')}>
      <Loaded of={account} shape="rows">
        {found => <AccountFacts account={found} reload={account.reload} />}
      </Loaded>
    </Page>
  )
}

/** The account's name, or else its owner's. */
function nameOf({ name, owner }: Account): string {
  return name ?? owner?.email ?? t('console.account.unnamed')
}

function AccountFacts({
  account,
  reload,
}: {
  readonly account: Account
  readonly reload: () => Promise<void>
}) {
  const { id, deleteAt, members, hasMore, satellites, waitingEvents, latest, people } = account
  return (
    <>
      {deleteAt && (
        <Hint>
          <T id="console.account.deleteAt" day={<Day at={deleteAt} />} />
        </Hint>
      )}
      <About account={account} />
      <Section title={t('console.search.users')}>
        <ul className="rows">
          {members.map(user => (
            <UserRow key={user.id} user={user} />
          ))}
        </ul>
        {hasMore && (
          <Link href={`/accounts/${id}?after=${members.at(-1)?.id}`}>{t('console.account.moreUsers')}</Link>
        )}
      </Section>
      <Section title={t('console.satellites.title')}>
        <SatelliteRows satellites={satellites} none={t('console.satellites.none')} reload={reload} />
      </Section>
      {site.takesPayments && (
        <Section title={t('console.account.waitingEvents')}>
          <EventRows events={waitingEvents} reload={reload} />
        </Section>
      )}
      <Section title={t('console.log.latest')}>
        <LogRows rows={latest} people={people} />
      </Section>
    </>
  )
}

function About({ account }: { readonly account: Account }) {
  const { id, createdAt, owner, secondFactor, handoffRequired, subscription } = account
  return (
    <Section title={t('console.about')}>
      <dl>
        {owner && (
          <Fact name={t('role.owner')}>
            <Link href={`/users/${owner.id}`}>{breakable(owner.email)}</Link>
          </Fact>
        )}
        <Fact name={t('console.account.since')}>
          <Day at={createdAt} />
        </Fact>
        <Fact name={t('console.account.secondFactor')}>{t(`console.secondFactor.${secondFactor}`)}</Fact>
        <Fact name={t('console.account.handoff')}>{t(`console.handoff.${handoffRequired}`)}</Fact>
        {(subscription || site.takesPayments) && (
          <Fact name={t('console.account.subscription')}>
            {subscription ? <Subscription of={subscription} /> : t('console.account.noSubscription')}
          </Fact>
        )}
        <Fact name={t('console.id')}>
          <code>{id}</code>
        </Fact>
      </dl>
    </Section>
  )
}

const LOOKS: Readonly<Record<string, string>> = {
  active: 'good',
  trialing: 'good',
  past_due: 'warn',
  unpaid: 'bad',
}

/** In the provider's own terms, which its dashboard uses too. */
function Subscription({ of }: { readonly of: NonNullable<Account['subscription']> }) {
  const { status, priceId, quantity, currentPeriodEnd, endsAt, pastDueSince } = of
  const words = status.replaceAll('_', ' ').replace(/^./, letter => letter.toUpperCase())
  return (
    <>
      <span className={`tag ${LOOKS[status] ?? ''}`}>{words}</span> {priceId && <code>{priceId}</code>}
      {quantity !== null && ` ×\u00a0${quantity}`}
      <br />
      <small>
        {endsAt ? (
          <T id="console.account.endsAt" day={<Day at={endsAt} />} />
        ) : (
          currentPeriodEnd && <T id="console.account.paidUntil" day={<Day at={currentPeriodEnd} />} />
        )}
        {pastDueSince && (
          <>
            {' · '}
            <T id="console.account.pastDue" when={<When at={pastDueSince} />} />
          </>
        )}
      </small>
    </>
  )
}
