import type { Stripe } from 'stripe'
import { newId, nowSeconds } from './clock.js'

export type PortalSession = Stripe.BillingPortal.Session
export type PortalFlow = Stripe.BillingPortal.Session.Flow

export const FLOW_TYPES = [
  'payment_method_update',
  'subscription_cancel',
  'subscription_update',
  'subscription_update_confirm',
] as const
export type FlowType = (typeof FLOW_TYPES)[number]

/** A portal session, and whether the action of its flow has been performed. */
export interface PortalRecord {
  session: PortalSession
  isFlowDone: boolean
}

/** A portal session with its page under `pagesUrl`. Unlike Stripe's, its URL never expires. */
export function newPortalSession(
  customer: string,
  { returnUrl, locale }: { returnUrl: string | null; locale: string | null },
  flow: PortalFlow | null,
  pagesUrl: string,
): PortalSession {
  const id = newId('bps_1', 23)
  return {
    id,
    object: 'billing_portal.session',
    configuration: 'bpc_sandbox',
    created: nowSeconds(),
    customer,
    customer_account: null,
    flow,
    livemode: false,
    locale: locale as PortalSession['locale'],
    on_behalf_of: null,
    return_url: returnUrl,
    url: portalUrl(id, pagesUrl),
  }
}

/** The URL of a session's page. */
export function portalUrl(sessionId: string, pagesUrl: string): string {
  return `${pagesUrl}/portal/${sessionId}`
}

/** The id of the flow's subscription; null when it has none, or when there is no flow. */
export function flowSubscription(flow: PortalFlow | null): string | null {
  const detail = flow?.subscription_cancel ?? flow?.subscription_update ?? flow?.subscription_update_confirm
  return detail?.subscription ?? null
}
