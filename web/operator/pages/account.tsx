import { Fact } from '../../pieces/fact.js'
import { Hint } from '../../pieces/notice.js'
import { Page, Section } from '../../pieces/page.js'
import { Link, usePlace } from '../../pieces/router.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { Day, When } from '../../pieces/when.js'
import type { Account } from '../answers.js'
import { ask } from '../api.js'
import { EventRows } from '../event-rows.js'
import { LogRows } from '../log-rows.js'
import { SatelliteRows } from '../satellite-rows.js'
import { UserRow } from './search.js'

export function AccountPage({ id }: { readonly id: string }) {
  const after = usePlace().query.get('after')
  const path = `accounts/${id}${after ? `?${new URLSearchParams({ after })}` : ''}`
  const account = useLoad(() => ask<Account>(path), path)
  return (
    <Page title={account.data?.name ?? 'Account'}>
      <Loaded of={account} shape="rows">
        {found => <AccountFacts account={found} reload={account.reload} />}
      </Loaded>
    </Page>
  )
}

function AccountFacts({
  account,
  reload,
}: {
  readonly account: Account
  readonly reload: () => Promise<void>
}) {
  const { id, createdAt, deleteAt, secondFactor, handoffRequired, subscription } = account
  const { members, hasMore, satellites, waitingEvents, latest } = account
  return (
    <>
      {deleteAt && (
        <Hint>
          It is going to be deleted on <Day at={deleteAt} />.
        </Hint>
      )}
      <Section title="About">
        <dl>
          <Fact name="Id">{id}</Fact>
          <Fact name="Since">
            <Day at={createdAt} />
          </Fact>
          <Fact name="Second factor">required of: {secondFactor}</Fact>
          <Fact name="Hand-off">required of: {handoffRequired}</Fact>
          <Fact name="Subscription">{subscription ? <SubscriptionWords of={subscription} /> : 'None'}</Fact>
        </dl>
      </Section>
      <Section title="Users">
        <ul className="rows">
          {members.map(user => (
            <UserRow key={user.id} user={user} />
          ))}
        </ul>
        {hasMore && <Link href={`/accounts/${id}?after=${members.at(-1)?.id}`}>More users</Link>}
      </Section>
      <Section title="Satellites">
        <SatelliteRows satellites={satellites} reload={reload} />
      </Section>
      <Section title="Payment events that wait">
        <EventRows events={waitingEvents} reload={reload} />
      </Section>
      <Section title="Latest in the audit log">
        <LogRows rows={latest} />
      </Section>
    </>
  )
}

function SubscriptionWords({ of }: { readonly of: NonNullable<Account['subscription']> }) {
  const { status, priceId, quantity, currentPeriodEnd, endsAt, pastDueSince } = of
  return (
    <>
      {status}
      {priceId && `, ${priceId}`}
      {quantity !== null && ` × ${quantity}`}
      {currentPeriodEnd && (
        <>
          , paid until <Day at={currentPeriodEnd} />
        </>
      )}
      {endsAt && (
        <>
          , ends on <Day at={endsAt} />
        </>
      )}
      {pastDueSince && (
        <>
          , a payment is due since <When at={pastDueSince} />
        </>
      )}
    </>
  )
}
