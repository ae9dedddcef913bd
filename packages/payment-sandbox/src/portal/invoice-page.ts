import type { Invoice } from '../invoices/invoice.js'
import { type Html, html } from '../pages/html.js'
import { money } from '../pages/money.js'
import { pageLayout } from '../pages/page-layout.js'
import { formatDate, statusBadge } from './portal-elements.js'
import type { PortalSession } from './portal-session.js'

/** The page of an invoice, line by line. */
export function invoicePage({ id: session }: PortalSession, invoice: Invoice): Html {
  const { number, created, status, lines, total, amount_due, currency } = invoice
  return pageLayout(
    number ? `Invoice ${number}` : 'Draft invoice',
    html`<p>${formatDate(created)} ${statusBadge(status ?? 'draft')}</p>
<dl>
${lines.data.map(lineRow)}
<div class="total"><dt>Total</dt><dd>${money(total, currency)}</dd></div>
<div><dt>Amount due</dt><dd>${money(amount_due, currency)}</dd></div>
</dl>
<p class="back"><a class="button second" href="/portal/${session}">Back to your billing</a></p>`,
  )
}

function lineRow({ description, period, amount, currency }: Invoice['lines']['data'][number]): Html {
  const dates = `${formatDate(period.start)} to ${formatDate(period.end)}`
  return html`<div><dt>${description ?? 'Subscription'}<small>${dates}</small></dt><dd>${money(amount, currency)}</dd></div>`
}
