import { isPaused, type Subscription, stateName } from './subscription.js'

const LOOKS: Readonly<Record<string, string>> = {
  trialing: 'good',
  active: 'good',
  pending: 'warn',
  unconfirmed: 'warn',
  past_due: 'bad',
  restricted: 'bad',
}

/** The state of a subscription, in a word or two. */
export function StatusTag({ subscription }: { readonly subscription: Subscription }) {
  const look = isPaused(subscription) ? 'warn' : (LOOKS[subscription.state] ?? '')
  return <span className={`tag ${look}`}>{stateName(subscription)}</span>
}
