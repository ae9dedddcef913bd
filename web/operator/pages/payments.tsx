import { useLoad } from '../../pieces/loading/use-load.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { Page, Section } from '../../pieces/page.js'
import { usePlace } from '../../pieces/router.js'
import type { PaymentEvent } from '../answers.js'
import { ask } from '../api.js'
import { t } from '../language.js'
import { EventRows } from '../rows/event-rows.js'
import { StateFilter } from '../state-filter.js'

export function PaymentsPage() {
  const state = usePlace().query.get('state') ?? ''
  const path = `events${state && `?${new URLSearchParams({ state })}`}`
  const list = useLoad(() => ask<{ events: readonly PaymentEvent[] }>(path), path)
  return (
    <Page title={t('console.payments.title')}>
      <StateFilter
        states={[
          ['', t('console.payments.waiting')],
          ['failed', t('console.eventState.failed')],
          ['parked', t('console.eventState.parked')],
          ['handled', t('console.eventState.handled')],
        ]}
      />
      <Section title={state === 'handled' ? t('console.payments.newest') : t('console.payments.oldest')}>
        <Loaded of={list} shape="rows">
          {({ events }) => <EventRows events={events} withAccount reload={list.reload} />}
        </Loaded>
      </Section>
    </Page>
  )
}
