import type { Checkout } from '../checkout/checkout.js'
import { type Html, html } from './html.js'
import { pageLayout } from './page-layout.js'
import type { Words } from './words/english.js'

/** The page of a checkout that is complete or expired, with a link to `returnUrl` if there is one. */
export function closedPage(words: Words, checkout: Checkout, returnUrl: string | null): Html {
  const { complete, nothingLeft, expired, startAgain, toSite } = words.closed
  const link = returnUrl ? html`<p><a class="button" href="${returnUrl}">${toSite}</a></p>` : ''
  if (checkout.status === 'complete') return pageLayout(words, complete, html`<p>${nothingLeft}</p>${link}`)
  return pageLayout(words, expired, html`<p>${startAgain}</p>${link}`)
}

/** The page for an unknown address. */
export function notFoundPage(words: Words): Html {
  return pageLayout(words, words.closed.notFound, html`<p>${words.closed.fromSite}</p>`)
}
