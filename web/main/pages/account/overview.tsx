import type { Caller } from '@mainstay-auth/client'
import { useEffect, useState } from 'react'
import {
  isActive,
  isCancelledPayment,
  maySubscribe,
  readSubscription,
  type SubscriptionAfterReturn,
} from '../../../pieces/billing/subscription.js'
import { Fact } from '../../../pieces/fact.js'
import { Hint, Success } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { PermissionList } from '../../../pieces/permission-list.js'
import { Link, usePlace } from '../../../pieces/router.js'
import { SiteLinks } from '../../../pieces/site-links.js'
import { type Load, useLoad } from '../../../pieces/use-load.js'
import { Loaded, Waiting } from '../../../pieces/waiting.js'
import { When } from '../../../pieces/when.js'
import type { Account, Profile } from '../../answers.js'
import { call } from '../../api.js'
import { BillingCard } from './billing-card.js'

/** A payment may take its seconds; after so many questions we stop waiting. */
const MOST_QUESTIONS = 15
const ASK_EVERY_MS = 1_000

export function OverviewPage({ caller }: { readonly caller: Caller }) {
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  const { query } = usePlace()
  const checkout = query.get('checkout')
  const subscription = useLoad(() => readSubscription(path => call('GET', path), query))
  return (
    <Page title="Overview">
      {caller.permissions.accountSettings && <DeletionWarning />}
      <Section title="You">
        <Loaded of={profile}>
          {({ email, name, role, satellites }) => (
            <dl>
              <Fact name="E-mail">{email}</Fact>
              {name && <Fact name="Name">{name}</Fact>}
              <Fact name="Role">{role === 'owner' ? 'Owner of the account' : 'Member of the team'}</Fact>
              {satellites && (
                <Fact name="Your sites">
                  <SiteLinks origins={satellites} />
                </Fact>
              )}
            </dl>
          )}
        </Loaded>
        <h3>What you may do here</h3>
        <PermissionList permissions={caller.permissions} />
      </Section>
      <Section title="Subscription">
        {checkout && <PaymentNews subscription={subscription} />}
        {isCancelledPayment(query) && <Hint>The payment was cancelled. Nothing has been charged.</Hint>}
        <Loaded of={subscription}>{loaded => <BillingCard subscription={loaded} caller={caller} />}</Loaded>
      </Section>
    </Page>
  )
}

/** After the way back from the payment page, which itself proves nothing: asks until the service knows of the payment. */
function PaymentNews({ subscription }: { readonly subscription: Load<SubscriptionAfterReturn> }) {
  const [questions, setQuestions] = useState(0)
  const { data, reload } = subscription
  const isWaiting = data?.isReturn && maySubscribe(data) && questions < MOST_QUESTIONS
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => {
      setQuestions(questions + 1)
      void reload()
    }, ASK_EVERY_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, questions, reload])
  if (isWaiting) return <Waiting what="Checking for your payment …" />
  if (!data?.isReturn) return null
  if (data.state === 'pending') return <Success>Thank you. Your payment is on its way.</Success>
  return isActive(data) ? (
    <Success>Thank you. Your subscription is active.</Success>
  ) : (
    <Hint>We have not received a payment. If you have paid, it will show up here shortly.</Hint>
  )
}

function DeletionWarning() {
  const account = useLoad(() => call<Account>('GET', 'account'))
  if (!account.data?.deleteAt) return null
  return (
    <Hint>
      This account will be deleted on <When at={account.data.deleteAt} />.{' '}
      <Link href="/account/settings">Cancel the deletion</Link>
    </Hint>
  )
}
