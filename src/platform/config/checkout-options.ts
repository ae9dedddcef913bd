import type Stripe from 'stripe'

/** Checkout parameters that an operator may choose; none decides who buys what or where browsers go. */
export type CheckoutOptions = Pick<
  Stripe.Checkout.SessionCreateParams,
  | 'allow_promotion_codes'
  | 'allowed_payment_method_types'
  | 'automatic_tax'
  | 'billing_address_collection'
  | 'consent_collection'
  | 'customer_update'
  | 'excluded_payment_method_types'
  | 'locale'
  | 'payment_method_collection'
  | 'payment_method_configuration'
  | 'phone_number_collection'
  | 'tax_id_collection'
> & { readonly subscription_data?: TrialSettings }

/** What happens when a trial ends without a means of payment. */
type TrialSettings = Pick<Stripe.Checkout.SessionCreateParams.SubscriptionData, 'trial_settings'>

interface ReadOptions {
  readonly checkoutOptions: CheckoutOptions
  readonly trialDays: number
}

/** https://docs.stripe.com/api/checkout/sessions/create: the longest trial. */
const MAX_TRIAL_DAYS = 730

type Check = (value: unknown) => boolean

const isFlag: Check = value => typeof value === 'boolean'
const isOneOf =
  (...words: string[]): Check =>
  value =>
    words.includes(value as string)
const isObjectOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  value =>
    isObject(value) &&
    Object.keys(value).length > 0 &&
    Object.entries(value).every(([name, field]) => Object.hasOwn(fields, name) && fields[name]?.(field))
const isName: Check = value => typeof value === 'string' && /^[a-z][a-z_0-9]{1,49}$/.test(value)
const areNames: Check = value => Array.isArray(value) && value.length > 0 && value.every(isName)

const CHECKS: Readonly<Record<Exclude<keyof CheckoutOptions, 'customer_update'> | 'trial_days', Check>> = {
  allow_promotion_codes: isFlag,
  allowed_payment_method_types: areNames,
  automatic_tax: isObjectOf({ enabled: isFlag }),
  billing_address_collection: isOneOf('auto', 'required'),
  consent_collection: isObjectOf({
    promotions: isOneOf('auto', 'none'),
    terms_of_service: isOneOf('none', 'required'),
  }),
  excluded_payment_method_types: areNames,
  locale: value => typeof value === 'string' && /^(auto|[a-z]{2,3}(-[A-Za-z0-9]{2,4})?)$/.test(value),
  payment_method_collection: isOneOf('always', 'if_required'),
  payment_method_configuration: value => typeof value === 'string' && /^pmc_\w+$/.test(value),
  phone_number_collection: isObjectOf({ enabled: isFlag }),
  // Only the end of a trial: its length is `trial_days`, and the metadata are ours.
  subscription_data: isObjectOf({
    trial_settings: isObjectOf({
      end_behavior: isObjectOf({ missing_payment_method: isOneOf('cancel', 'pause') }),
    }),
  }),
  tax_id_collection: isObjectOf({ enabled: isFlag, required: isOneOf('if_supported', 'never') }),
  trial_days: value =>
    Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_TRIAL_DAYS,
}

/**
 * JSON of the parameters above and `trial_days`. Throws for any other, because price, customer, mode and
 * addresses are ours.
 */
export function checkoutOptions(text: string): ReadOptions {
  const given = parsed(text)
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(CHECKS, name))
      throw new Error(`must not set ${name}; it may set ${Object.keys(CHECKS).join(', ')}`)
    if (!CHECKS[name as keyof typeof CHECKS](value)) throw new Error(`has an invalid ${name}`)
  }
  const { trial_days: trialDays = 0, ...options } = given
  return {
    checkoutOptions: { ...options, ...customerUpdate(options) } as CheckoutOptions,
    trialDays: trialDays as number,
  }
}

/**
 * The provider computes tax, and accepts tax ids, only if it may store the address and name that were
 * entered.
 */
function customerUpdate({ automatic_tax, tax_id_collection }: Readonly<Record<string, unknown>>) {
  const isOn = (option: unknown) => isObject(option) && option.enabled === true
  const fields = {
    ...(isOn(automatic_tax) && { address: 'auto' }),
    ...(isOn(tax_id_collection) && { name: 'auto' }),
  }
  return Object.keys(fields).length > 0 ? { customer_update: fields } : {}
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value = asJson(text)
  if (!isObject(value)) throw new Error('must be a JSON object')
  return value
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
