import { ApiError } from '../http/api-error.js'
import { parseForm } from '../http/form.js'
import { type PageAnswer, pageAnswer, redirectAnswer } from '../http/page-answer.js'
import type { ReceivedRequest } from '../http/received-request.js'
import type { Invoices } from '../invoices/invoices.js'
import { notFoundPage } from '../pages/closed-page.js'
import type { Words } from '../pages/words/english.js'
import { wordsFor } from '../pages/words/words.js'
import type { Prices } from '../prices/prices.js'
import type { State } from '../state/state.js'
import { hasEnded } from '../subscriptions/subscription-changes.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import { invoicePage } from './invoice-page.js'
import type { PortalActions } from './portal-actions.js'
import { PORTAL_ACTIONS, type PortalAction } from './portal-elements.js'
import {
  cancelPage,
  confirmPage,
  deletedCustomerPage,
  donePage,
  paymentMethodPage,
  updatePage,
} from './portal-flow-pages.js'
import { type PortalHome, portalHomePage } from './portal-home-page.js'
import { flowSubscription, type PortalRecord, type PortalSession } from './portal-session.js'

/**
 * The portal at `/portal/:id`, an invoice at `/portal/:id/:invoice`, and the buttons at
 * `/portal/:id/:action`.
 */
export class PortalPages {
  constructor(
    private readonly state: State,
    private readonly subscriptions: Subscriptions,
    private readonly invoices: Invoices,
    private readonly prices: Prices,
    private readonly actions: PortalActions,
  ) {}

  answer({ method, path, body, headers }: ReceivedRequest): PageAnswer {
    const [, , id = '', action, ...more] = path.split('/')
    const record = this.state.portals.get(id)
    const words = wordsFor(record?.session.locale ?? null, headers['accept-language'])
    if (!record || more.length > 0) return pageAnswer(404, notFoundPage(words))
    if (!this.state.customers.has(record.session.customer))
      return pageAnswer(410, deletedCustomerPage(words, record.session))
    if (method === 'GET' && action === undefined) return this.show(words, record)
    if (method === 'GET') return this.showInvoice(words, record, action as string)
    const known = PORTAL_ACTIONS.find(each => each === action)
    if (method === 'POST' && known && allows(record, known)) return this.act(record, known, body)
    return pageAnswer(404, notFoundPage(words))
  }

  private show(words: Words, { session, isFlowDone }: PortalRecord): PageAnswer {
    const { flow, customer } = session
    if (isFlowDone && flow!.after_completion.type !== 'portal_homepage')
      return pageAnswer(200, donePage(words, session))
    if (flow && !isFlowDone) {
      const page = this.flowPage(words, session)
      if (page) return pageAnswer(200, page)
    }
    return pageAnswer(200, portalHomePage(words, session, this.homeOf(customer)))
  }

  private homeOf(customer: string): PortalHome {
    return {
      subscriptions: this.subscriptions.list(customer, 'all'),
      invoices: this.invoices.list({ customer }),
      card: this.state.customers.get(customer)!.invoice_settings.default_payment_method as string | null,
    }
  }

  private showInvoice(words: Words, { session }: PortalRecord, id: string): PageAnswer {
    const invoice = this.state.invoices.get(id)
    if (invoice?.customer !== session.customer) return pageAnswer(404, notFoundPage(words))
    return pageAnswer(200, invoicePage(words, invoice, session.id))
  }

  /** Null when the subscription has ended meanwhile; the home page then says so. */
  private flowPage(words: Words, session: PortalSession) {
    const { flow } = session
    const id = flowSubscription(flow)
    if (id === null) return paymentMethodPage(words, session)
    const subscription = this.subscriptions.find(id)
    if (hasEnded(subscription)) return null
    if (flow!.subscription_cancel) return cancelPage(words, session, subscription)
    if (flow!.subscription_update) return updatePage(words, session, subscription, this.prices.all())
    const price = flow!.subscription_update_confirm!.items[0]!.price!
    return confirmPage(words, session, subscription, this.prices.find(price, 'price'))
  }

  private act(record: PortalRecord, action: PortalAction, body: string): PageAnswer {
    const { session } = record
    if (record.isFlowDone && !HOME_ACTIONS.includes(action)) return redirectAfter(session)
    try {
      this.actions.perform(action, session, parseForm(body))
    } catch (error) {
      // The page was out of date: show the current one.
      if (!(error instanceof ApiError)) throw error
      return redirectAnswer(session.url)
    }
    if (session.flow) record.isFlowDone = true
    this.state.changed()
    return redirectAfter(session)
  }
}

/** Redirects to where the flow says, or back to the portal. */
function redirectAfter({ flow, url }: PortalSession): PageAnswer {
  return redirectAnswer(flow?.after_completion.redirect?.return_url ?? url)
}

/** A flow allows its own action, and those of the home page once it is done. */
function allows({ session: { flow }, isFlowDone }: PortalRecord, action: PortalAction): boolean {
  if (flow && FLOW_ACTIONS[flow.type] === action) return true
  return (!flow || isFlowDone) && HOME_ACTIONS.includes(action)
}

const HOME_ACTIONS: readonly PortalAction[] = ['cancel', 'resume', 'pay', 'method']

const FLOW_ACTIONS: Record<string, PortalAction> = {
  payment_method_update: 'method',
  subscription_cancel: 'cancel',
  subscription_update: 'update',
  subscription_update_confirm: 'confirm',
}
