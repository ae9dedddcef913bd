import { Fact } from '../../pieces/fact.js'
import { locale, t } from '../../pieces/language/t.js'
import { Page, Section } from '../../pieces/page.js'
import { readEntries } from '../entries.js'
import { Permitted } from './permitted.js'

export function ReportsPage({ userId }: { readonly userId: string }) {
  const entries = readEntries(userId)
  const sum = entries.reduce((total, { amount }) => total + amount, 0)
  return (
    <Page title={t('satellite.reports')}>
      <Permitted permission="viewReports">
        <Section title={t('entries.sumTitle')}>
          <dl>
            <Fact name={t('entries.title')}>{entries.length}</Fact>
            <Fact name={t('entries.sum')}>{new Intl.NumberFormat(locale()).format(sum)}</Fact>
          </dl>
        </Section>
      </Permitted>
    </Page>
  )
}
