import { money } from '../../../../pieces/billing/plans.js'
import { Empty } from '../../../../pieces/empty.js'
import { t } from '../../../../pieces/language/t.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { Section } from '../../../../pieces/page.js'
import { Day } from '../../../../pieces/time/when.js'
import type { Invoice } from '../../../answers.js'
import { call } from '../../../api.js'

const LOOKS = { paid: 'good', open: 'warn', void: '', uncollectible: 'bad' } as const

/** The newest invoices of the account, from the payment provider. */
export function InvoicesCard() {
  const list = useLoad(() => call<{ readonly invoices: readonly Invoice[] }>('GET', 'invoices'))
  return (
    <Section title={t('invoice.title')}>
      <Loaded of={list} shape="rows">
        {({ invoices }) =>
          invoices.length === 0 ? (
            <Empty icon="card">{t('invoice.none')}</Empty>
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
          <th scope="col">{t('invoice.date')}</th>
          <th scope="col">{t('invoice.number')}</th>
          <th scope="col">{t('invoice.status')}</th>
          <th scope="col">{t('entries.amount')}</th>
          <th scope="col">{t('invoice.documents')}</th>
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
      <td data-name={t('invoice.date')}>
        <Day at={createdAt} />
      </td>
      <td data-name={t('invoice.number')}>{number ?? '–'}</td>
      <td data-name={t('invoice.status')}>
        <span className={`tag ${LOOKS[status]}`}>{t(`invoice.state.${status}`)}</span>
      </td>
      <td data-name={t('entries.amount')}>{money(amount, currency)}</td>
      <td data-name={t('invoice.documents')}>
        <span className="documents">
          {url && (
            <a href={url} aria-label={t('invoice.viewNamed', { named })}>
              {t('invoice.view')}
            </a>
          )}
          {pdfUrl && (
            <a href={pdfUrl} aria-label={t('invoice.pdfNamed', { named })}>
              {t('invoice.pdf')}
            </a>
          )}
        </span>
      </td>
    </tr>
  )
}
