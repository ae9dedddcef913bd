import type Stripe from 'stripe'
import type { Settings } from '../../../platform/config/settings.js'
import { type Finding, fault, ok, warning } from '../finding.js'

const CHECK = 'payments.portal'

type Features = Stripe.BillingPortal.Configuration.Features

/** Whether the provider's portal allows what the service sends people there for (docs/operations.md). */
export async function checkPortal(stripe: Stripe, { stripe: { priceIds } }: Settings): Promise<Finding[]> {
  const { data } = await stripe.billingPortal.configurations.list({
    is_default: true,
    active: true,
    limit: 1,
    expand: ['data.features.subscription_update.products'],
  })
  const [configuration] = data
  if (!configuration)
    return [fault(CHECK, 'The portal has no settings', 'Save its settings once in the dashboard')]
  const { features } = configuration
  const forbidden = missingFrom(features)
  const findings = [
    ...(forbidden.length > 0
      ? [fault(CHECK, `The portal does not allow ${forbidden.join(', ')}`, 'Allow it in its settings')]
      : []),
    ...priceFindings(features, priceIds),
    ...prorationFindings(features),
  ]
  return findings.length > 0 ? findings : [ok(CHECK, 'the portal allows what the service needs')]
}

function missingFrom({
  subscription_update: update,
  subscription_cancel: cancel,
  payment_method_update: methods,
  invoice_history: invoices,
}: Features): string[] {
  const allows = (change: string) => update.enabled && update.default_allowed_updates.includes(change)
  return [
    ...(allows('price') ? [] : ['changing the price']),
    ...(allows('quantity') ? [] : ['changing the quantity']),
    ...(cancel.enabled && cancel.mode === 'at_period_end' ? [] : ['cancelling at the end of the period']),
    ...(methods.enabled ? [] : ['changing payment methods']),
    ...(invoices.enabled ? [] : ['invoices']),
  ]
}

function priceFindings({ subscription_update: update }: Features, priceIds: readonly string[]): Finding[] {
  const listed = update.products?.flatMap(({ prices }) => prices)
  const missing = listed ? priceIds.filter(id => !listed.includes(id)) : []
  if (!update.enabled || missing.length === 0) return []
  const saw = `The portal does not offer ${missing.join(', ')}, which STRIPE_PRICE_IDS has`
  return [fault(CHECK, saw, 'Add the prices to those that customers may change to')]
}

function prorationFindings({ subscription_update: update }: Features): Finding[] {
  if (!update.enabled || update.proration_behavior !== 'none') return []
  const saw = 'The portal does not prorate: whoever changes just before a period ends pays less'
  return [warning(CHECK, saw, 'Turn proration on in its settings')]
}
