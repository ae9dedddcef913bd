import { FAULTS } from '../api/fault.js'
import type { Checkout } from '../checkout/checkout.js'
import { DELIVERY_MODES } from '../events/delivery-mode.js'
import type { PaymentEvent } from '../events/event.js'
import { type Html, html } from '../pages/html.js'
import { pageLayout } from '../pages/page-layout.js'
import { english } from '../pages/words/english.js'
import type { Dispute } from '../payments/dispute.js'
import { statusBadge, subscriptionName } from '../portal/portal-elements.js'
import type { State } from '../state/state.js'
import type { Subscription } from '../subscriptions/subscription.js'
import { hasEnded } from '../subscriptions/subscription-changes.js'
import { NO_FAULT, type SandboxSettings, type SettingValues } from './sandbox-settings.js'
import type { Simulation } from './simulations.js'

/** Per kind of object. */
const MAX_SHOWN = 20

/** Settings, objects and events, with a button for each simulation. */
export class OverviewPage {
  constructor(
    private readonly state: State,
    private readonly settings: SandboxSettings,
  ) {}

  /** `problem` says why the last button had no effect. */
  show(problem: string | null): Html {
    const checkouts = newest(this.state.checkouts.values()).map(({ checkout }) => checkout)
    const disputes = newest(this.state.disputes.values())
    return pageLayout(
      english,
      'Payment sandbox',
      html`${problem === null ? '' : html`<p class="alert" role="alert">${problem}</p>`}
<h2>Faults and delivery</h2>
${settingsForm(this.settings.current)}
<h2>Subscriptions</h2>
${listOrNone(newest(this.state.subscriptions.values()).map(subscriptionCard))}
<h2>Checkouts</h2>
${listOrNone(checkouts.map(checkoutCard))}
${disputes.length > 0 ? html`<h2>Disputes</h2>${disputes.map(disputeCard)}` : ''}
<h2>Newest events</h2>
${listOrNone(newest(this.state.events.values()).map(eventRow))}`,
    )
  }
}

function settingsForm({ fault, slowMs, delivery, lateMs }: SettingValues): Html {
  return html`<form method="post" action="/control">
<label>Fault of the API <select name="fault">${options([NO_FAULT, ...FAULTS], fault)}</select></label>
<label>Delay of “slow” and “late-answer”, in milliseconds <input type="number" name="slowMs" min="0" max="600000" required value="${slowMs}"></label>
<label>Delivery of webhooks <select name="delivery">${options(DELIVERY_MODES, delivery)}</select></label>
<label>Delay of “late” and “shuffled”, in milliseconds <input type="number" name="lateMs" min="0" max="600000" required value="${lateMs}"></label>
<button>Set</button>
</form>`
}

function options(words: readonly string[], chosen: string): Html[] {
  return words.map(word =>
    word === chosen
      ? html`<option value="${word}" selected>${word}</option>`
      : html`<option value="${word}">${word}</option>`,
  )
}

function subscriptionCard(subscription: Subscription): Html {
  const { id, status, customer } = subscription
  const simulations = [
    ...(hasEnded(subscription) ? [] : availableSimulations(subscription)),
    'refunded',
    'disputed',
  ] as Simulation[]
  return html`<section class="card">
<p><strong>${subscriptionName(english, subscription)}</strong> ${statusBadge(english, status)}</p>
<p class="quiet"><code>${id}</code> for <code>${customer}</code></p>
${buttons(simulations, id, button('customer-deleted', customer))}
</section>
`
}

function availableSimulations({ status }: Subscription): Simulation[] {
  if (status === 'incomplete') return ['invoice-paid', 'first-payment-expires', 'canceled']
  if (status === 'paused') return ['invoice-paid', 'resumed', 'canceled']
  const soon: Simulation[] = status === 'trialing' ? ['trial-ends-soon', 'trial-ends'] : []
  const paid: Simulation[] = status === 'active' || status === 'trialing' ? [] : ['invoice-paid']
  return [
    ...soon,
    ...paid,
    'renewal-fails',
    'renewal-needs-action',
    'paused-after-failure',
    'paused',
    'canceled',
  ]
}

function checkoutCard({ id, status, payment_status, url }: Checkout): Html {
  const isUnpaid = status === 'complete' && payment_status === 'unpaid'
  return html`<section class="card">
<p>${statusBadge(english, status ?? 'open')} ${statusBadge(english, payment_status)}</p>
<p class="quiet">${url ? html`<a href="${url}"><code>${id}</code></a>` : html`<code>${id}</code>`}</p>
${status === 'open' ? buttons(['card-declined', 'payment-needs-action', 'checkout-expires'], id) : ''}
${isUnpaid ? buttons(['payment-succeeds', 'payment-fails'], id) : ''}
</section>
`
}

function disputeCard({ id, status }: Dispute): Html {
  return html`<section class="card">
<p>${statusBadge(english, status)}</p>
<p class="quiet"><code>${id}</code></p>
${status === 'needs_response' ? buttons(['dispute-won', 'dispute-lost'], id) : ''}
</section>
`
}

function eventRow({ id, type, pending_webhooks }: PaymentEvent): Html {
  return html`<p class="quiet">${type} ${statusBadge(english, pending_webhooks > 0 ? 'pending' : 'delivered')}<br><code>${id}</code></p>`
}

function buttons(simulations: readonly Simulation[], id: string, more: Html = html``): Html {
  return html`<details><summary>Simulate …</summary>
<div class="row">${simulations.map(simulation => button(simulation, id))}${more}</div></details>`
}

function button(simulation: Simulation, id: string): Html {
  const words = simulation.replaceAll('-', ' ')
  return html`<form method="post" action="/control/${simulation}"><input type="hidden" name="id" value="${id}">
<button class="small second">${words.charAt(0).toUpperCase()}${words.slice(1)}</button></form>`
}

function listOrNone(items: Html[]): Html {
  return items.length > 0 ? html`${items}` : html`<p class="quiet">There are none yet.</p>`
}

function newest<T>(items: Iterable<T>): T[] {
  return [...items].slice(-MAX_SHOWN).reverse()
}
