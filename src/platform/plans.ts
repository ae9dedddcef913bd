import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Module } from '@nestjs/common'
import { withoutByteOrderMark } from './config/byte-order-mark.js'
import { SettingsError } from './config/read-settings.js'
import { Settings, type StripeSettings } from './config/settings.js'
import { ApiError } from './errors/api-error.js'
import { PERMISSIONS, type Permission, type Permissions, permissionsOf } from './permissions.js'

/** How many an account may have; null means any number. */
export interface PlanLimits {
  /** Satellites of its own, whatever their state. */
  readonly satellites: number | null
  /** Active users, the owner included. */
  readonly seats: number | null
}

export const NO_LIMITS: PlanLimits = { satellites: null, seats: null }

/**
 * Throws `PLAN_LIMIT_REACHED` (409) when an account that has `count` may have no more. Call it with the account locked, so
 * that of two at once only one gets the last place. What is there beyond a limit stays: a smaller plan removes nothing.
 */
export function requireWithinPlan(
  limits: PlanLimits | null,
  what: keyof PlanLimits,
  count: number,
  detail: (most: number) => string,
): void {
  const most = limits?.[what] ?? null
  if (most !== null && count >= most) throw new ApiError('PLAN_LIMIT_REACHED', { detail: detail(most) })
}

/** The readable name of a plan. */
export interface PlanName {
  readonly name: string
  /** By BCP 47 tag, for other languages. */
  readonly names: Readonly<Record<string, string>>
}

/** What people read about a plan before choosing it. */
export interface PlanText extends PlanName {
  /** Its features, in a few words each. */
  readonly features: readonly string[]
  /** The same by BCP 47 tag, for other languages. */
  readonly translatedFeatures: Readonly<Record<string, readonly string[]>>
}

/** A plan that can be bought. */
interface Plan extends PlanText {
  /** The most that users of the account may be allowed while it is paid. */
  readonly entitled: Permissions
  /** Whether the provider bills by active users. */
  readonly seats: boolean
  /** How many an account may have while it is paid; null means any number. */
  readonly limits: PlanLimits | null
}

type PlanSettings = Pick<Settings, 'plansFile' | 'paymentGraceSeconds'> & {
  readonly stripe: Pick<StripeSettings, 'priceIds'> | null
}

/** Never taken away: an account must be able to pay and to leave. */
const ALWAYS: readonly Permission[] = ['payments', 'accountSettings']

/** What accounts may do, by the plan that they pay for; everything without a plans file. */
export class PlansFile {
  private constructor(
    /** For an account that pays for nothing; null means no limit. */
    readonly withoutPlan: Permissions | null,
    private readonly limitsWithoutPlan: PlanLimits | null,
    private readonly byPrice: ReadonlyMap<string, Plan>,
    /** Changes when the rules change; null without a plans file. */
    readonly version: string | null,
    private readonly onSale: ReadonlySet<string>,
  ) {}

  /** Throws a {@link SettingsError} that lists every fault in the file. */
  static read({ plansFile, stripe, paymentGraceSeconds }: PlanSettings): PlansFile {
    const onSale = new Set(stripe?.priceIds)
    if (plansFile === null) return new PlansFile(null, null, new Map(), null, onSale)
    const faults: string[] = []
    const text = textOf(plansFile, faults)
    const { withoutPlan, limitsWithoutPlan, byPrice } = rulesOf(text, faults)
    for (const price of onSale)
      if (!byPrice.has(price)) faults.push(`no plan has the price ${price}, which is in STRIPE_PRICE_IDS`)
    if (faults.length > 0) throw new SettingsError(faults.map(fault => `PLANS_FILE ${plansFile}: ${fault}`))
    const version = createHash('sha256').update(`${paymentGraceSeconds} ${text}`).digest('hex').slice(0, 16)
    return new PlansFile(withoutPlan, limitsWithoutPlan, byPrice, version, onSale)
  }

  /** The plan that a price belongs to; null when there is none. */
  of(priceId: string | null): Plan | null {
    return priceId === null ? null : (this.byPrice.get(priceId) ?? null)
  }

  /**
   * How many an account may have that pays for this price, or with null for none; null means any number. So does a price
   * that is in no plan any more: a missing line in a file must not take away what people pay for.
   */
  limitsOf(paidPriceId: string | null): PlanLimits | null {
    return paidPriceId === null ? this.limitsWithoutPlan : (this.of(paidPriceId)?.limits ?? null)
  }

  /** Whether a price is ours: in a plan, or on sale where there is no plans file. */
  knows(priceId: string): boolean {
    return this.version === null ? this.onSale.has(priceId) : this.byPrice.has(priceId)
  }

  get haveSeats(): boolean {
    return [...this.byPrice.values()].some(({ seats }) => seats)
  }
}

function textOf(path: string, faults: string[]): string {
  try {
    return withoutByteOrderMark(readFileSync(path, 'utf8'))
  } catch {
    faults.push('cannot be read')
    return '{}'
  }
}

type Fields = Readonly<Record<string, unknown>>

function rulesOf(text: string, faults: string[]) {
  const { withoutPlan, limitsWithoutPlan, plans, ...unknown } = fieldsOf(parsed(text, faults))
  refuseUnknown(unknown, faults)
  const byPrice = new Map<string, Plan>()
  if (!Array.isArray(plans)) faults.push('plans must be a list')
  for (const given of Array.isArray(plans) ? plans : []) addPlan(fieldsOf(given), byPrice, faults)
  return {
    withoutPlan: entitledOf(withoutPlan, 'withoutPlan', faults),
    limitsWithoutPlan: limitsOf(limitsWithoutPlan, 'limitsWithoutPlan', faults),
    byPrice,
  }
}

function parsed(text: string, faults: string[]): unknown {
  try {
    return JSON.parse(text)
  } catch {
    faults.push('is not JSON')
    return {}
  }
}

function addPlan(given: Fields, byPrice: Map<string, Plan>, faults: string[]): void {
  const { name, names = {}, prices, entitlements, seats = false, ...others } = given
  const { features = [], translatedFeatures = {}, limits, ...unknown } = others
  refuseUnknown(unknown, faults)
  if (typeof name !== 'string' || name === '') faults.push('a plan has no name')
  if (typeof seats !== 'boolean') faults.push(`seats of ${name} must be true or false`)
  const plan = {
    name: String(name),
    names: translated<string>(
      names,
      isName,
      `names of ${name} must have a name by language, such as {"de": "…"}`,
      faults,
    ),
    features: featuresOf(features, `features of ${name}`, faults),
    translatedFeatures: translated<readonly string[]>(
      translatedFeatures,
      value => isListOfTexts(value) && value.length > 0,
      `translatedFeatures of ${name} must have a list of texts by language, such as {"de": ["…"]}`,
      faults,
    ),
    entitled: entitledOf(entitlements, `entitlements of ${name}`, faults),
    seats: seats === true,
    limits: limitsOf(limits, `limits of ${name}`, faults),
  }
  const ids = Array.isArray(prices) ? prices : []
  if (ids.length === 0) faults.push(`prices of ${name} must be a list of at least one`)
  for (const id of ids) {
    if (typeof id !== 'string' || !id.startsWith('price_')) faults.push(`${id} of ${name} is not a price id`)
    else if (byPrice.has(id)) faults.push(`the price ${id} is in two plans`)
    else byPrice.set(id, plan)
  }
}

/** Null where no limit is named. */
function limitsOf(given: unknown, what: string, faults: string[]): PlanLimits | null {
  if (given === undefined) return null
  const { satellites = null, seats = null, ...unknown } = fieldsOf(given)
  refuseUnknown(unknown, faults)
  const isWhole = (value: unknown, least: number) =>
    value === null || (Number.isSafeInteger(value) && (value as number) >= least)
  if (given !== fieldsOf(given) || Array.isArray(given) || !isWhole(satellites, 0) || !isWhole(seats, 1))
    faults.push(`${what} must have whole numbers, such as {"satellites": 5, "seats": 20}; at least 1 seat`)
  return satellites === null && seats === null ? null : ({ satellites, seats } as PlanLimits)
}

function featuresOf(given: unknown, what: string, faults: string[]): Plan['features'] {
  if (isListOfTexts(given)) return given
  faults.push(`${what} must be a list of texts`)
  return []
}

/** A value for each language. */
function translated<T>(
  given: unknown,
  isOne: (value: unknown) => boolean,
  fault: string,
  faults: string[],
): Record<string, T> {
  const entries = Object.entries(fieldsOf(given))
  const values = entries.filter((entry): entry is [string, T] => isTag(entry[0]) && isOne(entry[1]))
  if (given !== fieldsOf(given) || values.length < entries.length) faults.push(fault)
  return Object.fromEntries(values)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isName)
}

function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text)[0] === text
  } catch {
    return false
  }
}

function entitledOf(names: unknown, what: string, faults: string[]): Permissions {
  const isList = Array.isArray(names)
  if (!isList || names.some(name => !PERMISSIONS.includes(name)))
    faults.push(`${what} must be a list of ${PERMISSIONS.join(', ')}`)
  return permissionsOf([...ALWAYS, ...(isList ? (names as Permission[]) : [])])
}

function refuseUnknown(unknown: Fields, faults: string[]): void {
  for (const name of Object.keys(unknown)) faults.push(`${name} is an unknown field`)
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

@Module({
  providers: [{ provide: PlansFile, inject: [Settings], useFactory: PlansFile.read }],
  exports: [PlansFile],
})
export class PlansModule {}
