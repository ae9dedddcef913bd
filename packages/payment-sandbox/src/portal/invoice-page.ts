import type { Invoice } from '../invoices/invoice.js'
import { type Html, html } from '../pages/html.js'
import { money } from '../pages/money.js'
import { pageLayout } from '../pages/page-layout.js'
import { formatDate, statusBadge } from './portal-elements.js'

/** The page of an invoice, line by line, with a way back to the portal session `from`, if any. */
export function invoicePage(invoice: Invoice, from: string | null): Html {
  const { number, created, status, lines, total, amount_due, currency } = invoice
  return pageLayout(
    number ? `Invoice ${number}` : 'Draft invoice',
    html`<p>${formatDate(created)} ${statusBadge(status ?? 'draft')}</p>
<dl>
${lines.data.map(lineRow)}
<div class="total"><dt>Total</dt><dd>${money(total, currency)}</dd></div>
<div><dt>Amount due</dt><dd>${money(amount_due, currency)}</dd></div>
</dl>
<p class="back"><a class="button second" href="/invoice/${invoice.id}/pdf">Download as PDF</a></p>
${from ? html`<p class="back"><a class="button second" href="/portal/${from}">Back to your billing</a></p>` : ''}`,
  )
}

function lineRow({ description, period, amount, currency }: Invoice['lines']['data'][number]): Html {
  const dates = `${formatDate(period.start)} to ${formatDate(period.end)}`
  return html`<div><dt>${description ?? 'Subscription'}<small>${dates}</small></dt><dd>${money(amount, currency)}</dd></div>`
}
