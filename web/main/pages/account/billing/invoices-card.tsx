import { money } from '../../../../pieces/billing/plans.js'
import { Section } from '../../../../pieces/page.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { Day } from '../../../../pieces/when.js'
import type { Invoice } from '../../../answers.js'
import { call } from '../../../api.js'

const STATUS = {
  paid: { name: 'Paid', look: 'good' },
  open: { name: 'To be paid', look: 'warn' },
  void: { name: 'Void', look: '' },
  uncollectible: { name: 'Not paid', look: 'bad' },
} as const

/** The newest invoices of the account, as the provider has them. */
export function InvoicesCard() {
  const list = useLoad(() => call<{ readonly invoices: readonly Invoice[] }>('GET', 'invoices'))
  return (
    <Section title="Invoices">
      <Loaded of={list} shape="rows">
        {({ invoices }) =>
          invoices.length === 0 ? (
            <p className="absent">There are no invoices yet.</p>
          ) : (
            <Table invoices={invoices} />
          )
        }
      </Loaded>
    </Section>
  )
}

function Table({ invoices }: { readonly invoices: readonly Invoice[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Date</th>
          <th scope="col">Number</th>
          <th scope="col">Status</th>
          <th scope="col">Amount</th>
          <th scope="col">Documents</th>
        </tr>
      </thead>
      <tbody>
        {invoices.map(invoice => (
          <Row key={invoice.id} invoice={invoice} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ invoice }: { readonly invoice: Invoice }) {
  const { id, number, createdAt, amount, currency, status, url, pdfUrl } = invoice
  const named = number ?? id
  return (
    <tr>
      <td data-name="Date">
        <Day at={createdAt} />
      </td>
      <td data-name="Number">{number ?? '–'}</td>
      <td data-name="Status">
        <span className={`tag ${STATUS[status].look}`}>{STATUS[status].name}</span>
      </td>
      <td data-name="Amount">{money(amount, currency)}</td>
      <td data-name="Documents">
        <span className="documents">
          {url && (
            <a href={url} aria-label={`View invoice ${named}`}>
              View
            </a>
          )}
          {pdfUrl && (
            <a href={pdfUrl} aria-label={`Download invoice ${named} as a PDF`}>
              PDF
            </a>
          )}
        </span>
      </td>
    </tr>
  )
}
