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
            <div>
              <dt>Entries</dt>
              <dd>{entries.length}</dd>
            </div>
            <div>
              <dt>Sum</dt>
              <dd>{sum}</dd>
            </div>
          </dl>
        </Section>
      </Permitted>
    </Page>
  )
}
