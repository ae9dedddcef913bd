import { Fact } from '../../pieces/fact.js'
import { Page, Section } from '../../pieces/page.js'
import { readEntries } from '../entries.js'
import { Permitted } from './permitted.js'

export function ReportsPage() {
  const entries = readEntries()
  const sum = entries.reduce((total, { amount }) => total + amount, 0)
  return (
    <Page title="Reports">
      <Permitted permission="viewReports">
        <Section title="Sum of all entries">
          <dl>
            <Fact name="Entries">{entries.length}</Fact>
            <Fact name="Sum">{sum}</Fact>
          </dl>
        </Section>
      </Permitted>
    </Page>
  )
}
