import { ApiError, type Form } from './http.js'

/** `[]` stands for an index and `[*]` for any name. */
type Parameters = readonly string[]

const PAGE: Parameters = ['limit', 'starting_after']
const CREATED: Parameters = ['created', 'created[gt]', 'created[gte]', 'created[lt]', 'created[lte]']
const METADATA: Parameters = ['metadata[*]']
const CUSTOMER: Parameters = ['description', 'email', 'name', 'preferred_locales[]', ...METADATA]

/**
 * What each route takes besides `expand`: what the sandbox acts on. A route that is missing takes nothing more, so that
 * nothing is accepted and then ignored.
 */
const PARAMETERS: Readonly<Record<string, Parameters>> = {
  'POST /v1/customers': [...CUSTOMER, 'phone'],
  'POST /v1/customers/:id': CUSTOMER,
  'GET /v1/customers': [...PAGE, ...CREATED, 'email'],
  'POST /v1/checkout/sessions': [
    ...METADATA,
    'allow_promotion_codes',
    'allowed_payment_method_types[]',
    'automatic_tax[enabled]',
    'billing_address_collection',
    'cancel_url',
    'client_reference_id',
    // Of a setup: what is bought has the currency of its price.
    'currency',
    'consent_collection[promotions]',
    'consent_collection[terms_of_service]',
    'customer',
    'customer_email',
    'customer_update[address]',
    'customer_update[name]',
    'excluded_payment_method_types[]',
    'expires_at',
    'line_items[][price]',
    'line_items[][price_data][currency]',
    'line_items[][price_data][product]',
    'line_items[][price_data][product_data][name]',
    'line_items[][price_data][unit_amount]',
    'line_items[][quantity]',
    'locale',
    'mode',
    'payment_method_collection',
    'payment_method_configuration',
    'phone_number_collection[enabled]',
    'subscription_data[billing_mode][type]',
    'subscription_data[metadata][*]',
    'subscription_data[trial_period_days]',
    'subscription_data[trial_settings][end_behavior][missing_payment_method]',
    'success_url',
    'tax_id_collection[enabled]',
    'tax_id_collection[required]',
  ],
  'GET /v1/checkout/sessions': [...PAGE, 'customer'],
  'GET /v1/subscriptions': [...PAGE, ...CREATED, 'customer', 'status'],
  'GET /v1/subscription_items': [...PAGE, 'subscription'],
  'POST /v1/subscriptions/:id': [
    ...METADATA,
    'cancel_at',
    'cancel_at_period_end',
    'items[][id]',
    'items[][price]',
    'items[][quantity]',
    'pause_collection[behavior]',
    'pause_collection[resumes_at]',
    'proration_behavior',
    'trial_end',
  ],
  'POST /v1/subscriptions/:id/resume': ['billing_cycle_anchor[type]'],
  'DELETE /v1/subscriptions/:id': ['invoice_now'],
  'POST /v1/billing_portal/sessions': [
    'customer',
    'flow_data[after_completion][hosted_confirmation][custom_message]',
    'flow_data[after_completion][redirect][return_url]',
    'flow_data[after_completion][type]',
    'flow_data[subscription_cancel][subscription]',
    'flow_data[subscription_update][subscription]',
    'flow_data[subscription_update_confirm][items][][id]',
    'flow_data[subscription_update_confirm][items][][price]',
    'flow_data[subscription_update_confirm][items][][quantity]',
    'flow_data[subscription_update_confirm][subscription]',
    'flow_data[type]',
    'locale',
    'return_url',
  ],
  'GET /v1/invoices': [...PAGE, ...CREATED, 'customer', 'status', 'subscription'],
  'GET /v1/invoice_payments': [...PAGE, 'invoice', 'payment[payment_intent]', 'payment[type]', 'status'],
  'POST /v1/refunds': ['amount', 'payment_intent', 'reason'],
  'GET /v1/events': [...PAGE, ...CREATED, 'type', 'types[]', 'delivery_success'],
  'GET /v1/webhook_endpoints': PAGE,
  'GET /v2/core/event_destinations': ['include[]', 'limit'],
  'GET /v1/billing_portal/configurations': [...PAGE, 'active', 'is_default'],
}

/** Throws 400 parameter_unknown, as Stripe does for a parameter that is misspelt, removed or of another route. */
export function requireKnownParameters(method: string, path: string, params: Form): void {
  const known = ['expand[]', ...(PARAMETERS[`${method} ${path}`] ?? [])]
  const unknown = namesIn(params).filter(name => !known.some(each => isNamedBy(name, each)))
  if (unknown.length === 0) return
  const noun = unknown.length === 1 ? 'parameter' : 'parameters'
  const message = `Received unknown ${noun}: ${unknown.join(', ')}`
  throw ApiError.badParameter('parameter_unknown', unknown[0]!, message)
}

/** The full names of all values, brackets included. */
function namesIn(form: Form, prefix = ''): string[] {
  return Object.entries(form).flatMap(([key, value]) => {
    const name = prefix ? `${prefix}[${key}]` : key
    return typeof value === 'string' ? [name] : namesIn(value, name)
  })
}

/** An empty value unsets a whole object, as in `pause_collection=`: its name alone is known too. */
function isNamedBy(name: string, known: string): boolean {
  const plain = name.replace(/\[\d+\]/g, '[]')
  return (
    plain === known ||
    known.startsWith(`${plain}[`) ||
    (known.endsWith('[*]') && name.startsWith(known.slice(0, -'*]'.length)))
  )
}
