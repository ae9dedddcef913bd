import type { Checkout } from '../checkout/checkout.js'
import { type Html, html } from './html.js'
import { pageLayout } from './page-layout.js'

/** The page of a checkout that is complete or expired, with a link to `returnUrl` if there is one. */
export function closedPage(checkout: Checkout, returnUrl: string | null): Html {
  const link = returnUrl ? html`<p><a class="button" href="${returnUrl}">Return to the site</a></p>` : ''
  if (checkout.status === 'complete') {
    return pageLayout('This checkout is complete', html`<p>There is nothing left to do here.</p>${link}`)
  }
  return pageLayout(
    'This checkout has expired',
    html`<p>Nothing was charged. Please start again from the site.</p>${link}`,
  )
}

/** The page for an unknown address. */
export function notFoundPage(): Html {
  return pageLayout('Page not found', html`<p>Please start again from the site.</p>`)
}
