import { Resolver } from 'node:dns'
import { isIP } from 'node:net'
import type Stripe from 'stripe'
import { asOrigin, isLoopback, type Origin } from './origin.js'
import type { Bounds, SettingReader } from './setting.js'

export const asText: SettingReader<string> = text => text

/**
 * What to listen on, one address alone: for `localhost` Fastify opens a second server beside ours, which would have
 * neither our limits of connections nor our answers to malformed requests.
 */
export const listenAddress: SettingReader<string> = text => (text === 'localhost' ? '127.0.0.1' : text)

/** Null when the setting is empty. */
export function orNull<T>(read: SettingReader<T>): SettingReader<T | null> {
  const readOrNull: SettingReader<T | null> = (text, isProduction) =>
    text === '' ? null : read(text, isProduction)
  const { bounds, choices } = read
  return Object.assign(readOrNull, { ...(bounds && { bounds }), ...(choices && { choices }) })
}

export function oneOf<T extends string>(...choices: readonly T[]): SettingReader<T> {
  return choiceOf(Object.fromEntries(choices.map(choice => [choice, choice])) as Record<T, T>)
}

/** What the chosen word stands for. */
export function choiceOf<T>(meanings: Readonly<Record<string, T>>): SettingReader<T> {
  const choices = Object.keys(meanings)
  const read = (text: string) => {
    if (!choices.includes(text)) throw new Error(`must be one of ${choices.join(', ')}`)
    return meanings[text] as T
  }
  return Object.assign(read, { choices })
}

/** Without `max`, any plausible count. */
export function wholeNumber(min: number, max: number | null = null): SettingReader<number> {
  return numberWithin({ min, max, unit: null })
}

export function seconds(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'seconds' })
}

export function milliseconds(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'milliseconds' })
}

export function days(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'days' })
}

/** Anything higher is a typo. */
const HIGHEST_COUNT = 1_000_000_000

function numberWithin(bounds: Bounds): SettingReader<number> {
  const { min } = bounds
  const max = bounds.max ?? HIGHEST_COUNT
  const read = (text: string) => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
  return Object.assign(read, { bounds })
}

/** Items separated by commas; none when the setting is empty. */
export function listOf<T>(read: SettingReader<T>): SettingReader<T[]> {
  return (text, isProduction) =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
      .map(item => read(item, isProduction))
}

/** Like {@link listOf}, with one item at least. */
export function nonEmptyListOf<T>(read: SettingReader<T>): SettingReader<T[]> {
  return (text, isProduction) => {
    const items = listOf(read)(text, isProduction)
    if (items.length === 0) throw new Error('lists nothing')
    return items
  }
}

/** In lower case, which is what the pages compare. */
export const color: SettingReader<string> = text => {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Error('must be a colour such as #3b4fd8')
  return text.toLowerCase()
}

/** Fits into a sentence, and into the subject of a mail. */
export const siteName: SettingReader<string> = text => {
  if (text.length > 60 || /\p{C}/u.test(text)) throw new Error('must be a name of at most 60 characters')
  return text
}

export function startingWith(...prefixes: string[]): SettingReader<string> {
  return text => {
    if (!prefixes.some(prefix => text.startsWith(prefix)))
      throw new Error(`must start with ${prefixes.join(' or ')}`)
    return text
  }
}

/**
 * A secret that starts with one of the `prefixes` and has at least `minLength` characters: never one from an
 * example, nor, in production, one of the payment sandbox's, which are published in config/development.env.
 */
export function secret(prefixes: readonly string[], minLength: number): SettingReader<string> {
  return (text, isProduction) => {
    if (isProduction && text.includes('payment_sandbox'))
      throw new Error('is a secret of the payment sandbox')
    startingWith(...prefixes)(text, isProduction)
    if (text.length < minLength || /changeme|example|x{8}/i.test(text))
      throw new Error(`must be a real secret of at least ${minLength} characters`)
    return text
  }
}

/** A web origin; over http only outside production, and only on this machine. */
export const exactOrigin: SettingReader<Origin> = (text, isProduction) => {
  const origin = asOrigin(text, !isProduction)
  if (!origin)
    throw new Error(
      `has "${shown(text)}", which is not an exact https origin such as https://www.example.com`,
    )
  return origin
}

export function urlOf(...protocols: string[]): SettingReader<URL> {
  return text => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
      throw new Error(
        `must be a URL that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`,
      )
    return new URL(text)
  }
}

/** An address as text, normalised by {@link URL}. */
export function addressOf(...protocols: string[]): SettingReader<string> {
  return (text, isProduction) => urlOf(...protocols)(text, isProduction).href
}

/** Outside production: mails go to the log. */
export const MAILS_TO_LOG = 'log:'

/** A mail server. The only parameter is `tls=off`, so that a typo cannot turn TLS off. */
export const smtpUrl: SettingReader<URL> = (text, isProduction) => {
  if (!isProduction && text === MAILS_TO_LOG) return new URL(text)
  const url = urlOf('smtp:', 'smtps:')(text, isProduction)
  for (const [name, value] of url.searchParams)
    if (name !== 'tls' || value !== 'off') throw new Error('must have no parameter other than tls=off')
  return url
}

/** The embedded database, or PostgreSQL; with several hosts, the one that takes writes. */
export const databaseUrl: SettingReader<string> = (text, isProduction) => {
  startingWith('pglite:', 'postgres://', 'postgresql://')(text, isProduction)
  const wanted = /[?&]target_session_attrs=([^&]*)/.exec(text)?.[1] ?? 'read-write'
  if (!['read-write', 'primary'].includes(wanted))
    throw new Error('must not have a target_session_attrs other than read-write')
  return text
}

/** A base URL as text, without a trailing slash; https in production. */
export const baseUrl: SettingReader<string> = (text, isProduction) => {
  const protocols = isProduction ? ['https:'] : ['https:', 'http:']
  return urlOf(...protocols)(text, isProduction).href.replace(/\/+$/, '')
}

/** Requests there carry a secret key, so in production http is only for this machine. */
export const providerUrl: SettingReader<URL> = (text, isProduction) => {
  const url = urlOf('https:', 'http:')(text, isProduction)
  if (isProduction && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Error('must be a URL that starts with https://, except on this machine')
  return url
}

/** Who mails are from. */
export interface Sender {
  /** Empty when there is none. */
  readonly name: string
  readonly address: string
}

/** Of an address: what could be read as more than one mailbox by any mail program. */
const MAILBOX = /^[^\s<>@,;()"\\]+@[^\s<>@,;()"\\]+$/

/**
 * `no-reply@example.com`, or with a name: `Example <no-reply@example.com>`. In two parts, so that no caller has to
 * parse it again, by other rules: any character of a name is only a character. Quotes around a name are not part of it.
 */
export const sender: SettingReader<Sender> = text => {
  const [, before = '', address = text] = /^([^<>]*)<([^<>]+)>$/.exec(text) ?? []
  if (!MAILBOX.test(address) || /\p{Cc}/u.test(text))
    throw new Error('must be an e-mail address, such as Example <no-reply@example.com>')
  const [, quoted] = /^"(.*)"$/.exec(before.trim()) ?? []
  return { name: quoted?.replace(/\\(.)/g, '$1') ?? before.trim(), address }
}

/** An IP address, with a port or without one. */
export const nameServer: SettingReader<string> = text => {
  try {
    new Resolver().setServers([text])
    return text
  } catch {
    throw new Error(`must list IP addresses, each with a port or without one, not "${shown(text)}"`)
  }
}

/** `main.example`. Browsers would ignore the leading dot of a cookie's domain (RFC 6265bis §5.6.3). */
export const hostName: SettingReader<string> = text => {
  if (
    !/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(text)
  )
    throw new Error('must be a lower-case host name without scheme, port or leading dot')
  return text
}

/**
 * An IP address or CIDR block. "Every proxy" is not offered: it would let any client choose its own address.
 */
export const proxyAddress: SettingReader<string> = text => {
  const [address = '', prefix] = text.split('/')
  const version = isIP(address)
  const isPrefixFine =
    prefix === undefined ||
    (/^\d+$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= (version === 4 ? 32 : 128))
  if (version === 0 || !isPrefixFine)
    throw new Error(`must list IP addresses or CIDR blocks, not "${shown(text)}"`)
  return text
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** What can be done about an anomaly, mildest first. */
const ANOMALY_ACTIONS = ['log', 'notify', 'reauthenticate', 'revoke'] as const
export type AnomalyAction = (typeof ANOMALY_ACTIONS)[number]

/** The score from which each action is taken; an action that is not listed is never taken. */
export type AnomalyPolicy = Readonly<Partial<Record<AnomalyAction, number>>>

const MAX_SCORE = 100

/** `notify:40,reauthenticate:60,revoke:90`; `log` is 1 (always) unless it is listed. */
export function anomalyPolicy(text: string): AnomalyPolicy {
  const steps = text.split(',').map(step => readStep(step.trim()))
  const actions = steps.map(([action]) => action)
  if (new Set(actions).size < actions.length) throw new Error('names an action twice')
  return { log: 1, ...Object.fromEntries(steps) }
}

function readStep(step: string): [AnomalyAction, number] {
  const [action = '', score = '', ...rest] = step.split(':')
  const isKnown = (ANOMALY_ACTIONS as readonly string[]).includes(action)
  const isScore = /^\d{1,3}$/.test(score) && Number(score) >= 1 && Number(score) <= MAX_SCORE
  if (!isKnown || !isScore || rest.length > 0)
    throw new Error(
      `must list steps such as notify:40, with ${ANOMALY_ACTIONS.join(', ')} and scores from 1 to ${MAX_SCORE}`,
    )
  return [action as AnomalyAction, Number(score)]
}

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
