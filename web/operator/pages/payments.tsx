import { Page, Section } from '../../pieces/page.js'
import { usePlace } from '../../pieces/router.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import type { PaymentEvent } from '../answers.js'
import { ask } from '../api.js'
import { EventRows } from '../event-rows.js'
import { StateFilter } from '../state-filter.js'

const STATES = [
  ['', 'Waiting'],
  ['failed', 'Failed'],
  ['parked', 'Given up'],
  ['handled', 'Handled'],
] as const

export function PaymentsPage() {
  const state = usePlace().query.get('state') ?? ''
  const path = `events${state && `?${new URLSearchParams({ state })}`}`
  const list = useLoad(() => ask<{ events: readonly PaymentEvent[] }>(path), path)
  return (
    <Page title="Payment events">
      <StateFilter path="/payments" states={STATES} chosen={state} />
      <Section title={state === 'handled' ? 'The newest 100' : 'The oldest 100'}>
        <Loaded of={list} shape="rows">
          {({ events }) => <EventRows events={events} withAccount reload={list.reload} />}
        </Loaded>
      </Section>
    </Page>
  )
}
