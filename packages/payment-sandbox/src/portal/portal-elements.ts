import { type Html, html } from '../pages/html.js'
import type { Words } from '../pages/words/english.js'
import { monthsOf } from '../prices/period.js'
import { productName } from '../prices/products.js'
import type { Subscription } from '../subscriptions/subscription.js'
import type { PortalSession } from './portal-session.js'

export const PORTAL_ACTIONS = ['cancel', 'resume', 'confirm', 'update', 'method', 'pay'] as const
export type PortalAction = (typeof PORTAL_ACTIONS)[number]

/** A form that posts `action`, with `about` as hidden fields. */
export function actionForm(
  { id }: PortalSession,
  action: PortalAction,
  about: Record<string, string>,
  content: Html,
): Html {
  const hidden = Object.entries(about).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="/portal/${id}/${action}">${hidden}${content}</form>`
}

/** A link back to the site; empty when the session has no return URL. */
export function backLink(words: Words, { return_url }: PortalSession): Html {
  return return_url
    ? html`<p class="back"><a class="button second" href="${return_url}">${words.portal.back}</a></p>`
    : html``
}

export function statusBadge({ statuses }: Words, status: string): Html {
  const name = statuses[status] ?? status.replaceAll('_', ' ')
  return html`<span class="badge ${TONES[status] ?? 'plain'}">${name}</span>`
}

/** The plans and quantities of the subscription. */
export function subscriptionName(words: Words, { items }: Subscription): string {
  return items.data.map(({ price, quantity }) => planName(words, price.id, quantity ?? 1)).join(', ')
}

/** Whether the subscription is charged once a year; otherwise it is once a month. */
export function isYearly({ items }: Subscription): boolean {
  return items.data.every(({ price }) => monthsOf(price) === 12)
}

export function planName({ code }: Words, price: string, quantity: number): string {
  const name = productName(price, code)
  return quantity === 1 ? name : `${name} × ${quantity}`
}

/** The date in UTC, as in “March 1, 2027”, with the day on the line of its month. */
export function formatDate({ locale }: Words, seconds: number): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
    .format(seconds * 1000)
    .replace(' ', '\u00a0')
}

const TONES: Record<string, string> = {
  active: 'good',
  trialing: 'good',
  paid: 'good',
  open: 'bad',
  past_due: 'bad',
  unpaid: 'bad',
  incomplete: 'bad',
}
