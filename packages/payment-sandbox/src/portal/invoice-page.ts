import type { Invoice } from '../invoices/invoice.js'
import { type Html, html } from '../pages/html.js'
import { money } from '../pages/money.js'
import { pageLayout } from '../pages/page-layout.js'
import type { Words } from '../pages/words/english.js'
import { formatDate, statusBadge } from './portal-elements.js'

/** The page of an invoice, line by line: with a way back to the portal session `from`, else with a way to pay it. */
export function invoicePage(words: Words, invoice: Invoice, from: string | null): Html {
  const { title, draft, total: sum, due: dueNow, pdf, back } = words.invoice
  const { number, created, status, lines, total, amount_remaining, currency } = invoice
  const due = money(amount_remaining, currency, words.locale)
  return pageLayout(
    words,
    number ? title(number) : draft,
    html`<p>${formatDate(words, created)} ${statusBadge(words, status ?? 'draft')}</p>
<dl>
${lines.data.map(line => lineRow(words, line))}
<div class="total"><dt>${sum}</dt><dd>${money(total, currency, words.locale)}</dd></div>
<div><dt>${dueNow}</dt><dd>${due}</dd></div>
</dl>
${
  status === 'open' && !from
    ? html`<form method="post" action="/invoice/${invoice.id}/pay"><button>${words.pay.pay(due)}</button></form>`
    : ''
}
<p class="back"><a class="button second" href="/invoice/${invoice.id}/pdf">${pdf}</a></p>
${from ? html`<p class="back"><a class="button second" href="/portal/${from}">${back}</a></p>` : ''}`,
  )
}

function lineRow(words: Words, line: Invoice['lines']['data'][number]): Html {
  const { description, period, amount, currency } = line
  const dates = words.invoice.period(formatDate(words, period.start), formatDate(words, period.end))
  const name = translated(words, description ?? 'Subscription')
  return html`<div><dt>${name}<small>${dates}</small></dt><dd>${money(amount, currency, words.locale)}</dd></div>`
}

/** A description, perhaps after how many there are. */
function translated({ lines }: Words, description: string): string {
  const [, count, name] = /^(\d+ × )?(.*)$/s.exec(description)!
  return `${count ?? ''}${lines[name!] ?? name}`
}
