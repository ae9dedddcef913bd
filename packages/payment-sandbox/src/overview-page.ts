import { FAULTS } from './api.js'
import type { Checkout } from './checkout.js'
import { DELIVERY_MODES, type PaymentEvent } from './event.js'
import { ApiError, parseForm, type ReceivedRequest, requiredText } from './http.js'
import {
  type Html,
  html,
  jsonAnswer,
  type PageAnswer,
  pageAnswer,
  pageLayout,
  redirectAnswer,
} from './page.js'
import type { Dispute } from './payment.js'
import { statusBadge, subscriptionName } from './portals.js'
import {
  NO_FAULT,
  runSimulation,
  type SandboxSettings,
  type SettingValues,
  type Simulation,
  type Simulator,
} from './simulator.js'
import type { State } from './state.js'
import { hasEnded, type Subscription } from './subscription.js'

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
      'Payment sandbox',
      html`${problem === null ? '' : html`<p class="alert" role="alert">${problem}</p>`}
<h2>Faults and delivery</h2>
${settingsForm(this.settings.current)}
<h2>Subscriptions</h2>
${listOrNone(newest(this.state.subscriptions.values()).map(subscriptionCard))}
<h2>Checkouts</h2>
${listOrNone(checkouts.map(checkoutCard))}
${disputes.length > 0 ? html`<h2>Disputes</h2>${listOrNone(disputes.map(disputeCard))}` : ''}
<h2>Newest events</h2>
${listOrNone(newest(this.state.events.values()).map(eventRow))}`,
      true,
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
<p><strong>${subscriptionName(subscription)}</strong> ${statusBadge(status)}</p>
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
<p>${statusBadge(status ?? 'open')} ${statusBadge(payment_status)}</p>
<p class="quiet">${url ? html`<a href="${url}"><code>${id}</code></a>` : html`<code>${id}</code>`}</p>
${status === 'open' ? buttons(['card-declined', 'payment-needs-action', 'checkout-expires'], id) : ''}
${isUnpaid ? buttons(['payment-confirmed', 'payment-succeeds', 'payment-fails'], id) : ''}
</section>
`
}

function disputeCard({ id, status }: Dispute): Html {
  return html`<section class="card">
<p>${statusBadge(status)}</p>
<p class="quiet"><code>${id}</code></p>
${status === 'needs_response' ? buttons(['dispute-won', 'dispute-lost'], id) : ''}
</section>
`
}

function eventRow({ id, type, pending_webhooks }: PaymentEvent): Html {
  return html`<p class="quiet">${type} ${statusBadge(pending_webhooks > 0 ? 'pending' : 'delivered')}<br><code>${id}</code></p>`
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
  return items.length > 0
    ? html`<div class="columns">${items}</div>`
    : html`<p class="quiet">There are none yet.</p>`
}

function newest<T>(items: Iterable<T>): T[] {
  return [...items].slice(-MAX_SHOWN).reverse()
}

/**
 * `/` is for people, `/control` for programs. `GET /control` returns the settings, `POST /control` changes
 * them, and `POST /control/:simulation` runs a simulation on the object with the given `id`. Browsers are
 * redirected to `/`.
 */
export class ControlRoutes {
  constructor(
    private readonly settings: SandboxSettings,
    private readonly simulator: Simulator,
    private readonly page: OverviewPage,
  ) {}

  /** Null when the path is not one of these. */
  async answer(received: ReceivedRequest): Promise<PageAnswer | null> {
    const { method, path } = received
    if (path === '/' && method === 'GET') return pageAnswer(200, this.page.show(null))
    const [, root, simulation, ...more] = path.split('/')
    if (root !== 'control' || more.length > 0) return null
    if (method === 'GET' && simulation === undefined) return jsonAnswer(200, this.settings.current)
    return method === 'POST' ? this.change(received, simulation) : null
  }

  private async change(received: ReceivedRequest, simulation?: string): Promise<PageAnswer> {
    const isBrowser = received.headers.accept?.includes('text/html') ?? false
    try {
      refuseOtherSites(received)
      const fields = parseForm(received.body)
      if (simulation === undefined) this.settings.update(fields)
      else await runSimulation(simulation, requiredText(fields, 'id'), this.simulator)
      return isBrowser
        ? redirectAnswer(`http://${received.headers.host}/`)
        : jsonAnswer(200, this.settings.current)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { status, body } = error.answer()
      return isBrowser ? pageAnswer(status, this.page.show(error.message)) : jsonAnswer(status, body)
    }
  }
}

/**
 * Any page in the developer's browser could post here, but only our own may. Programs do not send the header.
 */
function refuseOtherSites({ headers }: ReceivedRequest): void {
  const from = headers['sec-fetch-site']
  if (from === undefined || from === 'same-origin' || from === 'none') return
  throw new ApiError(403, 'invalid_request_error', 'This request came from a page of another site.')
}
